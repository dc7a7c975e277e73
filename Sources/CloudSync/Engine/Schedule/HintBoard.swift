internal import CloudStore
internal import StoreBasics
internal import SyncContent

/// All devices' hints: a poll is one LIST, and a GET for each hint that may have changed. What it remembers
/// is worth nothing after a restart, when all logs are read to their ends anyway.
struct HintBoard {
    private struct Seen {
        var modified: StoreTime
        /// The store's date when it was read: it may have been written again within the same second.
        var readAt: StoreTime
    }

    private let account: Account
    private var seen: [ObjectKey: Seen] = [:]
    /// The newest slot that anybody told of, for each log.
    private(set) var newest: [LogName: UInt64] = [:]

    init(account: Account) {
        self.account = account
    }

    /// Reads what others wrote since the last poll.
    /// - Parameter own: this device's, which tells it nothing.
    nonisolated(nonsending) mutating func poll(except own: ObjectKey) async throws(StoreError) {
        let listing = try await account.store.listAll(StoreLayout.hintPrefix)
        for object in listing.value where object.key != own && mayBeNew(object) {
            try await read(object)
        }
    }

    private func mayBeNew(_ object: ObjectInfo) -> Bool {
        guard object.sizeBytes <= Hint.limitBytes else { return false }
        guard let seen = seen[object.key], seen.modified == object.lastModified else { return true }
        return seen.readAt.seconds <= seen.modified.seconds &+ 1
    }

    private nonisolated(nonsending) mutating func read(_ object: ObjectInfo) async throws(StoreError) {
        let answer = try await account.store.get(object.key)
        guard let found = answer.value else { return }
        seen[object.key] = Seen(modified: found.lastModified, readAt: answer.date)
        for (log, slot) in Hint(found.bytes).newest { newest[log] = max(newest[log] ?? 0, slot) }
    }
}
