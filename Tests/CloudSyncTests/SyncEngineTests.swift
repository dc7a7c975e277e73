import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Whole devices over one store.
struct SyncEngineTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func device(_ seed: UInt64, settings: SyncSettings = SyncSettings()) async -> EngineDevice {
        await EngineDevice(store, clock, executor, seed: seed, settings: settings)
    }

    @Test func aSavedFileComesToTheOtherDevice() async {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("hello", to: "a.txt")
        #expect(await one.sync().isUpToDate)
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents == ["a.txt": "hello"])
        #expect(await two.status.isCurrent)
    }

    @Test func smallFilesComeTogetherInFewRequests() async {
        let (one, two) = (await device(1), await device(2))
        for index in 0..<200 { one.disk.write("text \(index)", to: LocalPath(["\(index)"])) }
        #expect(await one.sync().isUpToDate)
        store.forget()
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents.count == 200)
        let packs = store.requests.filter {
            if case .get(let key) = $0 { key.text.contains("/p/") } else { false }
        }
        #expect((1...4).contains(packs.count))
    }

    @Test func aFileThatDoesNotComeWithTheOthersComesAlone() async {
        let (one, two) = (await device(1), await device(2))
        for index in 0..<20 { one.disk.write("text \(index)", to: LocalPath(["\(index)"])) }
        #expect(await one.sync().isUpToDate)
        let isFirst = Lock(true)
        store.spoil { request in
            guard case .get(let key) = request, key.text.contains("/p/") else { return nil }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? .change : nil
            }
        }
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents == one.disk.contents)
        #expect(isFirst.withLock { $0 } == false)
    }

    @Test func twoDevicesBecomeEqual() async {
        let (one, two) = (await device(1), await device(2))
        one.disk.makeDirectory("d")
        for index in 0..<20 { one.disk.write("one \(index)", to: LocalPath(["d", "one-\(index)"])) }
        for index in 0..<20 { two.disk.write("two \(index)", to: LocalPath(["two-\(index)"])) }
        two.disk.link("d", at: "link")
        #expect(await convergeAll([one, two]) < 10)
        one.disk.rename("d", to: "e")
        two.disk.delete("two-3")
        one.disk.write("changed", to: "two-4")
        #expect(await convergeAll([one, two]) < 10)
        #expect(one.disk.contents == two.disk.contents)
        #expect(one.disk.contents.count == 41)
        #expect(one.disk.contents["e/one-7"] == "one 7")
        #expect(one.disk.contents["two-4"] == "changed")
    }

    @Test func bothEditsMadeOfflineAreKept() async {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("base", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        one.disk.write("one's", to: "a")
        two.disk.write("two's", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        #expect(one.disk.contents == ["a": "one's"])
        #expect(two.disk.contents == ["a": "one's"])
        #expect(await one.status.conflicts == 1)
    }

    @Test func theEditsOfADayWithoutTheStoreAreThereAsCurrentAndConflictVersion() async throws {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("base", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        store.spoil { _ in .refuse(.unreachable("no route")) }
        for hour in 1...24 {
            one.disk.write("one's of hour \(hour)", to: "a")
            two.disk.write("two's of hour \(hour)", to: "a")
            clock.advance(days: 1.0 / 24)
            #expect(await one.sync().trouble == .storeAway("no route"))
            #expect(await two.sync().trouble == .storeAway("no route"))
        }
        store.heal()
        #expect(await convergeAll([one, two]) < 10)
        let expected = Set(["one's of hour 24", "two's of hour 24"].map { ContentHash(of: Array($0.utf8)) })
        for device in [one, two] {
            let nodes = try device.storage.read { try $0.conflicts(after: nil, limit: 9) }
            #expect(nodes.map(\.name) == ["a"])
            let hashes = nodes.flatMap(\.contents).compactMap { version -> ContentHash? in
                if case .file(let file) = version.content { file.hash } else { nil }
            }
            #expect(Set(hashes) == expected && hashes.count == 2)
            #expect(device.disk.contents == one.disk.contents)
        }
    }

    @Test func whatWasChangedWhileTheStoreWasAwayGoesUpLater() async {
        let one = await device(1)
        #expect(await one.sync().isUpToDate)
        store.spoil { _ in .refuse(.unreachable("no route")) }
        one.disk.write("offline", to: "a")
        let rest = await one.sync()
        #expect(rest.trouble == .storeAway("no route"))
        #expect(rest.wakeAt != nil)
        #expect(await one.status.trouble == .storeAway("no route"))
        store.heal()
        #expect(await one.sync().isUpToDate)
        let two = await device(2)
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents == ["a": "offline"])
    }

    @Test func anEngineThatWasDroppedGoesOnFromStorage() async {
        let (one, two) = (await device(1), await device(2))
        one.disk.write("first", to: "a")
        await one.sync()
        await one.restart()
        one.disk.write("second", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        #expect(two.disk.contents == ["a": "second"])
        #expect(await two.status.conflicts == 0)
    }

    @Test func aFlaggedFileIsNotInTheStore() async throws {
        let one = await device(1)
        one.disk.write("a secret", to: "a")
        one.disk.write("no secret", to: "b")
        one.disk.setFlag(true, "a")
        #expect(await one.sync().isUpToDate)
        let two = await device(2)
        await two.sync()
        #expect(two.disk.contents == ["b": "no secret"])
    }

    @Test func theAccountsLogTellsAppsAndDevices() async throws {
        let one = await device(1, settings: SyncSettings(deviceName: "desk"))
        let two = await device(2, settings: SyncSettings(deviceName: "lap"))
        for device in [one, two, one] {
            clock.advance(days: 0.01)
            await device.sync()
        }
        #expect(try await one.engine.apps().map(\.identifier) == [EngineDevice.app])
        #expect(try await Set(one.engine.devices().map(\.name)) == ["desk", "lap"])
    }

    /// Directories that change names are looked through, and only a look through all finds the deletes again.
    @Test func heldDeletesAreHeldUntilAllWasLookedThrough() async throws {
        let (one, two) = (await device(1), await device(2))
        for index in 0..<10 { one.disk.write("\(index)", to: LocalPath(["\(index)"])) }
        one.disk.makeDirectory("d")
        one.disk.makeDirectory("e")
        #expect(await convergeAll([one, two]) < 10)
        for index in 0..<8 { one.disk.delete(LocalPath(["\(index)"])) }
        await one.restart()
        await one.sync()
        two.disk.exchange("d", "e")
        await two.sync()
        await one.sync()
        await one.sync()
        #expect(await one.status.trouble == .deletesHeld(8))
    }

    @Test func manyInferredDeletesWaitForAPersonsWord() async throws {
        let (one, two) = (await device(1), await device(2))
        for index in 0..<10 { one.disk.write("\(index)", to: LocalPath(["\(index)"])) }
        #expect(await convergeAll([one, two]) < 10)
        for index in 0..<8 { one.disk.delete(LocalPath(["\(index)"])) }
        // Nobody saw them go.
        await one.restart()
        await one.sync()
        #expect(await one.status.trouble == .deletesHeld(8))
        await two.sync()
        #expect(two.disk.contents.count == 10)
        try await one.engine.confirmDeletes(EngineDevice.app)
        #expect(await convergeAll([one, two]) < 10)
        #expect(two.disk.contents.count == 2)
        #expect(await one.status.trouble == nil)
    }

    @Test func aPausedAppSendsNothing() async throws {
        let one = await device(1)
        await one.sync()
        try await one.engine.pause(EngineDevice.app)
        one.disk.write("later", to: "a")
        store.forget()
        _ = await one.engine.step()
        #expect(store.puts == 0)
        #expect(await one.status.isPaused)
        try await one.engine.resume(EngineDevice.app)
        _ = await one.engine.step()
        #expect(await one.status.isCurrent)
    }

    @Test func aClockThatIsSetBackKeepsAQuietFileNoLongerThanItsSecond() async throws {
        let one = await device(1)
        await one.sync()
        one.disk.write("a", to: "a")
        let file = try #require(one.disk.find("a"))
        (file.modified, file.changed) = (clock.wallTime(), clock.wallTime())
        #expect(await !one.sync().isUpToDate)
        clock.setWall(bySeconds: -86_400)
        clock.pass(1_000_000_001)
        _ = await one.engine.step()
        #expect(await one.status.isCurrent)
    }

    @Test func aPersonWhoPausesBeforeTheStoreIsReachedIsObeyed() async throws {
        let one = await device(1)
        await one.sync()
        await one.restart()
        one.disk.write("later", to: "a")
        try await one.engine.pause(EngineDevice.app)
        store.forget()
        _ = await one.engine.step()
        #expect(store.puts == 0)
        try await one.engine.resume(EngineDevice.app)
        await one.sync()
        #expect(await one.status.isCurrent)
    }

    @Test func overQuotaNothingNewGoesUpAndDeletesDo() async {
        let one = await device(1, settings: SyncSettings(quotaBytes: 10))
        one.disk.write("12345678", to: "a")
        await one.sync()
        one.disk.write("1234", to: "b")
        await one.sync()
        #expect(await one.status.trouble == .overQuota)
        let two = await device(2)
        await two.sync()
        #expect(two.disk.contents == ["a": "12345678"])
        one.disk.delete("a")
        await one.sync()
        await one.sync()
        await two.sync()
        #expect(two.disk.contents == ["b": "1234"])
        #expect(await one.status.trouble == nil)
    }

    @Test func whatAnEditReplacesCountsInTheQuotaOnce() async {
        let one = await device(1, settings: SyncSettings(quotaBytes: 10))
        one.disk.write("12345678", to: "a")
        await one.sync()
        one.disk.write("123456789", to: "a")
        #expect(await one.sync().isUpToDate)
        #expect(await one.status.trouble == nil)
        #expect(await one.status.usedBytes == 9)
    }

    @Test func statusIsShownWhileTheEnginesThreadIsBusy() async throws {
        let one = await device(1)
        #expect(one.engine.shownStatus(EngineDevice.app)?.isBusy == true)
        #expect(one.engine.shownAccount == nil)
        one.disk.write("hello", to: "a.txt")
        #expect(await one.sync().isUpToDate)
        let status = await one.status
        #expect(one.engine.shownStatus(EngineDevice.app) == status)
        let gate = Gate(false)
        let (entered, left) = AsyncStream<Void>.makeStream()
        Task(executorPreference: executor) {
            left.yield()
            _ = gate.wait(until: { $0 ? true : nil })
        }
        for await _ in entered { break }
        #expect(one.engine.shownStatus(EngineDevice.app)?.isCurrent == true)
        #expect(one.engine.shownAccount == SyncStanding())
        gate.update { $0 = true }
    }

    @Test func theLoopSyncsWhatItIsWokenFor() async throws {
        let one = await EngineDevice(
            store, clock, executor, seed: 1, settings: SyncSettings(isStoreWatched: true))
        let engine = one.engine
        let loop = Task { await engine.run() }
        one.disk.write("woken", to: "a")
        one.engine.wake()
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let status = await one.status
            if status.isCurrent, status.cursor > 0 { break }
            await Task.yield()
        }
        #expect(await one.status.isCurrent)
        // The step that made it so may not have come to its end; then the loop rests, and asks for nothing.
        repeat {
            store.forget()
            for _ in 0..<1000 { await Task.yield() }
        } while !store.requests.isEmpty && ContinuousClock.now < deadline
        #expect(store.requests.isEmpty)
        loop.cancel()
        await loop.value
    }
}
