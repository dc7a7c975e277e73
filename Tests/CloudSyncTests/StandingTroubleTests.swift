import CloudStore
import Testing

@testable import CloudSync
@testable import SyncContent

/// What is said while something keeps sync from going on, and when it is looked at again.
struct StandingTroubleTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    /// Two devices, one of which finds that the second entry of the log is missing.
    private func devicesBesideAHole() async -> (EngineDevice, EngineDevice) {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        // No poll wakes it.
        let two = await EngineDevice(
            store, clock, executor, seed: 2, settings: SyncSettings(isStoreWatched: true))
        for name in ["a", "b", "c"] {
            one.disk.write(name, to: LocalPath([name]))
            await one.sync()
            if name == "a" { await two.sync() }
        }
        await two.restart()
        store.spoil { request in
            switch request {
            case .get(let key), .head(let key):
                key.text.hasPrefix("v1/a/") && key.text.hasSuffix("/log/00000000000000000002") ? .hide : nil
            default: nil
            }
        }
        return (one, two)
    }

    @Test func aMissingEntryIsLookedForAsOftenAsHintsAndSoonAfterAPersonAsked() async throws {
        let (_, two) = await devicesBesideAHole()
        #expect(await two.sync().trouble == .logHole(2))
        for _ in 0..<20 {
            let rest = await two.engine.step()
            #expect(rest.trouble == .logHole(2))
            let wakeAt = try #require(rest.wakeAt)
            #expect(wakeAt <= clock.now() + PollSchedule.idleInterval)
            try await clock.sleep(until: wakeAt)
        }
        #expect(await two.sync().trouble == .logHole(2))
        store.heal()
        let end = clock.now() + PollSchedule.idleInterval
        while clock.now() < end, await two.status.trouble != nil {
            guard let wakeAt = await two.engine.step().wakeAt else { break }
            try await clock.sleep(until: wakeAt)
        }
        #expect(await two.status.trouble == nil)
        #expect(two.disk.contents == ["a": "a", "b": "b", "c": "c"])
    }

    @Test func whoHearsOfTheStoreWhileItWaitsForThatLooksAtOnce() async {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(
            store, clock, executor, seed: 2, settings: SyncSettings(isStoreWatched: true))
        one.disk.write("a", to: "a")
        await one.sync()
        await two.sync()
        store.spoil { _ in .refuse(.unreachable("no route")) }
        for _ in 0..<3 { await two.sync() }
        #expect(await two.status.trouble == .storeAway("no route"))
        store.heal()
        one.disk.write("b", to: "b")
        await one.sync()
        _ = await two.engine.step()
        #expect(two.disk.contents == ["a": "a"])
        await two.engine.storeIsThere()
        _ = await two.engine.step()
        #expect(two.disk.contents == ["a": "a", "b": "b"])
    }

    @Test func aFullStoreIsNotAskedAtOnceForWhatIsHeardOfIt() async {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        one.disk.write("a", to: "a")
        await one.sync()
        store.spoil { request in
            switch request {
            case .put, .putIfAbsent: .refuse(.full("no space"))
            default: nil
            }
        }
        one.disk.write("b", to: "b")
        #expect(await one.sync().trouble == .storeFull("no space"))
        store.heal()
        await one.engine.storeIsThere()
        #expect(await one.engine.step().trouble == .storeFull("no space"))
    }

    @Test func whatWasNotLookedThroughYetIsNoFile() async {
        let (_, two) = await devicesBesideAHole()
        await two.sync()
        let status = await two.status
        #expect(status.trouble == .logHole(2))
        #expect(status.pendingUploads == 0 && status.isRescanDue && !status.isCurrent)
        store.heal()
        await two.sync()
        #expect(await two.status.isCurrent)
    }

    @Test func aStoreThatTakesLongToSayNothingIsAskedOnce() async {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        await one.sync()
        let clock = clock
        store.spoil { request in
            guard case .get(let key) = request, key.text.contains("/log/") else { return nil }
            // As long as a server that is reached may be silent.
            clock.advance(days: 20.0 / 86_400)
            return .refuse(.unknownOutcome("no answer"))
        }
        store.forget()
        let before = clock.now()
        #expect(await one.sync().trouble == .storeAway("no answer"))
        #expect(store.gets == 1 && clock.now() < before + 30_000_000_000)
    }

    @Test func aSlotThatIsLeftOpenForLongIsSaid() async {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        await one.sync()
        let clock = clock
        store.spoil { request in
            guard case .putIfAbsent(let key, _) = request, key.text.contains("/log/") else { return nil }
            clock.advance(days: 20.0 / 86_400)
            return .refuse(.undecided)
        }
        one.disk.write("new", to: "a")
        clock.advance(days: 0.001)
        let before = clock.now()
        #expect(await one.sync().trouble == .storeSlow)
        #expect(clock.now() < before + 60_000_000_000)
        store.heal()
        #expect(await one.sync().isUpToDate)
    }
}
