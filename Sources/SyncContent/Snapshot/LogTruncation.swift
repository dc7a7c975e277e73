package import CloudStore
package import StoreBasics

/// Lets go of the log's oldest entries, which a snapshot holds, and of snapshots and floors that newer ones
/// replaced. Whoever does it, and how often: what two do at once is the same.
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
        package var deletedFloors = 0
        /// When something else gets old enough to go, by the store's clock; nil: nothing does.
        package var nextAt: StoreTime?

        fileprivate mutating func wait(
            for time: StoreTime, _ seconds: Int64, _ present: AccountPresent
        ) {
            let moment = present.date(whenOld: time, seconds)
            nextAt = min(nextAt ?? moment, moment)
        }

        package init(floor: UInt64 = 0) {
            self.floor = floor
        }
    }

    /// Deletes entries that are older than the account's retention by the store's clock and that the lasting
    /// snapshot holds, which is read back first.
    /// - Throws: `.damaged` where the snapshot is not good: then nothing was deleted.
    package func run() async throws(SnapshotError) -> Report {
        let floors = try await SnapshotError.asking(await account.floors(of: log))
        var report = Report(floor: floors.value.last?.sequence ?? 0)
        guard let present = try await SnapshotError.asking(await AccountPresent.ifKnown(account)) else {
            return report
        }
        let entries = try await entries(present)
        let made = try await snapshots.list()
        let lasting = lasting(made, present)
        if let lasting {
            let last = entries.old.last { $0 <= lasting.sequence }
            let replaced = made.value.filter { $0.sequence < lasting.sequence }
            if last ?? 0 > report.floor || !replaced.isEmpty { try await snapshots.verify(lasting) }
            if let last, last > report.floor {
                _ = try await SnapshotError.asking(
                    await account.store.forRecords.putIfAbsent([], at: account.layout.floor(log, last)))
                report.floor = last
            }
            report.deletedSnapshots = try await delete(replaced.map(\.key))
        }
        waitForSnapshots(made.value, after: lasting, entries, present, &report)
        report.deletedFloors = try await deleteLower(floors, present, &report)
        // Ascending, so that what is left has no hole; also what an earlier run began and did not end.
        for sequence in entries.old where sequence <= report.floor {
            let key = account.layout.logEntry(log, sequence)
            _ = try await SnapshotError.asking(await account.store.delete(key))
            report.deletedEntries += 1
        }
        return report
    }

    private var retention: AccountRetention { account.format.retention }

    private struct Entries {
        /// From the lowest on, ascending, as far as all are old enough.
        var old: [UInt64] = []
        /// The first one that is not.
        var next: (sequence: UInt64, lastModified: StoreTime)?
    }

    private func entries(_ present: AccountPresent) async throws(SnapshotError) -> Entries {
        let prefix = account.layout.logPrefix(log)
        var entries = Entries()
        var after: ObjectKey?
        while true {
            let listing = try await SnapshotError.asking(
                await account.store.list(prefix, after: after, limit: StoreLimits.listedKeys))
            let limit = present.at(listing.date).adding(seconds: -retention.logSeconds)
            for object in listing.value.objects {
                guard let sequence = StoreLayout.sequence(of: object.key, in: prefix) else { continue }
                guard object.lastModified < limit else {
                    entries.next = (sequence, object.lastModified)
                    return entries
                }
                entries.old.append(sequence)
            }
            after = listing.value.objects.last?.key
            if !listing.value.isTruncated || after == nil { return entries }
        }
    }

    /// The newest snapshot that has been there for as long as somebody may take to read one: who began to
    /// read an older one before this was made is done. Its writer will not take it back either: that is asked
    /// for at once, but a request may be late.
    private func lasting(_ made: Dated<[SnapshotInfo]>, _ present: AccountPresent) -> SnapshotInfo? {
        let limit = present.at(made.date).adding(seconds: -retention.graceSeconds)
        return made.value.last { $0.lastModified < limit }
    }

    /// Notes when the next snapshot lasts that lets something go, and when the next entry is old enough.
    private func waitForSnapshots(
        _ made: [SnapshotInfo], after lasting: SnapshotInfo?, _ entries: Entries, _ present: AccountPresent,
        _ report: inout Report
    ) {
        let later = made.filter { $0.sequence > lasting?.sequence ?? 0 }
        let isEntryHeld = entries.old.contains { $0 > report.floor }
        // The first of all replaces none.
        let next = lasting != nil || isEntryHeld ? later.first : later.dropFirst().first
        if let next { report.wait(for: next.lastModified, retention.graceSeconds, present) }
        if let entry = entries.next, let newest = made.last, entry.sequence <= newest.sequence {
            report.wait(for: entry.lastModified, retention.logSeconds, present)
        }
    }

    /// Only the highest floor says something; the others stay as long as a listing may be late.
    private func deleteLower(
        _ floors: Dated<[FloorInfo]>, _ present: AccountPresent, _ report: inout Report
    ) async throws(SnapshotError) -> Int {
        let limit = present.at(floors.date).adding(seconds: -retention.graceSeconds)
        let lower = floors.value.filter { $0.sequence < report.floor }
        let old = lower.filter { $0.lastModified < limit }
        for floor in lower where floor.lastModified >= limit {
            report.wait(for: floor.lastModified, retention.graceSeconds, present)
        }
        return try await delete(old.map(\.key))
    }

    private func delete(_ keys: [ObjectKey]) async throws(SnapshotError) -> Int {
        for key in keys { _ = try await SnapshotError.asking(await account.store.delete(key)) }
        return keys.count
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

/// A mark that the log up to an entry may be gone.
struct FloorInfo: Sendable {
    var key: ObjectKey
    var sequence: UInt64
    var lastModified: StoreTime
}

extension Account {
    /// All floors of a log, ascending, with the date of the first answer.
    func floors(of log: LogName) async throws(StoreError) -> Dated<[FloorInfo]> {
        let prefix = layout.floorPrefix(log)
        let listing = try await store.listAll(prefix)
        let floors = listing.value.compactMap { object in
            StoreLayout.sequence(of: object.key, in: prefix).map {
                FloorInfo(key: object.key, sequence: $0, lastModified: object.lastModified)
            }
        }
        return Dated(floors.sorted { $0.sequence < $1.sequence }, at: listing.date)
    }

    /// The highest floor of a log; 0: it was never truncated.
    func highestFloor(of log: LogName) async throws(StoreError) -> UInt64 {
        try await floors(of: log).value.last?.sequence ?? 0
    }
}
