import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent

/// A store that takes no more contents, and still what makes room in it.
@Suite(.timeLimit(.minutes(2))) struct FullStoreTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func takeNoContents() {
        store.spoil { request in
            guard case .putIfAbsent(let key, _) = request else { return nil }
            let isContents = ["v1/c/", "v1/p/"].contains { key.text.hasPrefix($0) }
            return isContents ? .refuse(.full("no room")) : nil
        }
    }

    @Test func deletesGoUpBesideWhatTheStoreDoesNotTake() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.write("old", to: "old")
        #expect(await convergeAll([one, two]) < 50)
        takeNoContents()
        one.disk.delete("old")
        one.disk.write("new", to: "new")
        #expect(await one.sync().trouble == .storeFull("no room"))
        #expect(await one.status.pendingUploads == 1)
        await two.sync()
        #expect(two.disk.contents == [:])
        store.heal()
        #expect(await convergeAll([one, two]) < 50)
        #expect(two.disk.contents == ["new": "new"])
        #expect(await one.status.trouble == nil)
    }

    @Test func aFileThatIsLargerThanTheRoomIsNotBegun() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        #expect(await convergeAll([one, two]) < 50)
        store.setFree(1000)
        one.disk.write(String(repeating: "x", count: 5000), to: "large")
        one.disk.write("fits", to: "small")
        store.forget()
        #expect(await one.sync().trouble == .storeFull("large takes 5000 bytes, and 1000 are free"))
        #expect(store.putBytes < 5000)
        await two.sync()
        #expect(two.disk.contents == ["small": "fits"])
        store.setFree(nil)
        #expect(await convergeAll([one, two]) < 50)
        #expect(two.disk.contents["large"]?.utf8.count == 5000)
    }

    @Test(arguments: [SyncTrouble.overQuota, .storeFull("large takes 5000 bytes, and 1000 are free")])
    func whatDidNotFitAndIsDeletedIsNoTroubleAnyMore(trouble: SyncTrouble) async throws {
        let settings = SyncSettings(quotaBytes: trouble == .overQuota ? 1000 : nil)
        let one = await EngineDevice(store, clock, executor, seed: 1, settings: settings)
        if trouble != .overQuota { store.setFree(1000) }
        one.disk.write(String(repeating: "x", count: 5000), to: "large")
        #expect(await one.sync().trouble == trouble)
        one.disk.delete("large")
        #expect(await one.sync().trouble == nil)
        #expect(await one.status.isCurrent)
    }
}
