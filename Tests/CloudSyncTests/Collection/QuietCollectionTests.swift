import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent

/// The collector as the engine runs it: by itself, at most once a day, and slowly.
struct QuietCollectionTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread()
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func device(_ seed: UInt64) async -> EngineDevice {
        await EngineDevice(store, clock, executor, seed: seed)
    }

    /// Bytes that no log names.
    private func orphan() async throws -> ObjectKey {
        let key = try #require(ObjectKey("v1/p/07/00000000000000000000000000000007"))
        _ = try await store.putIfAbsent([1, 2, 3], at: key)
        return key
    }

    @Test func whatNothingNeedsGoesByItself() async throws {
        let one = await device(1)
        one.disk.write("kept", to: "a")
        await one.sync()
        let key = try await orphan()
        clock.advance(days: 8)
        await one.sync()
        #expect(await one.engine.collectIfNeeded())
        #expect(try await store.head(key).value == nil)
        #expect(try await one.engine.check(sample: 10).damaged.isEmpty)
    }

    @Test func whereNothingWasDoneSinceNothingIsAsked() async throws {
        let one = await device(1)
        one.disk.write("1", to: "a")
        await one.sync()
        #expect(await one.engine.collectIfNeeded())
        clock.advance(days: 2)
        store.forget()
        #expect(await one.engine.collectIfNeeded())
        #expect(store.requests.isEmpty)
        one.disk.write("2", to: "a")
        await one.sync()
        store.forget()
        #expect(await one.engine.collectIfNeeded())
        #expect(store.requests.contains(.list(StoreLayout.chunkPrefix)))
    }

    @Test func oneDeviceADayDoesIt() async throws {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("1", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        #expect(await one.engine.collectIfNeeded())
        store.forget()
        #expect(await two.engine.collectIfNeeded())
        #expect(store.requests == [.list(StoreLayout.collectionPrefix)])
    }

    @Test func aStoreThatIsAwayIsNotAsked() async throws {
        let one = await device(1)
        one.disk.write("1", to: "a")
        await one.sync()
        store.spoil { _ in .refuse(.unreachable("no route")) }
        one.disk.write("2", to: "a")
        await one.sync()
        store.forget()
        #expect(await !one.engine.collectIfNeeded())
        #expect(store.requests.isEmpty)
    }

    @Test func itsRequestsAreAMinuteApartAtFirstAndEndWithinADay() async throws {
        let minute: UInt64 = 60_000_000_000
        let paced: any ObjectStore = PacedStore(store, clock: clock, firstPause: minute, limit: 11)
        #expect(paced.traits.parallelRequests == 1)
        let start = clock.now()
        for _ in 0..<11 { _ = try await paced.head(StoreLayout.format) }
        #expect(clock.now() - start == 10 * minute)
        await #expect(throws: StoreError.self) { try await paced.head(StoreLayout.format) }
        let pauses = (0..<PacedStore.requestLimit).map { PacedStore.pause(after: $0, first: minute) }
        #expect(pauses.reduce(0, +) < 24 * 60 * minute)
        #expect(pauses.last == 0)
    }
}
