import CloudStore
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("The collector and snapshots of backups")
final class CloudBackupCollectionTests: AccountFixture {
    private lazy var device = CloudBackupFixture(account, clock: clock, random: random)

    init() async throws { try await super.init(seed: 17) }

    private var collector: Collector {
        Collector(account, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
    }

    @Test("what only a snapshot has stays for as long as the snapshot does, and goes G after it")
    func keptAndTaken() async throws {
        let files = [random.bytes(3_000_000), random.bytes(500), random.bytes(600)]
        try await log.create(files)
        device.containers = [log.container: log.storage]
        let domains: [String: CloudBackupFixture.Tree] = [
            "AppDomain-a": files.enumerated().map { ("Documents/\($0.offset)", .file($0.element)) }
        ]
        let first = try await device.make(domains).info
        for id in 1...3 { try await log.delete(UInt128(id)) }
        clock.advance(days: 60)
        try await log.touch()
        _ = try await collector.run()
        #expect(try await device.contents(of: first) == CloudBackupFixture.contents(domains))
        // The next one builds on it, and is all that is left.
        let second = try await device.make(domains)
        #expect(second.report.sentBytes == 0)
        #expect(try await device.backups.prune(.newest(1), newest: second.info) == 1)
        clock.advance(days: 60)
        _ = try await collector.run()
        #expect(try await device.contents(of: second.info) == CloudBackupFixture.contents(domains))
        clock.advance(days: 1)
        let third = try await device.make(["AppDomain-a": [("Documents/x", .file([1]))]])
        _ = try await device.backups.prune(.newest(1), newest: third.info)
        let report = try await collector.run()
        #expect(report.deletedBytes > 3_000_000)
        #expect(try await device.contents(of: third.info) == ["AppDomain-a/Documents/x": [1]])
    }

    @Test("a snapshot that cannot be read ends the run before anything goes", arguments: 0..<4)
    func unreadable(kind: Int) async throws {
        let info = try await device.make(["AppDomain-a": [("a", .file(random.bytes(900_000)))]]).info
        let root = try await device.backups.root(of: info)
        let bytes = random.bytes(200_000)
        let plan = try await log.writer.plan(ContentFixture.cut([bytes], account), known: [:])
        _ = try await log.writer.send(plan, from: ContentFixture.Files([bytes]))
        clock.advance(days: 30)
        switch kind {
        case 0: _ = try await store.put([1, 2, 3], at: info.key)
        case 1:
            let bytes = try #require(try await store.get(info.key).value).bytes
            _ = try await store.put(Array(bytes.dropLast()), at: info.key)
        case 2:
            let list = root.domains[0].list.chunks[0].chunk
            _ = try await store.delete(account.layout.object(of: list.hash, at: list.locator))
        default: store.spoil { if case .get(info.key) = $0 { .hide } else { nil } }
        }
        await #expect(throws: CollectionError.self) { try await collector.run() }
        let deletes = store.requests.filter { if case .delete = $0 { true } else { false } }
        #expect(deletes.count == (kind == 2 ? 1 : 0))
        // A check goes on: what else is damaged is found, and can be sent again.
        let found = try await AccountCheck(
            account, writer: log.writer, logs: SyncedLogs.fresh(account, clock)
        ).run(sample: 9)
        #expect(found.unreadable.count == 1, "\(found)")
        #expect(found.damaged.count == (kind == 2 ? 1 : 0))
        #expect(try await store.head(account.layout.object(plan.uploads[0].name)).value != nil)
    }

    @Test("a check tells of what a snapshot lacks, and the next snapshot has it again")
    func checked() async throws {
        let domains: [String: CloudBackupFixture.Tree] = [
            "AppDomain-a": [("a", .file(random.bytes(900_000)))]
        ]
        let info = try await device.make(domains).info
        let check = AccountCheck(account, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
        #expect(try await check.run(sample: 9).damaged.isEmpty)
        let list = try await device.backups.root(of: info).domains[0]
        guard case .file(let content) = try await device.records(of: list)[0].content else { return }
        let chunk = content.chunks[0].chunk
        _ = try await store.delete(account.layout.object(of: chunk.hash, at: chunk.locator))
        let found = try await check.run(sample: 9)
        #expect(found.damaged.map(\.chunk.hash) == [chunk.hash] && found.damaged[0].container == nil)
        #expect(try await check.repair(found.damaged) { _ in nil }.relocations.isEmpty)
        clock.advance(days: 0.1)
        let next = try await device.make(domains).info
        #expect(try await device.contents(of: next) == CloudBackupFixture.contents(domains))
    }

    @Test("a snapshot that is pruned while the collector reads is no trouble, and its successor is seen")
    func prunedMeanwhile() async throws {
        let files = random.bytes(2_000_000)
        let domains: [String: CloudBackupFixture.Tree] = ["AppDomain-a": [("a", .file(files))]]
        let first = try await device.make(domains).info
        clock.advance(days: 30)
        let (device, once) = (device, LostOnce())
        let racing = RacingStore(base: store) { key in
            guard key == first.key, once.first(key) else { return }
            let second = try? await device.make(domains).info
            if let second { _ = try? await device.backups.prune(.newest(1), newest: second) }
        }
        let account = Account(store: racing, format: account.format)
        let report = try await Collector(
            account, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(account, clock)
        )
        .run()
        #expect(report.deletedObjects == 0)
        let left = try await device.backups.list()
        #expect(left.count == 1 && left[0] != first)
        #expect(try await device.contents(of: left[0]) == CloudBackupFixture.contents(domains))
    }
}

/// Does something before a GET.
private struct RacingStore: ObjectStore {
    let base: SpoiledStore
    let beforeGet: @Sendable (ObjectKey) async -> Void

    init(base: SpoiledStore, beforeGet: @escaping @Sendable (ObjectKey) async -> Void) {
        (self.base, self.beforeGet) = (base, beforeGet)
    }

    var traits: StoreTraits { base.traits }
    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        try await base.putIfAbsent(bytes, at: key)
    }
    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await base.put(bytes, at: key)
    }
    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        await beforeGet(key)
        return try await base.get(key, range: range)
    }
    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> { try await base.head(key) }
    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await base.list(prefix, after: after, limit: limit)
    }
    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> { try await base.delete(key) }
}
