package import CloudStore
internal import StoreBasics

/// Lets go of the log's oldest entries, which a snapshot holds. Whoever does it, and how often: what two do
/// at once is the same.
package struct LogTruncation: Sendable {
    let account: Account
    let log: LogName
    let snapshots: SnapshotReader

    package init(_ account: Account, log: LogName) {
        self.account = account
        self.log = log
        snapshots = SnapshotReader(account, log: log)
    }

    package struct Report: Equatable, Sendable {
        /// The highest floor; 0: the log was never truncated.
        package var floor: UInt64 = 0
        package var deletedEntries = 0
        package var deletedSnapshots = 0

        package init(floor: UInt64 = 0) {
            self.floor = floor
        }
    }

    /// Deletes entries that are older than the account's retention by the store's clock and that the newest
    /// snapshot holds, which is read back first.
    /// - Throws: `.damaged` where the snapshot is not good: then nothing was deleted.
    package func run() async throws(SnapshotError) -> Report {
        var report = Report(floor: try await SnapshotError.asking(await account.highestFloor(of: log)))
        let entries = try await oldEntries()
        let made = try await snapshots.list()
        if let newest = made.value.last {
            if let last = entries.last(where: { $0 <= newest.sequence }), last > report.floor {
                try await snapshots.verify(newest)
                _ = try await SnapshotError.asking(
                    await account.store.forRecords.putIfAbsent([], at: account.layout.floor(log, last)))
                report.floor = last
            }
            report.deletedSnapshots = try await deleteSnapshots(made, before: newest)
        }
        // Ascending, so that what is left has no hole; also what an earlier run began and did not end.
        for sequence in entries where sequence <= report.floor {
            let key = account.layout.logEntry(log, sequence)
            _ = try await SnapshotError.asking(await account.store.delete(key))
            report.deletedEntries += 1
        }
        return report
    }

    /// The slots from the lowest on whose entries are all old enough, ascending.
    private func oldEntries() async throws(SnapshotError) -> [UInt64] {
        let prefix = account.layout.logPrefix(log)
        var old: [UInt64] = []
        var after: ObjectKey?
        while true {
            let listing = try await SnapshotError.asking(
                await account.store.list(prefix, after: after, limit: StoreLimits.listedKeys))
            let limit = listing.date.adding(seconds: -account.format.retention.logSeconds)
            for object in listing.value.objects {
                guard let sequence = StoreLayout.sequence(of: object.key, in: prefix) else { continue }
                guard object.lastModified < limit else { return old }
                old.append(sequence)
            }
            after = listing.value.objects.last?.key
            if !listing.value.isTruncated || after == nil { return old }
        }
    }

    /// Snapshots that a newer one replaced, after as long as somebody may take to read one.
    private func deleteSnapshots(
        _ made: Dated<[SnapshotInfo]>, before newest: SnapshotInfo
    ) async throws(SnapshotError) -> Int {
        let limit = made.date.adding(seconds: -account.format.retention.graceSeconds)
        // The newest has to be old enough itself: until then who began on the one before may still read it.
        guard newest.lastModified < limit else { return 0 }
        let replaced = made.value.filter { $0.sequence < newest.sequence && $0.lastModified < limit }
        if !replaced.isEmpty { try await snapshots.verify(newest) }
        for snapshot in replaced {
            _ = try await SnapshotError.asking(await account.store.delete(snapshot.key))
        }
        return replaced.count
    }
}

extension ObjectStore {
    /// All objects below a prefix, in order, with the date of the first answer: the listing is at least as
    /// new.
    package func listAll(_ prefix: String) async throws(StoreError) -> Dated<[ObjectInfo]> {
        var objects: [ObjectInfo] = []
        var date: StoreTime?
        while true {
            let listing = try await list(prefix, after: objects.last?.key, limit: StoreLimits.listedKeys)
            date = date ?? listing.date
            objects += listing.value.objects
            if !listing.value.isTruncated || listing.value.objects.isEmpty {
                return Dated(objects, at: date ?? listing.date)
            }
        }
    }
}

extension Account {
    /// The highest floor of a log; 0: it was never truncated.
    func highestFloor(of log: LogName) async throws(StoreError) -> UInt64 {
        let prefix = layout.floorPrefix(log)
        let floors = try await store.listAll(prefix).value
        return floors.compactMap { StoreLayout.sequence(of: $0.key, in: prefix) }.max() ?? 0
    }
}
