import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// When a log that is only looked at is read on.
struct LogRefreshTests {
    private let site: Site

    init() throws { site = try Site() }

    @Test func aLookReadsOnWhereThatWasDoneMoreThanFiveSecondsAgo() async throws {
        let log = try site.reader(on: LogFixture.executor)
        try await site.writer.commit("A", file: 1)
        site.look(at: log, after: 5)
        #expect(site.store.requests == [])
        site.look(at: log, after: 1)
        #expect(try log.names == ["A"])
    }

    @Test func theFirstLookAfterALongRestWaitsForTheNews() async throws {
        let log = try site.reader(on: try EngineThread(yields: false))
        for (index, name) in ["A", "B", "C"].enumerated() {
            try await site.writer.commit(name, file: UInt64(index) + 1)
            site.look(at: log, after: 31)
            #expect(try log.names.last == name)
        }
    }

    @Test func aStoreThatIsAwayLeavesWhatIsKnown() async throws {
        let log = try site.reader(on: LogFixture.executor)
        try await site.writer.commit("A", file: 1)
        site.look(at: log, after: 6)
        try await site.writer.commit("B", file: 2)
        site.store.spoil { _ in .refuse(.unreachable("away")) }
        site.look(at: log, after: 60)
        #expect(site.troubles.withLock { $0 } == [.storeAway("away")])
        #expect(try log.names == ["A"])
        site.store.heal()
        site.look(at: log, after: 6)
        #expect(try log.names == ["A", "B"])
    }
}

/// A log that one device writes, and somebody looks at.
private struct Site {
    let clock = ContentFixture.Clock()
    let store: SpoiledStore
    let writer: LogDevice
    let troubles = Lock<[SyncTrouble]>([])
    private let format = LogFixture.format()

    struct Reader {
        let log: LogClient
        let refresh: LogRefresh
        var names: [String] {
            get throws { try log.storage.read { try $0.children(of: .root).map(\.name) } }
        }
    }

    init() throws {
        let base = LogFixture.store(clock)
        store = SpoiledStore(base)
        writer = try LogDevice(base, format, clock: clock, seed: 1)
    }

    func reader(on executor: any EngineExecutor) throws -> Reader {
        let log = LogClient(
            name: .container(ContainerName(bits: 1)), app: nil,
            account: Account(store: store, format: format), storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: store, clock: clock, randomness: ContentFixture.Random(2), executor: executor,
                events: SilentSink()))
        try log.open()
        return Reader(log: log, refresh: LogRefresh(log))
    }

    func look(at reader: Reader, after seconds: UInt64) {
        clock.pass(seconds * 1_000_000_000)
        let troubles = troubles
        reader.refresh.look { trouble in troubles.withLock { $0.append(trouble) } }
    }
}
