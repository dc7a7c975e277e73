internal import CloudStore
internal import StoreBasics
internal import SyncContent

/// All devices' hints: a poll is one LIST, and a GET for each hint that may have changed, or for each log's
/// next slot where that is no more. What it remembers is worth nothing after a restart, when all logs are
/// read to their ends anyway.
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
    /// The store's date when it was asked last.
    private(set) var date: StoreTime?

    init(account: Account) {
        self.account = account
    }

    enum News: Equatable {
        /// All that changed was read.
        case read
        /// So many changed that to ask each log is no dearer: they were left alone.
        case manyChanged
    }

    /// Reads what others wrote since the last poll.
    /// - Parameters:
    ///   - own: this device's, which tells it nothing.
    ///   - logs: how many logs this device reads on.
    nonisolated(nonsending) mutating func poll(
        except own: ObjectKey, logs: Int
    ) async throws(StoreError) -> News {
        let listing = try await account.store.listAll(StoreLayout.hintPrefix)
        date = listing.date
        let changed = listing.value.filter { $0.key != own && mayBeNew($0) }
        // One is read all the same: it may tell of a log that no app here has.
        guard changed.count > 1, changed.count >= logs else {
            for object in changed { try await read(object) }
            return .read
        }
        for object in changed {
            seen[object.key] = Seen(modified: object.lastModified, readAt: listing.date)
        }
        return .manyChanged
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
