import CloudStore
import StoreBasics
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("Bytes go up once, to a new place")
struct ContentWriterTests {
    let clock = ContentFixture.Clock()
    let random = ContentFixture.Random(1)
    let store: SpoiledStore
    let account: Account
    let writer: ContentWriter
    let reader: ContentReader

    init() async throws {
        let clock = clock
        store = SpoiledStore(MemoryStore { clock.storeTime })
        account = try await Account.open(store, randomness: random)
        writer = ContentWriter(account, clock: clock, randomness: random)
        reader = ContentReader(account)
        store.forget()
    }

    private func upload(_ files: [[UInt8]], known: [ContentHash: KnownChunk] = [:]) async throws
        -> (plan: ContentPlan, sent: SentContent)
    {
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: known)
        return (plan, try await writer.send(plan, from: ContentFixture.Files(files)))
    }

    private func download(_ content: FileContent) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await reader.download(try LocatedContent(content)) { bytes += $0 }
        return bytes
    }

    private func known(_ plan: ContentPlan, since: StoreTime?) -> [ContentHash: KnownChunk] {
        let chunks = plan.contents.flatMap(\.chunks)
        return Dictionary(
            chunks.map { ($0.hash, KnownChunk(locator: $0.locator, referencedSince: since)) },
            uniquingKeysWith: { $1 })
    }

    @Test("what went up comes down the same, small, large and empty")
    func roundTrip() async throws {
        let files = [[], [7], random.bytes(300_000), random.bytes(9_000_000), random.bytes(20)]
        let (plan, sent) = try await upload(files)
        #expect(sent.stale.isEmpty)
        for (file, content) in zip(files, plan.contents) {
            #expect(try await download(content) == file)
        }
    }

    @Test("ten thousand small files go up in few requests")
    func manySmallFiles() async throws {
        let files = (0..<10_000).map { _ in random.bytes(100 + random.below(2_000)) }
        let (plan, _) = try await upload(files)
        let bytes = files.reduce(0) { $0 + $1.count }
        #expect(store.puts <= bytes / ContentSizes().packBytes + 1)
        #expect(try await download(plan.contents[5_000]) == files[5_000])
    }

    @Test("the same bytes twice in a batch go up once")
    func duplicates() async throws {
        let file = random.bytes(3_000_000)
        _ = try await upload([file, file])
        #expect(store.putBytes == file.count)
    }

    @Test("a young chunk that a HEAD finds does not go up again")
    func youngIsPresent() async throws {
        let file = random.bytes(2_000_000)
        let first = try await upload([file]).plan
        clock.advance(days: 3)
        let second = try await upload([file], known: known(first, since: nil)).plan
        #expect(second.uploads.isEmpty)
        #expect(second.contents == first.contents)
    }

    @Test("between G/2 and G of reference it goes up again, to a new place")
    func middleAgedIsSentAgain() async throws {
        let file = random.bytes(2_000_000)
        let first = try await upload([file]).plan
        let since = clock.storeTime
        clock.advance(days: 4)
        let second = try await upload([file], known: known(first, since: since)).plan
        #expect(second.uploads.map(\.sizeBytes).reduce(0, +) == file.count)
        #expect(
            Set(second.contents[0].chunks.map(\.locator))
                .isDisjoint(with: first.contents[0].chunks.map(\.locator)))
    }

    @Test("what the tree referenced for G is present, history only with more than G left")
    func oldIsPresent() async throws {
        let file = random.bytes(300_000)
        let first = try await upload([file]).plan
        let since = clock.storeTime
        clock.advance(days: 8)
        var known = known(first, since: since)
        #expect(try await upload([file], known: known).plan.uploads.isEmpty)
        for hash in known.keys { known[hash]?.referencedUntil = clock.storeTime.adding(seconds: 6 * 86_400) }
        #expect(try await !upload([file], known: known).plan.uploads.isEmpty)
    }

    @Test("what the tree references and nobody finds goes up again")
    func missingIsSentAgain() async throws {
        let file = random.bytes(300_000)
        let first = try await upload([file]).plan
        let since = clock.storeTime
        clock.advance(days: 8)
        store.spoil { if case .head = $0 { .hide } else { nil } }
        #expect(try await !upload([file], known: known(first, since: since)).plan.uploads.isEmpty)
    }

    @Test("a lost reply is no second object and no failure")
    func lostReply() async throws {
        let file = random.bytes(2_500_000)
        let lost = LostOnce()
        store.spoil { if case .putIfAbsent(let key, _) = $0, lost.first(key) { .lose } else { nil } }
        let (plan, sent) = try await upload([file])
        #expect(sent.stale.isEmpty)
        #expect(try await download(plan.contents[0]) == file)
        let there = try await store.list(StoreLayout.chunkPrefix, after: nil, limit: 1_000).value.objects
        #expect(there.count == plan.uploads.count)
    }

    @Test("what lies under our own key and is no object of ours is told, not believed")
    func occupied() async throws {
        let files = [random.bytes(300_000)]
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: [:])
        let key = account.layout.object(plan.uploads[0].name)
        _ = try await store.put([1], at: key)
        await #expect(throws: ContentError.occupied(key)) {
            try await writer.send(plan, from: ContentFixture.Files(files))
        }
    }

    @Test("a file that changed since it was planned is not sent")
    func changedFile() async throws {
        let files = [random.bytes(2_000_000)]
        let source = ContentFixture.Files(files)
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: [:])
        source[0][10] ^= 1
        await #expect(throws: ContentError.changed) { try await writer.send(plan, from: source) }
    }

    @Test("of a file that was flagged before its upload nothing is in the store")
    func forbiddenFile() async throws {
        let files = [random.bytes(2_000_000), random.bytes(10), random.bytes(11)]
        let source = ContentFixture.Files(files)
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: [:])
        for file in files.indices { source.forbid(file) }
        await #expect(throws: ContentError.changed) { try await writer.send(plan, from: source) }
        #expect(store.puts == 0)
    }

    @Test("a batch whose bytes are too old is healed under new places")
    func healing() async throws {
        let files = [random.bytes(3_000_000), random.bytes(100), random.bytes(200)]
        let plan = try await upload(files).plan
        clock.advance(days: 5)
        let chunks = plan.contents.flatMap(\.chunks)
        let found = try await writer.check(chunks, known: [:])
        #expect(Set(found.stale) == Set(chunks.map(\.hash)))
        let healing = writer.healing(found.stale, of: ContentFixture.cut(files, account))
        #expect(try await writer.send(healing, from: ContentFixture.Files(files)).stale.isEmpty)
        #expect(Set(healing.relocations.map(\.chunk)) == Set(found.stale))
        #expect(Set(healing.uploads.map(\.name)).isDisjoint(with: plan.uploads.map(\.name)))
    }

    @Test("checks count for G/4 by the store's clock, and by ours where it was suspended")
    func checksExpire() async throws {
        let checks = try await upload([random.bytes(10)]).sent.checks
        let (date, now) = (clock.storeTime, clock.now())
        let retention = account.format.retention
        let quarter = retention.graceSeconds / 4
        #expect(checks.hold(at: date.adding(seconds: quarter), clock: now, retention))
        #expect(!checks.hold(at: date.adding(seconds: quarter + 1), clock: now, retention))
        let later = now + UInt64(quarter + 2) * 1_000_000_000
        #expect(!checks.hold(at: date, clock: later, retention))
        let careless = SafetyRules(removed: [.checksExpire])
        #expect(checks.hold(at: date, clock: later, retention, careless))
    }
}
