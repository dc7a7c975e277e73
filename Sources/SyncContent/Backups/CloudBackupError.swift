internal import CloudStore

/// Why a backup snapshot was not made, or cannot be read.
package enum CloudBackupError: StoreFailure, Equatable, Sendable {
    case content(ContentError)
    /// It says what cannot be; what.
    case damaged(String)
    /// The device's own storage failed.
    case storage(String)
    /// So many bytes were left of the quota.
    case overQuota(roomBytes: UInt64)
    /// What was relied on may be gone by now: begin again.
    case expired

    static func content<Value: Sendable>(
        _ body: @autoclosure () async throws(ContentError) -> Value
    ) async throws(CloudBackupError) -> Value {
        do { return try await body() } catch { throw .content(error) }
    }

    static func store(_ error: StoreError) -> CloudBackupError { .content(.store(error)) }

    static func storing<Value>(_ body: () throws -> Value) throws(CloudBackupError) -> Value {
        do { return try body() } catch { throw .storage("\(error)") }
    }
}

extension CloudBackupError {
    /// For what works on storage and chunks together.
    init(_ error: any Error) {
        switch error {
        case let error as CloudBackupError: self = error
        case let error as ContentError: self = .content(error)
        case let error as StoreError: self = .content(.store(error))
        default: self = .storage("\(error)")
        }
    }
}

extension CollectionError {
    /// - Parameter place: the key or prefix of what was read.
    init(_ error: CloudBackupError, reading place: String) {
        if case .content(.store(let failure)) = error {
            self = .store(failure)
        } else {
            self = .unreadable(place, error.reason)
        }
    }
}

extension CloudBackupError {
    /// What it is, without what to do.
    fileprivate var reason: String {
        switch self {
        case .content(.unavailable): "a part of it is missing"
        case .content: "a part of it is not as it was written"
        case .damaged(let what): what
        default: description
        }
    }
}

extension CloudBackupError: CustomStringConvertible {
    /// What it is and what to do, in one line.
    package var description: String {
        switch self {
        case .content(let error): (SyncTrouble(error) ?? .ending).description
        case .damaged(let what): "this snapshot cannot be read (\(what)); use another one: --at TIME"
        case .storage(let why): "the device's scratch storage failed (\(why)); free space and try again"
        case .overQuota(let room):
            "the account's quota has room for \(room) bytes, and the snapshot needs more: keep fewer "
                + "(--keep N), delete documents, or raise it: apphome device set quota BYTES"
        case .expired: "the store took days for one snapshot; try again"
        }
    }
}
