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

    /// - Parameter writer: of the account, for what is repacked.
    package init(
        _ account: Account, clock: any SyncClock, writer: ContentWriter, logs: any AccountLogs,
        rules: SafetyRules = .all
    ) {
        self.account = account
        self.clock = clock
        self.rules = rules
        self.writer = writer
        roots = AccountRoots(account: account, rules: rules, logs: logs)
    }

    private static let namedObjects = 1000
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
    }

    /// One run: what is needed of packs that are mostly dead is still to be moved (`repack`), and then to be
    /// recorded (`CollectionRecords.end`).
    /// - Throws: `.unreadable` where a root cannot be read: nothing was deleted.
    package func run() async throws(CollectionError) -> Report {
        let present = try await AccountPresent.read(account, rules)
        // First what lies there, then what is needed: so whatever came meanwhile is not looked at.
        let began = clock.now()
        let listing = try await CollectionError.asking(await account.storedObjects())
        let now = present.at(listing.date)
        let live = try await roots.read(now: now)
        // What is older than `graceSeconds` by then may go.
        let limit = now.adding(seconds: -account.format.retention.graceSeconds)
        let unneeded = listing.value.filter { !live.names.contains($0.name) }
        let candidates = unneeded.filter { $0.info.lastModified < limit }
        var report = Report()
        report.sparsePacks = SparsePack.all(in: live, listing.value)
        report.nextAt = nextAt(unneeded.filter { $0.info.lastModified >= limit }, live, present)
        try live.forgetDoomed(listing.value)
        report.keptObjects = listing.value.count
        report.keptBytes = listing.value.reduce(0) { $0.addingSaturated($1.info.sizeBytes) }
        report.ranOut = candidates.count > Self.deletionsInRun
        for candidate in candidates.prefix(Self.deletionsInRun) {
            let deadline = Deadline(date: listing.date, clock: began)
            switch try await decide(on: candidate, live, deadline) {
            case .kept: break
            case .isOnlyCopy(let lost):
                for moved in lost { report.movedBack[moved.container, default: []].append(moved.chunk) }
            case .late:
                report.ranOut = true
                return report
            case .deleted:
                report.deletedObjects += 1
                report.deletedBytes = report.deletedBytes.addingSaturated(candidate.info.sizeBytes)
                if report.deleted.count < Self.namedObjects { report.deleted.append(candidate.info) }
                report.keptObjects -= 1
                report.keptBytes -= min(report.keptBytes, candidate.info.sizeBytes)
            }
        }
        return report
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

/// An object that a LIST showed.
struct Listed: Sendable {
    var name: StoredName
    var info: ObjectInfo
}

extension Account {
    /// All chunks and packs that the store has, with the date of the first answer.
    func storedObjects() async throws(StoreError) -> Dated<[Listed]> {
        let chunks = try await store.listAll(StoreLayout.chunkPrefix)
        let packs = try await store.listAll(StoreLayout.packPrefix)
        let objects = (chunks.value + packs.value).compactMap { info in
            StoredName(info.key).map { Listed(name: $0, info: info) }
        }
        return Dated(objects, at: chunks.date)
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

extension StoredName {
    /// Nil for a key that none of ours is.
    init?(_ key: ObjectKey) {
        let parts = key.text.pathParts
        guard parts.count == 4, let name = parts.last else { return nil }
        switch parts[1] {
        case "p":
            guard name.utf8.count == 32, let id = UInt128(name, radix: 16) else { return nil }
            self = .pack(Bits128(id))
        case "c":
            let halves = name.split(separator: ".")
            guard halves.count == 2, halves[0].utf8.count == 32, halves[1].utf8.count == 16,
                let opaque = UInt128(halves[0], radix: 16), let random = UInt64(halves[1], radix: 16)
            else { return nil }
            self = .chunk(Bits128(opaque), random)
        default: return nil
        }
    }
}
