package import CloudStore
internal import Posix
package import StoreBasics
package import SyncLog

/// Deletes what an account no longer needs, without leases and while its devices go on. May be killed at any
/// point and run by several at once.
package struct Collector: Sendable {
    let account: Account
    let clock: any SyncClock
    let rules: SafetyRules
    let roots: AccountRoots
    let writer: ContentWriter
    private let objectsInPart: Int

    /// - Parameters:
    ///   - writer: of the account, for what is repacked.
    ///   - objectsInPart: so much of the store is looked at at once.
    package init(
        _ account: Account, clock: any SyncClock, writer: ContentWriter, logs: any AccountLogs,
        rules: SafetyRules = .all, objectsInPart: Int = Self.objectsInPart
    ) {
        self.objectsInPart = objectsInPart
        self.account = account
        self.clock = clock
        self.rules = rules
        self.writer = writer
        roots = AccountRoots(account: account, rules: rules, logs: logs)
    }

    fileprivate static let namedObjects = 1000
    /// So much of the store is in memory at once.
    package static let objectsInPart = 100_000
    /// A run that has more to delete is ended: the next one goes on.
    private static let deletionsInRun = 20_000

    package struct Report: Equatable, Sendable {
        package var keptObjects = 0
        package var keptBytes: UInt64 = 0
        package var deletedObjects = 0
        package var deletedBytes: UInt64 = 0
        /// Of those: the first thousand.
        package var deleted: [ObjectInfo] = []
        /// It was time to stop before everything was looked at: the next run goes on.
        package var ranOut = false
        /// Packs that are more than half dead: see `repack`.
        package var sparsePacks: [SparsePack] = []
        /// Chunks whose new place is lost, and the older one where they still lie; to be committed in each
        /// container's log.
        package var movedBack: [ContainerName: [Relocation]] = [:]
        /// When the next object gets old enough to go, by the store's clock; nil: none waits for that.
        package var nextAt: StoreTime?

        package init() {}

        fileprivate mutating func note(deleted object: ObjectInfo) {
            deletedObjects += 1
            deletedBytes = deletedBytes.addingSaturated(object.sizeBytes)
            if deleted.count < Collector.namedObjects { deleted.append(object) }
            keptObjects -= 1
            keptBytes -= min(keptBytes, object.sizeBytes)
        }

        fileprivate mutating func wait(until moment: StoreTime?) {
            nextAt = [nextAt, moment].compactMap(\.self).min()
        }
    }

    /// One run: what is needed of packs that are mostly dead is still to be moved (`repack`), and then to be
    /// recorded (`CollectionRecords.end`).
    /// - Throws: `.unreadable` where a root cannot be read: nothing was deleted.
    package func run() async throws(CollectionError) -> Report {
        let present = try await AccountPresent.read(account, rules)
        var report = Report()
        var first: UInt8? = 0
        while let from = first, !report.ranOut {
            // First what lies there, then what is needed: so whatever came meanwhile is not looked at.
            let began = clock.now()
            let part = try await CollectionError.asking(
                await account.storedPart(from: from, limit: objectsInPart))
            try await collect(part, Deadline(date: part.date, clock: began), present, &report)
            first = part.next
        }
        return report
    }

    private func collect(
        _ part: StoredPart, _ deadline: Deadline, _ present: AccountPresent, _ report: inout Report
    ) async throws(CollectionError) {
        let now = present.at(part.date)
        let live = try await roots.read(now: now, of: part)
        // What is older than `graceSeconds` by then may go.
        let limit = now.adding(seconds: -account.format.retention.graceSeconds)
        let unneeded = part.objects.filter { live.unneeded[$0.name] != nil }
        let candidates = unneeded.filter { $0.info.lastModified < limit }
        report.sparsePacks += try live.sparsePacks()
        report.wait(until: nextAt(unneeded.filter { $0.info.lastModified >= limit }, live, present))
        try live.forgetDoomed()
        report.keptObjects += part.objects.count
        report.keptBytes = part.objects.reduce(report.keptBytes) { $0.addingSaturated($1.info.sizeBytes) }
        for candidate in candidates {
            report.ranOut = report.deletedObjects >= Self.deletionsInRun
            if report.ranOut { return }
            switch try await decide(on: candidate, live, deadline) {
            case .kept: break
            case .isOnlyCopy(let lost):
                for moved in lost { report.movedBack[moved.container, default: []].append(moved.chunk) }
            case .late:
                report.ranOut = true
                return
            case .deleted: report.note(deleted: candidate.info)
            }
        }
    }

    /// When what is needed by nothing, or only until then, has its age.
    private func nextAt(_ young: [Listed], _ live: LiveSet, _ present: AccountPresent) -> StoreTime? {
        let first = (young.map(\.info.lastModified) + [live.firstReplaced].compactMap(\.self)).min()
        return first.map { present.date(whenOld: $0, account.format.retention.graceSeconds) }
    }

    private enum Outcome {
        case deleted
        case kept
        /// Of chunks that have moved, and are not found at their new places.
        case isOnlyCopy([LiveSet.Moved])
        case late
    }

    /// A deletion that came too late for its signature is decided on afresh, once.
    private func decide(
        on object: Listed, _ live: LiveSet, _ deadline: Deadline
    ) async throws(CollectionError) -> Outcome {
        do {
            return try await delete(object, live, deadline)
        } catch .store(.clockSkewed) {
            return try await delete(object, live, deadline)
        }
    }

    /// Only while the same object lies there, and only so long after the LIST.
    private func delete(
        _ object: Listed, _ live: LiveSet, _ deadline: Deadline
    ) async throws(CollectionError) -> Outcome {
        let lost = try await lost(of: live.replaced[object.name] ?? [])
        guard lost.isEmpty else { return .isOnlyCopy(lost) }
        let head = try await CollectionError.asking(await account.store.head(object.info.key))
        guard head.value == object.info else { return .kept }
        guard
            !rules.hold(.collectionIsBounded)
                || deadline.holds(head.date, clock.now(), account.format.retention)
        else { return .late }
        _ = try await CollectionError.asking(await account.store.delete(object.info.key))
        return .deleted
    }

    /// Which of these chunks are not found at their new places.
    private func lost(of replaced: [LiveSet.Moved]) async throws(CollectionError) -> [LiveSet.Moved] {
        var lost: [LiveSet.Moved] = []
        for moved in replaced {
            let key = account.layout.object(moved.name)
            let found = try await CollectionError.asking(await account.store.head(key).value)
            if found == nil { lost.append(moved) }
        }
        return lost
    }
}

/// When a run's LIST was, by the store's clock and by ours, which runs on while the machine sleeps.
private struct Deadline {
    var date: StoreTime
    var clock: UInt64

    func holds(_ date: StoreTime, _ now: UInt64, _ retention: AccountRetention) -> Bool {
        let seconds = retention.checkSeconds
        return date.seconds - self.date.seconds <= seconds && now >= clock
            && (now - clock) / 1_000_000_000 <= UInt64(seconds)
    }
}
