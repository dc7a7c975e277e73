import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// The collector as the engine runs it: by itself, at most once a day, and slowly.
struct QuietCollectionTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
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
        let record = ObjectKey(wellFormed: "v1/gc/00000000000000000001.ended")
        #expect(store.requests == [.list(StoreLayout.collectionPrefix), .get(record)])
    }

    @Test func whatWasTooYoungIsLookedAtAgainWhenItIsNot() async throws {
        let one = await device(1)
        one.disk.write("1", to: "a")
        await one.sync()
        clock.advance(days: 3)
        let key = try await orphan()
        #expect(await one.engine.collectIfNeeded())
        clock.advance(days: 6)
        store.forget()
        #expect(await one.engine.collectIfNeeded())
        #expect(store.requests.isEmpty)
        clock.advance(days: 2)
        #expect(await one.engine.collectIfNeeded())
        #expect(try await store.head(key).value == nil)
    }

    /// A device that was asleep for long told of a place which a collector had cleared meanwhile.
    @Test func whatMovedToAPlaceThatIsLostIsMovedBack() async throws {
        let one = await device(1)
        one.disk.write("kept", to: "a")
        await one.sync()
        let hash = ContentHash(of: Array("kept".utf8))
        for container in await one.engine.sortedContainers {
            try await container.commit([Relocation(chunk: hash, locator: .object(99))])
        }
        #expect(try await one.engine.check(sample: 10).damaged.count == 1)
        clock.advance(days: 8)
        await one.sync()
        _ = try await one.engine.collect()
        #expect(try await one.engine.check(sample: 10).damaged.isEmpty)
    }

    /// What was seen in the store too long ago to count says nothing.
    @Test func aMoveThatWasCheckedTooLongAgoIsNotTold() async throws {
        let one = await device(1)
        one.disk.write("kept", to: "a")
        await one.sync()
        var checks = PresenceChecks()
        checks.insert(
            .chunk(Bits128(1), 99), at: StoreMoment(date: clock.storeTime, clock: clock.now()))
        clock.advance(days: 2)
        let move = Relocation(chunk: ContentHash(of: Array("kept".utf8)), locator: .object(99))
        for container in await one.engine.sortedContainers { try await container.commit([move], checks) }
        #expect(try await one.engine.check(sample: 10).damaged.isEmpty)
    }

    @Test func aRunThatFailsIsTriedAgainAndKeepsNobodyBackForLong() async throws {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("1", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        let key = try await orphan()
        clock.advance(days: 8)
        store.spoil { if case .delete = $0 { .refuse(.unreachable("no route")) } else { nil } }
        #expect(await !one.engine.collectIfNeeded())
        #expect(one.engine.shownUpkeep.trouble != nil)
        #expect(await !two.engine.collectIfNeeded())
        store.heal()
        // It goes on with its own run at once; the other one would wait for hours.
        #expect(await one.engine.collectIfNeeded())
        #expect(try await store.head(key).value == nil)
        #expect(one.engine.shownUpkeep.trouble == nil)
        #expect(one.engine.shownUpkeep.lastCollection?.deletedObjects == 1)
        #expect(await two.engine.collectIfNeeded())
        #expect(two.engine.shownUpkeep.lastCollection == one.engine.shownUpkeep.lastCollection)
    }

    /// A device that takes part in an app's log has read each entry; one that joined by a snapshot reads what
    /// lies before it, and an app that it lacks, once.
    @Test func eachEntryIsReadOnce() async throws {
        let (one, two) = (await device(1), await device(2))
        for number in 0..<30 {
            one.disk.write("\(number)", to: LocalPath(["a\(number)"]))
            await one.sync()
        }
        _ = try await one.engine.collect()
        store.forget()
        _ = try await one.engine.collect()
        #expect(logGets().count == 1)
        await two.engine.remove(EngineDevice.app)
        _ = try await two.engine.collect()
        #expect(Set(logGets()).count >= 30)
        store.forget()
        _ = try await two.engine.collect()
        #expect(logGets().count < 3)
        #expect(try await one.engine.check(sample: 10).damaged.isEmpty)
    }

    /// Entries of apps that were asked for, the empty slot behind them too.
    private func logGets() -> [ObjectKey] {
        store.requests.compactMap { request in
            if case .get(let key) = request, key.text.hasPrefix("v1/a/"), key.text.contains("/log/") {
                return key
            }
            return nil
        }
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
        let paced: any ObjectStore = PacedStore(store, clock: clock, firstPause: minute)
        #expect(paced.traits.parallelRequests == 1)
        let start = clock.now()
        for _ in 0..<11 { _ = try await paced.head(StoreLayout.format) }
        #expect(clock.now() - start == 10 * minute)
        let pauses = (0..<1_000_000).map { PacedStore.pause(after: $0, first: minute) }
        #expect(pauses.reduce(0, +) < 24 * 60 * minute)
        #expect(pauses.last == 0)
    }
}
