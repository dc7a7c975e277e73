import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("Bytes that come down are those that went up, or none")
struct ContentReaderTests {
    let clock = ContentFixture.Clock()
    let random = ContentFixture.Random(51)
    let store: SpoiledStore
    let account: Account
    let reader: ContentReader

    init() async throws {
        let clock = clock
        store = SpoiledStore(MemoryStore { clock.storeTime })
        account = try await Account.open(store, randomness: random)
        reader = ContentReader(account)
    }

    private func upload(_ files: [[UInt8]]) async throws -> [FileContent] {
        let writer = ContentWriter(account, clock: clock, randomness: random)
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: [:])
        _ = try await writer.send(plan, from: ContentFixture.Files(files))
        store.forget()
        return plan.contents
    }

    @Test("a range gets only the chunks that have it, once")
    func ranges() async throws {
        let file = random.bytes(5_000_000)
        let content = try LocatedContent(try await upload([file])[0])
        #expect(content.chunks.count > 3)
        for _ in 0..<4 {
            let start = 1_000_000 + random.below(10_000)
            let bytes = try await reader.read(content, at: UInt64(start), count: 3_000)
            #expect(bytes == Array(file[start..<start + 3_000]))
        }
        #expect(store.gets <= 2)
        #expect(try await reader.read(content, at: 4_999_990, count: 100) == Array(file.suffix(10)))
        #expect(try await reader.read(content, at: 5_000_000, count: 100).isEmpty)
        #expect(try await reader.read(content, at: .max, count: .max).isEmpty)
        #expect(try await reader.read(content, at: 0, count: .max) == file)
    }

    @Test("wrong bytes are an error and never handed on", arguments: [100, 600_000])
    func wrongBytes(size: Int) async throws {
        let content = try await upload([random.bytes(size), random.bytes(10)])[0]
        store.spoil { if case .get = $0 { .change } else { nil } }
        let hash = content.chunks[0].hash
        await #expect(throws: ContentError.wrongBytes(hash)) {
            try await reader.read(try LocatedContent(content), at: 0, count: 1)
        }
        await #expect(throws: ContentError.wrongBytes(hash)) {
            try await reader.download(try LocatedContent(content)) { _ in Issue.record("handed on") }
        }
    }

    @Test("where it is gone it is got from the place before, and else told as unavailable")
    func fallback() async throws {
        let file = random.bytes(300_000)
        let content = try await upload([file])[0]
        let chunk = content.chunks[0]
        var located = LocatedChunk(chunk)
        located.locators = [.object(1), .pack(Bits128(2), offset: 3)] + located.locators
        #expect(try await reader.bytes(of: located) == Array(file.prefix(Int(chunk.sizeBytes))))
        located.locators.removeLast()
        await #expect(throws: ContentError.unavailable(chunk.hash)) { try await reader.bytes(of: located) }
    }

    @Test("many small files of one pack come with few requests, in the order asked for")
    func manySmall() async throws {
        let files = (0..<500).map { _ in random.bytes(1 + random.below(3_000)) }
        let contents = try await upload(files)
        var order = Array(files.indices)
        for index in order.indices { order.swapAt(index, random.below(order.count)) }
        let bytes = try await reader.bytes(of: order.map { LocatedChunk(contents[$0].chunks[0]) })
        #expect(bytes == order.map { files[$0] })
        #expect(store.gets == 1)
    }

    @Test("one damaged part of a pack does not spoil the others")
    func damagedPack() async throws {
        let files = (0..<5).map { _ in random.bytes(1_000) }
        let contents = try await upload(files)
        var chunks = contents.map { LocatedChunk($0.chunks[0]) }
        #expect(try await reader.bytes(of: Array(chunks.prefix(4))) == Array(files.prefix(4)))
        // A place past the pack's end, as a hostile commit may say.
        if case .pack(let id, _) = chunks[4].locators[0] { chunks[4].locators = [.pack(id, offset: .max)] }
        await #expect(throws: ContentError.wrongBytes(chunks[4].hash)) { try await reader.bytes(of: chunks) }
    }

    @Test("a file whose chunks are right and whose hash is another's is told")
    func wrongFile() async throws {
        var content = try await upload([random.bytes(1_000)])[0]
        content.hash = ContentHash(of: [1])
        let located = try LocatedContent(content)
        await #expect(throws: ContentError.wrongFile(content.hash)) {
            try await reader.download(located) { _ in }
        }
    }

    @Test("sizes that do not add up, empty chunks and giants are refused before anything is got")
    func malformed() {
        let hash = ContentHash(of: [])
        for sizes in [[0], [1, 2], [5 << 20], [UInt32.max, UInt32.max]] as [[UInt32]] {
            let chunks = sizes.map { LocatedChunk(hash: hash, sizeBytes: $0, locators: [.object(1)]) }
            #expect(throws: ContentError.self) {
                try LocatedContent(hash: hash, sizeBytes: 7, chunks: chunks)
            }
        }
    }

    @Test("a limited rate takes the time that it says, and a second's worth is free")
    func rate() async throws {
        let limit = RateLimit(clock: clock, bytesPerSecond: 1_000)
        let start = clock.now()
        try await limit.take(1_000)
        #expect(clock.now() == start)
        for _ in 0..<10 { try await limit.take(1_000) }
        #expect((9...10).contains((clock.now() - start) / 1_000_000_000))
        limit.set(bytesPerSecond: nil)
        let free = clock.now()
        for _ in 0..<10 { try await limit.take(1 << 30) }
        #expect(clock.now() == free)
    }

    @Test("a rate that changes counts for what waits already")
    func changedRate() async throws {
        let slow = ChangingClock(clock)
        let limit = RateLimit(clock: slow, bytesPerSecond: 1)
        try await limit.take(1_000_000)
        slow.onSleep { limit.set(bytesPerSecond: 0) }
        let start = clock.now()
        try await limit.take(1)
        #expect(clock.now() <= start + 1_100_000_000)
    }

    @Test("in flight are no more requests than the store wants, and no more bytes than may be held")
    func bounds() async throws {
        let counter = InFlight()
        let parallelism = Parallelism(requests: 4, bytes: 100)
        let weight = { @Sendable (item: Int) in item % 7 * 10 }
        let outputs = try await parallelism.map(Array(0..<60), bytes: weight) {
            item async throws(ContentError) -> Int in
            await counter.enter(weight(item))
            for _ in 0..<5 { await Task.yield() }
            await counter.leave(weight(item))
            return item
        }
        #expect(outputs == Array(0..<60))
        let (most, mostBytes) = await (counter.most, counter.mostBytes)
        #expect(most <= 4 && mostBytes <= 100)
        await #expect(throws: ContentError.changed) {
            try await parallelism.map(Array(0..<60)) { item async throws(ContentError) in
                if item == 9 { throw .changed }
                #expect(item < 20)
            }
        }
    }

    private actor InFlight {
        private var now = 0
        private var bytes = 0
        private(set) var most = 0
        private(set) var mostBytes = 0

        func enter(_ weight: Int) {
            (now, bytes) = (now + 1, bytes + weight)
            (most, mostBytes) = (max(most, now), max(mostBytes, bytes))
        }

        func leave(_ weight: Int) { (now, bytes) = (now - 1, bytes - weight) }
    }
}

/// A clock on which something happens while somebody sleeps.
private final class ChangingClock: SyncClock {
    private let base: ContentFixture.Clock
    private let action = Lock<(@Sendable () -> Void)?>(nil)

    init(_ base: ContentFixture.Clock) { self.base = base }

    func onSleep(_ body: @escaping @Sendable () -> Void) { action.withLock { $0 = body } }
    func now() -> UInt64 { base.now() }
    func wallTime() -> Int64 { base.wallTime() }
    func sleep(until moment: UInt64) async throws {
        try await base.sleep(until: moment)
        action.withLock { $0 }?()
    }
}
