import CloudStore
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("The collector takes what nobody needs, and nothing else")
final class CollectorTests: AccountFixture {
    init() async throws { try await super.init(seed: 41) }

    private var collector: Collector {
        Collector(account, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
    }

    private func orphan(_ bytes: [UInt8]) async throws -> ObjectKey {
        let plan = try await log.writer.plan(ContentFixture.cut([bytes], account), known: [:])
        _ = try await log.writer.send(plan, from: ContentFixture.Files([bytes]))
        return account.layout.object(plan.uploads[0].name)
    }

    @Test("orphans go after G, not before; what is live, history, pages and spilled lists stay")
    func orphans() async throws {
        try await log.create([random.bytes(600_000), random.bytes(10), random.bytes(20)])
        try await log.create([random.bytes(1_000)], from: 50)
        try await log.touch(spill: true)
        _ = try await log.snapshot()
        try await log.delete(1)
        let needed = try await chunkKeys()
        let orphan = try await orphan(random.bytes(5_000))
        clock.advance(days: 6.9)
        #expect(try await collector.run().deletedObjects == 0)
        clock.advance(days: 0.2)
        let report = try await collector.run()
        #expect(report.deletedObjects == 1 && report.deletedBytes == 5_000)
        #expect(try await chunkKeys() == needed)
        #expect(try await store.head(orphan).value == nil)
    }

    @Test("what lies in many parts of the store is collected as what lies in one", arguments: [1, 3, 1000])
    func parts(objects: Int) async throws {
        try await log.create([random.bytes(600_000), random.bytes(10)])
        let needed = try await chunkKeys()
        for _ in 0..<20 {
            let (name, random) = (random.identifier(), random.next())
            for lost in [StoredName.pack(Bits128(name)), .chunk(Bits128(name), random)] {
                _ = try await store.putIfAbsent([1, 2], at: account.layout.object(lost))
            }
        }
        clock.advance(days: 8)
        let report = try await Collector(
            account, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(account, clock),
            objectsInPart: objects
        ).run()
        #expect(report.deletedObjects == 40 && report.keptObjects == needed.count && !report.ranOut)
        #expect(try await chunkKeys() == needed)
    }

    @Test("where nothing may change, a run tells what the next one deletes, and deletes and writes nothing")
    func unchanged() async throws {
        let orphan = try await orphan(random.bytes(5_000))
        clock.advance(days: 8)
        let before = try await store.listAll("").value
        let quiet = Account(store: UnchangedStore(store), format: account.format)
        let told = try await Collector(
            quiet, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(quiet, clock)
        ).run()
        #expect(told.deleted.map(\.key) == [orphan] && told.deletedBytes == 5_000)
        #expect(try await store.listAll("").value == before)
        #expect(try await collector.run().deleted == told.deleted)
    }

    @Test("history goes when its retention has ended")
    func history() async throws {
        try await log.create([random.bytes(600_000)])
        try await log.delete(1)
        clock.advance(days: 31)
        // Replay's clock is the log's.
        try await log.touch()
        let report = try await collector.run()
        #expect(report.keptObjects == 0 && report.deletedObjects > 0)
    }

    @Test("a root that cannot be read ends the run before anything goes", arguments: [0, 1, 2, 3, 4, 5])
    func unreadableRoots(kind: Int) async throws {
        try await log.create([random.bytes(600_000)])
        _ = try await log.snapshot()
        let orphan = try await orphan(random.bytes(300_000))
        try await log.create([random.bytes(1_000)], from: 9)
        clock.advance(days: 8)
        let entry = account.layout.logEntry(log.log, 2)
        switch kind {
        case 0: store.spoil { if case .get(entry) = $0 { .refuse(.unreachable("")) } else { nil } }
        case 1: store.spoil { if case .get(entry) = $0 { .change } else { nil } }
        case 2:
            store.spoil { if case .get(let key) = $0, key.text.contains("/snap/") { .change } else { nil } }
        case 3: _ = try await store.put([1], at: ObjectKey(wellFormed: "v1/b/00/1"))
        case 4: _ = try await store.put([1], at: account.layout.floor(log.log, 99))
        default: _ = try await store.put([1], at: ObjectKey(wellFormed: "v1/a/zz/log/1"))
        }
        await #expect(throws: CollectionError.self) { try await collector.run() }
        #expect(try await store.head(orphan).value != nil)
    }

    @Test("a run that ended keeps others from theirs for a day, one that only began for hours")
    func records() async throws {
        let records = CollectionRecords(account)
        #expect(try await records.begin(isForced: false) == .begun(1))
        #expect(try await records.begin(isForced: false) == .isUnderWay)
        #expect(try await records.begin(isForced: false, own: 1) == .begun(2))
        #expect(try await records.begin(isForced: true) == .begun(3))
        clock.advance(days: 0.3)
        #expect(try await records.begin(isForced: false) == .begun(4))
        var report = Collector.Report()
        (report.deletedObjects, report.deletedBytes) = (3, 700)
        let ended = try await records.end(4, report)
        #expect(ended.deletedObjects == 3 && ended.deletedBytes == 700)
        clock.advance(days: 0.9)
        #expect(try await records.begin(isForced: false) == .isDone(ended))
        clock.advance(days: 0.2)
        #expect(try await records.begin(isForced: false) == .begun(5))
    }

    @Test("records do not pile up, and one with bytes of nobody's says nothing")
    func manyRecords() async throws {
        let records = CollectionRecords(account)
        for number in 1...40 as ClosedRange<UInt64> {
            #expect(try await records.begin(isForced: true) == .begun(number))
            try await records.end(number, Collector.Report())
        }
        #expect(try await store.listAll(StoreLayout.collectionPrefix).value.count < 20)
        _ = try await store.put([0xFF], at: account.layout.collection(40, ".ended"))
        #expect(try await records.begin(isForced: false) == .isDone(nil))
    }

    @Test("a run that was suspended after its LIST deletes nothing any more")
    func late() async throws {
        let orphan = try await orphan(random.bytes(300_000))
        clock.advance(days: 8)
        let clock = clock
        let once = LostOnce()
        store.spoil { request in
            if case .head(orphan) = request, once.first(orphan) { clock.advance(days: 2) }
            return nil
        }
        #expect(try await collector.run().ranOut == true)
        #expect(try await store.head(orphan).value != nil)
    }

    @Test("what was written anew since the LIST stays")
    func rewritten() async throws {
        let orphan = try await orphan(random.bytes(300_000))
        let found = try await store.get(orphan)
        let bytes = try #require(found.value).bytes
        clock.advance(days: 8)
        // While the roots are read somebody writes there.
        let (memory, once) = (store.base, LostOnce())
        let account = account
        let spoiled = RewritingStore(base: memory) {
            if once.first(orphan) { _ = try? await memory.put(bytes, at: orphan) }
        }
        let other = Account(store: spoiled, format: account.format)
        let collector = Collector(
            other, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(other, clock))
        #expect(try await collector.run().deletedObjects == 0)
        #expect(try await store.head(orphan).value != nil)
    }

    @Test("a replaced place stays for G, and while the new one is not found")
    func replaced() async throws {
        let (_, plan) = try await log.create([random.bytes(600)])
        let old = account.layout.object(plan.uploads[0].name)
        let chunk = plan.contents[0].chunks[0]
        let bytes = try #require(try await store.get(old).value).bytes
        let new = account.layout.object(of: chunk.hash, at: .object(99))
        clock.advance(days: 10)
        _ = try await store.put(bytes, at: new)
        try await log.commit([.relocate([Relocation(chunk: chunk.hash, locator: .object(99))])])
        clock.advance(days: 6)
        #expect(try await collector.run().deletedObjects == 0)
        _ = try await store.delete(new)
        clock.advance(days: 3)
        let report = try await collector.run()
        let back = Relocation(chunk: chunk.hash, locator: chunk.locator)
        #expect(report.deletedObjects == 0 && report.movedBack == [log.container: [back]])
        _ = try await store.put(bytes, at: new)
        #expect(try await collector.run().deletedObjects == 1)
        #expect(try await store.head(old).value == nil)
    }

    @Test("lists beside a log that was cut off to its end go with it")
    func listsOfALogThatIsGone() async throws {
        let collector = collector
        try await log.touch()
        let before = try await chunkKeys()
        try await log.touch(spill: true)
        let lists = try await chunkKeys().subtracting(before)
        #expect(lists.count == 1)
        _ = try await log.snapshot()
        clock.advance(days: 8)
        #expect(try await collector.run().deletedObjects == 0)
        clock.advance(days: 24)
        #expect(try await LogTruncation(account, log: log.log).run().deletedEntries == 2)
        #expect(try await collector.run().deleted.map(\.key) == Array(lists))
    }

    @Test("a pack more than half dead is moved, and goes when its places have aged")
    func repacking() async throws {
        let files = (0..<10).map { _ in random.bytes(1_000) }
        let (_, plan) = try await log.create(files)
        let old = account.layout.object(plan.uploads[0].name)
        for id in 1...7 as ClosedRange<UInt128> { try await log.delete(id) }
        clock.advance(days: 31)
        try await log.touch()
        let report = try await collector.run()
        #expect(report.sparsePacks.count == 1 && report.sparsePacks.first?.liveBytes == 3_000)
        let repacked = try await collector.repack(report.sparsePacks)
        let moves = try #require(repacked.relocations[log.container])
        #expect(moves.count == 3)
        try await log.commit([.relocate(moves)])
        let content = try #require(try log.content(9))
        let located = try LocatedContent(content) { hash in
            (try? log.storage.read { try $0.locators(of: hash) }) ?? []
        }
        clock.advance(days: 8)
        #expect(try await collector.run().deletedObjects == 1)
        #expect(try await store.head(old).value == nil)
        #expect(try await ContentReader(account).read(located, at: 0, count: 2_000) == files[8])
        #expect(try await collector.run().sparsePacks.isEmpty == true)
    }

    @Test("check finds what is missing and what is wrong; repair puts it elsewhere")
    func checkAndRepair() async throws {
        let files = [random.bytes(300_000), random.bytes(270_000), random.bytes(700)]
        let (_, plan) = try await log.create(files)
        let check = AccountCheck(account, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
        #expect(try await check.run(sample: 100).damaged.isEmpty)
        let gone = plan.contents[1].chunks[0]
        let small = plan.contents[2].chunks[0]
        let wrong = account.layout.object(of: small.hash, at: small.locator)
        let behind = Set(
            plan.contents.flatMap(\.chunks).filter {
                account.layout.object(of: $0.hash, at: $0.locator) == wrong
            }.map(\.hash))
        _ = try await store.delete(account.layout.object(of: gone.hash, at: gone.locator))
        store.spoil { if case .get(wrong) = $0 { .change } else { nil } }
        let report = try await check.run(sample: 100)
        #expect(report.damaged.filter { $0.damage == .missing }.map(\.chunk.hash) == [gone.hash])
        #expect(Set(report.damaged.filter { $0.damage == .wrongBytes }.map(\.chunk.hash)) == behind)
        #expect(report.damaged.allSatisfy { $0.container == log.container })
        let repaired = try await check.repair(report.damaged) { hash in
            files.first { ContentHash(of: $0) == hash }
        }
        try await log.commit([.relocate(try #require(repaired.relocations[log.container]))])
        store.heal()
        #expect(try await check.run(sample: 100).damaged.isEmpty)
    }

    @Test("usage is what the newest snapshots say, and what this device knows better")
    func usage() async throws {
        try await log.create([random.bytes(5_000), random.bytes(7_000)])
        _ = try await log.snapshot()
        let usage = try await AccountUsage.read(account)
        #expect(usage.bytes == [log.container: 12_000])
        #expect(usage.total(with: [log.container: 1, ContainerName(bits: 3): 2]) == 3)
    }

    @Test("a copy is the account, and a store with another is refused")
    func copy() async throws {
        let file = random.bytes(600_000)
        try await log.create([file, random.bytes(30)])
        _ = try await log.snapshot()
        let clock = clock
        let target = SpoiledStore(MemoryStore { clock.storeTime })
        // Cut short, then ended.
        let calls = LostOnce()
        target.spoil { if case .put = $0, calls.count() > 3 { .refuse(.unreachable("")) } else { nil } }
        await #expect(throws: CollectionError.self) { try await AccountCopy(from: store, to: target).run() }
        #expect(try await Account.existing(in: target) == nil)
        target.heal()
        let report = try await AccountCopy(from: store, to: target).run()
        #expect(report.objects == (try await store.list("", after: nil, limit: 1_000)).value.objects.count)
        let copied = try #require(try await Account.existing(in: target))
        #expect(copied.format == account.format)
        let check = AccountCheck(
            copied, writer: ContentWriter(copied, clock: clock, randomness: random),
            logs: SyncedLogs.fresh(copied, clock))
        #expect(try await check.run(sample: 10).damaged.isEmpty)
        await #expect(throws: CollectionError.notEmpty(StoreLayout.format)) {
            try await AccountCopy(from: store, to: target).run()
        }
    }
}

/// Does something before the containers are listed.
private struct RewritingStore: ObjectStore {
    let base: any ObjectStore
    let meanwhile: @Sendable () async -> Void

    var traits: StoreTraits { base.traits }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        try await base.putIfAbsent(bytes, at: key)
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
        if prefix == StoreLayout.containersPrefix { await meanwhile() }
        return try await base.list(prefix, after: after, limit: limit)
    }
    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> { try await base.delete(key) }
}
