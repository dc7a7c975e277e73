package import CloudStore

/// Why a collection, a check or a copy ended early. What was done before it is sound.
package enum CollectionError: StoreFailure, Equatable, Sendable {
    case store(StoreError)
    case content(ContentError)
    /// The log cannot be read now, though it may be whole.
    case trouble(SyncTrouble)
    /// Something that may need chunks cannot be read: nothing may be deleted. Its key or prefix, and why.
    case unreadable(String, String)
    /// Nothing may be judged by its age: nothing was deleted.
    case clocksApart(ClockGap)
    /// The store to copy to holds something else.
    case notEmpty(ObjectKey)
    /// What was read back is not what was written.
    case differs(ObjectKey)

    static func content<Value: Sendable>(
        _ body: @autoclosure () async throws(ContentError) -> Value
    ) async throws(CollectionError) -> Value {
        do { return try await body() } catch {
            if case .store(let failure) = error { throw .store(failure) }
            throw .content(error)
        }
    }
}

extension CollectionError {
    /// Of what cannot be read, for who goes on without it.
    package var finding: String { "\(what); \(remedy)" }

    private var what: String {
        guard case .unreadable(let key, let why) = self else { return description }
        return "\(key) in the store cannot be read (\(why))"
    }

    private var remedy: String {
        guard case .unreadable(let key, _) = self, key.hasPrefix(StoreLayout.backupPrefix) else {
            return "restore it there"
        }
        return "restore it there, or let it go on the device that made it: "
            + "apphome backup create --cloud --keep 1"
    }
}

extension CollectionError: CustomStringConvertible {
    /// What it is and what to do, in one line.
    package var description: String {
        switch self {
        case .store(let error): (SyncTrouble(error) ?? .ending).description
        case .content(let error): (SyncTrouble(error) ?? .ending).description
        case .trouble(let trouble): trouble.description
        case .clocksApart(let gap): gap.description
        case .unreadable: "\(what), so nothing else was judged; \(remedy)"
        case .notEmpty(let key):
            "the store to copy to is not empty (it has \(key)); give an empty folder or prefix"
        case .differs(let key):
            "\(key) reads back as something else than was written; do not use that store"
        }
    }
}
