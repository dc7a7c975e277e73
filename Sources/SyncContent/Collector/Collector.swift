package import CloudStore
internal import Posix
internal import StoreBasics
package import SyncLog

/// Deletes what an account no longer needs, without leases and while its devices go on. May be killed at any
/// point and run by several at once.
package struct Collector: Sendable {
    let account: Account
    let clock: any SyncClock
    let rules: SafetyRules
    let roots: AccountRoots
    let writer: ContentWriter

    /// - Parameters:
    ///   - scratch: makes an empty storage for each container's tree.
    ///   - writer: of the account, for what is repacked.
    package init(
        _ account: Account, clock: any SyncClock, writer: ContentWriter, rules: SafetyRules = .all,
        scratch: @escaping @Sendable () throws -> any TreeDatabase
    ) {
        self.account = account
        self.clock = clock
        self.rules = rules
        self.writer = writer
        roots = AccountRoots(account: account, rules: rules, scratch: scratch)
    }

    private static let namedObjects = 1000

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

        package init() {}
    }

    /// One run.
    /// - Returns: nil where another run began less than a day ago, unless `isForced`.
    /// - Throws: `.unreadable` where a root cannot be read: nothing was deleted.
    package func run(isForced: Bool = false) async throws(CollectionError) -> Report? {
        guard try await begin(isForced) else { return nil }
        // First what lies there, then what is needed: so whatever came meanwhile is not looked at.
        let began = clock.now()
        let listing = try await CollectionError.asking(await account.storedObjects())
        let live = try await roots.read(now: listing.date)
        let candidates = listing.value.filter { mayGo($0, live, at: listing.date) }
        var report = Report()
        report.sparsePacks = SparsePack.all(in: live, listing.value)
        report.keptObjects = listing.value.count
        report.keptBytes = listing.value.reduce(0) { $0.addingSaturated($1.info.sizeBytes) }
        for candidate in candidates {
            let limit = Deadline(date: listing.date, clock: began)
            switch try await decide(on: candidate, live, limit) {
            case .kept: break
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

    /// Writes this run's record where nobody else has: it saves double work, nothing depends on it.
    private func begin(_ isForced: Bool) async throws(CollectionError) -> Bool {
        let records = try await CollectionError.asking(
            await account.store.listAll(StoreLayout.collectionPrefix))
        let last = records.value.last
        if let last, !isForced,
            records.date.seconds(since: last.lastModified) < AccountRetention.daySeconds
        {
            return false
        }
        let numbers = records.value.compactMap {
            StoreLayout.sequence(of: $0.key, in: StoreLayout.collectionPrefix)
        }
        let next = (numbers.max() ?? 0) &+ 1
        for record in records.value.dropLast(8) {
            _ = try await CollectionError.asking(await account.store.delete(record.key))
        }
        let own = account.layout.collection(next)
        let store = account.store.forRecords
        let outcome = try await CollectionError.asking(await store.putIfAbsent([], at: own).value)
        return outcome == .written || isForced
    }

    /// Not live, and older than `graceSeconds` by the LIST's own date and time.
    private func mayGo(_ object: Listed, _ live: LiveSet, at date: StoreTime) -> Bool {
        guard !live.names.contains(object.name) else { return false }
        return object.info.lastModified.seconds < date.seconds - account.format.retention.graceSeconds
    }

    private enum Outcome {
        case deleted
        case kept
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
        if rules.hold(.replacedLocatorsStay), try await isOnlyCopy(object.name, live) { return .kept }
        let head = try await CollectionError.asking(await account.store.head(object.info.key))
        guard head.value == object.info else { return .kept }
        guard
            !rules.hold(.collectionIsBounded)
                || deadline.holds(head.date, clock.now(), account.format.retention)
        else { return .late }
        _ = try await CollectionError.asking(await account.store.delete(object.info.key))
        return .deleted
    }

    /// Whether a chunk that has moved is not found at its new place.
    private func isOnlyCopy(_ name: StoredName, _ live: LiveSet) async throws(CollectionError) -> Bool {
        for new in live.replaced[name] ?? [] {
            let found = try await CollectionError.asking(
                await account.store.head(account.layout.object(new)).value)
            if found == nil { return true }
        }
        return false
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
