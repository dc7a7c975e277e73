import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync

/// When a log that is only looked at is read on.
struct LogRefreshTests {
    private let clock = ContentFixture.Clock()
    private let store: MemoryStore
    private let spoiled: SpoiledStore
    private let writer: LogDevice
    /// On a thread of its own, so that a look that does not wait comes back before there is news.
    private let read: LogClient
    private let refresh: LogRefresh
    private let troubles = Lock(0)

    init() async throws {
        let format = LogFixture.format()
        store = LogFixture.store(clock)
        spoiled = SpoiledStore(store)
        writer = try LogDevice(store, format, clock: clock, seed: 1)
        read = LogClient(
            name: .container(ContainerName(bits: 1)), app: nil,
            account: Account(store: spoiled, format: format), storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: spoiled, clock: clock, randomness: ContentFixture.Random(2),
                executor: try EngineThread(), events: SilentSink()))
        try read.open()
        refresh = LogRefresh(read)
    }

    @Test func aLookSoonAfterTheLastAsksTheStoreNothing() async throws {
        try await writer.commit("A", file: 1)
        let before = spoiled.requests
        look(after: 5)
        #expect(spoiled.requests == before)
        #expect(try names() == [])
    }

    @Test func aLaterLookBeginsToReadAndTheNextOneFindsTheNews() async throws {
        try await writer.commit("A", file: 1)
        look(after: 6)
        #expect(try eventually { try names() == ["A"] })
    }

    @Test func theFirstLookAfterALongRestFindsTheNewsItself() async throws {
        try await writer.commit("A", file: 1)
        look(after: 31)
        #expect(try names() == ["A"])
        try await writer.commit("B", file: 2)
        look(after: 3600)
        #expect(try names() == ["A", "B"])
    }

    private func look(after seconds: UInt64) {
        clock.pass(seconds * 1_000_000_000)
        refresh.look { _ in troubles.withLock { $0 += 1 } }
    }

    private func names() throws -> [String] {
        try read.storage.read { try $0.children(of: .root).map(\.name) }
    }
}
