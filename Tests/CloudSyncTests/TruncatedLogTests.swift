import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// What happens below the floor (SYNC.md 4, "Below the floor?").
struct TruncatedLogTests {
    let clock = ContentFixture.Clock()
    let format = LogFixture.format()
    let store: HookedStore

    init() { store = HookedStore(LogFixture.store(clock)) }

    private func device(
        _ seed: UInt64, storage: any SyncStorage = MemoryStorage(), rules: SafetyRules = .all
    ) throws -> LogDevice {
        try LogDevice(store, format, clock: clock, seed: seed, storage: storage, rules: rules)
    }

    /// Some commits, then forty days later a snapshot, and when that lasts the old entries' end.
    private func truncate(_ device: LogDevice) async throws {
        let writer = ContentWriter(
            device.log.account, clock: clock, randomness: ContentFixture.Random(99))
        clock.advance(days: 40)
        try await device.log.pull()
        _ = try await SnapshotWriter(device.log.account, log: device.log.name, writer: writer).write(
            device.storage)
        clock.advance(days: 8)
        let report = try await LogTruncation(device.log.account, log: device.log.name).run()
        #expect(report.deletedEntries > 0)
    }

    @Test func aNewDeviceBeginsWithTheSnapshot() async throws {
        let (one, two) = (try device(1), try device(2))
        for index in 1...5 { try await one.commit("\(index)", file: UInt64(index)) }
        try await truncate(one)
        try await one.commit("6", file: 6)
        try await two.log.pull()
        #expect(try two.names == ["1", "2", "3", "4", "5", "6"])
        #expect(try two.head == 6)
    }

    @Test func aDeviceThatWasAwayLoadsTheSnapshotAndKeepsItsBatch() async throws {
        let (one, two) = (try device(1), try device(2))
        try await one.commit("1", file: 1)
        try await two.log.pull()
        try two.create("two", file: 9)
        for index in 2...5 { try await one.commit("\(index)", file: UInt64(index)) }
        try await truncate(one)
        try await two.log.push()
        #expect(try two.names == ["1", "2", "3", "4", "5", "two"])
        #expect(try two.frozen == nil)
        try await one.log.pull()
        #expect(try one.names == two.names)
    }

    @Test(arguments: [true, false])
    func aWriteThatSleptBelowTheFloorIsNotBelieved(isRuleHeld: Bool) async throws {
        let rules = SafetyRules(removed: isRuleHeld ? [] : [.slotsAreDoubted])
        let (one, two) = (try device(1), try device(2, rules: rules))
        try await one.commit("1", file: 1)
        try await two.log.pull()
        try two.create("two", file: 9)
        // The device falls asleep between choosing the slot and sending.
        store.beforeNextEntry {
            for index in 2...5 { try await one.commit("\(index)", file: UInt64(index)) }
            try await truncate(one)
        }
        _ = try? await two.log.push()
        try await one.log.pull()
        #expect(try one.names.contains("two") == isRuleHeld)
        #expect(try two.frozen == nil)
    }

    @Test func aBatchThatTheSnapshotHoldsIsNotSentAgain() async throws {
        let storage = MemoryStorage()
        let two = try device(2, storage: storage)
        try two.create("two", file: 9)
        let asleep = storage.clone()
        try await two.log.push()
        let one = try device(1)
        try await one.commit("1", file: 1)
        try await truncate(one)
        let again = try device(3, storage: asleep)
        try await again.log.push()
        #expect(try again.frozen == nil)
        #expect(try again.head == 2)
        #expect(try again.journal.device == two.journal.device)
        #expect(try again.names == ["1", "two"])
    }
}

/// A store in which something may happen between a device's decision and its request.
final class HookedStore: ObjectStore {
    typealias Hook = @Sendable () async throws -> Void

    private let base: any ObjectStore
    private let hook = Lock<Hook?>(nil)

    init(_ base: any ObjectStore) { self.base = base }

    var traits: StoreTraits { base.traits }

    func beforeNextEntry(_ hook: @escaping Hook) { self.hook.withLock { $0 = hook } }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        if key.text.contains("/log/") {
            let hook = hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            do { try await hook?() } catch { throw .unreachable("\(error)") }
        }
        return try await base.putIfAbsent(bytes, at: key)
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await base.put(bytes, at: key)
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        try await base.get(key, range: range)
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> { try await base.head(key) }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await base.list(prefix, after: after, limit: limit)
    }

    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> { try await base.delete(key) }
}
