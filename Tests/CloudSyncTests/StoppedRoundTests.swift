import CloudStore
import Posix
import Testing

@testable import CloudSync

/// An app that stops syncing, as an unmount has it, while the store says nothing.
@Suite(.timeLimit(.minutes(2))) struct StoppedRoundTests {
    @Test(arguments: [false, true])
    func aRoundThatASilentStoreHoldsEndsAtOnceAndItsBatchIsThereOnceAfterwards(isMade: Bool) async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let executor = try EngineThread(yields: false)
        let one = await EngineDevice(store, clock, executor, seed: 1)
        one.disk.write("first", to: "a")
        #expect(await one.sync().isUpToDate)
        let before = await one.status.cursor
        let (asked, ask) = AsyncStream<Void>.makeStream()
        store.spoil { request in
            guard case .putIfAbsent(let key, _) = request, key.text.contains("/log/") else { return nil }
            ask.yield()
            return .silence(isMade: isMade)
        }
        one.disk.write("second", to: "a")
        let engine = one.engine
        let round = Task { await engine.syncOnce(EngineDevice.app) }
        for await _ in asked { break }
        await engine.remove(EngineDevice.app)
        #expect(await !round.value.isUpToDate)
        store.heal()
        await one.restart()
        #expect(await one.sync().isUpToDate)
        #expect(await one.status.cursor == before + 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents == ["a": "second"])
        #expect(await two.status.conflicts == 0)
    }

    /// Later somebody may write to it by a name that is flagged, and remove that: nothing tells then that the
    /// bytes are to stay.
    @Test(arguments: [false, true])
    func whatWasDisplacedGoesThoughTheStoreGoesAway(killed: Bool) async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let executor = try EngineThread(yields: false)
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.write("text", to: "a")
        _ = await convergeAll([one, two])
        one.disk.delete("a")
        await one.sync()
        two.disk.isStagingBusy = true
        await two.sync()
        #expect(two.disk.contents.isEmpty && two.disk.staging.count == 1)
        if killed { await two.engine.remove(EngineDevice.app) }
        two.disk.isStagingBusy = false
        store.spoil { request in
            if case .get(let key) = request, key.text.hasSuffix("/format") { return nil }
            return .refuse(.unreachable("no network"))
        }
        if killed { await two.restart() }
        await two.sync()
        #expect(two.disk.staging.isEmpty)
    }
}
