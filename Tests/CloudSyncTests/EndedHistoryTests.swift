import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// `cloud rm --forever`, from the deletion to the empty store.
@Suite(.timeLimit(.minutes(2))) struct EndedHistoryTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    @Test func bytesLeaveTheStoreAWeekLaterAndNotAMonth() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.makeDirectory("d")
        one.disk.write("secret", to: "d/a")
        // Not in one pack with others.
        #expect(await convergeAll([one, two]) < 50)
        one.disk.write("kept", to: "b")
        one.disk.write("stays", to: "c")
        #expect(await convergeAll([one, two]) < 50)
        one.disk.delete("d/a")
        one.disk.delete("d")
        one.disk.delete("b")
        #expect(await convergeAll([one, two]) < 50)
        let deleted = try one.storage.read { try $0.deletedItems(at: ["d"]) }
        #expect(deleted.count == 2)
        #expect(try one.storage.read { try $0.deletedItems(at: ["c"]) } == [])
        _ = try await one.engine.endHistory(EngineDevice.app, of: deleted)
        #expect(await convergeAll([one, two]) < 50)
        // Objects that anybody may rely on stay, however often it is collected.
        clock.advance(days: 6)
        #expect(try await two.engine.collect().deletedObjects == 0)
        clock.advance(days: 2)
        // Nobody has written anything since: the log's time goes on all the same.
        #expect(try await one.engine.collect().deletedObjects == 1)
        #expect(try await one.engine.check(sample: 100).damaged.isEmpty)
        #expect(await convergeAll([one, two]) < 50)
        #expect(two.disk.contents == ["c": "stays"])
        #expect(try two.storage.read { try $0.deletedItems(at: ["d", "a"]) }.count == 1)
        #expect(try two.storage.read { try $0.retainedContents(after: nil, limit: .max) }.count == 1)
    }

    /// Small documents lie in packs with others.
    @Test func whatLiesInAPackLeavesItToo() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        for name in ["a", "b", "c", "d", "e"] {
            one.disk.write(String(repeating: name, count: 5_000), to: LocalPath([name]))
        }
        #expect(await convergeAll([one]) < 50)
        let packs = try await packs()
        #expect(packs.count == 1)
        #expect(try await one.engine.remove(EngineDevice.app, at: ["a"]) == 1)
        _ = try await one.engine.endHistory(
            EngineDevice.app, of: try one.storage.read { try $0.deletedItems(at: ["a"]) })
        #expect(await convergeAll([one]) < 50)
        #expect(one.disk.contents["a"] == nil && one.disk.contents.count == 4)
        for _ in 0..<3 {
            clock.advance(days: 8)
            _ = try await one.engine.collect()
        }
        let later = try await self.packs()
        #expect(later.count == 1 && later != packs)
        #expect(try await one.engine.check(sample: 100).damaged.isEmpty)
    }

    private func packs() async throws -> [ObjectKey] {
        try await store.list(StoreLayout.packPrefix, after: nil, limit: 100).value.objects.map(\.key)
    }

    /// A document that only this device has at a name stays, whatever the cloud has under it.
    @Test func whatOnlyThisDeviceHasStays() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        two.disk.makeDirectory("d")
        two.disk.write("theirs", to: "d/x")
        #expect(await convergeAll([one, two]) < 50)
        one.disk.write("mine", to: "d/mine")
        one.disk.setFlag(true, "d/mine")
        #expect(await convergeAll([one, two]) < 50)
        #expect(try await one.engine.remove(EngineDevice.app, at: ["d"]) == 2)
        #expect(await convergeAll([one, two]) < 50)
        #expect(one.disk.contents == ["d": "/", "d/mine": "mine"])
        #expect(two.disk.contents.isEmpty)
        #expect(try await one.engine.remove(EngineDevice.app, at: ["d"]) == 0)
    }

    /// In the same week the same bytes are a document again.
    @Test func whatIsMadeAgainStays() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.write("again", to: "a")
        #expect(await convergeAll([one, two]) < 50)
        clock.advance(days: 10)
        one.disk.delete("a")
        #expect(await convergeAll([one, two]) < 50)
        _ = try await one.engine.endHistory(
            EngineDevice.app, of: try one.storage.read { try $0.deletedItems(at: ["a"]) })
        #expect(await convergeAll([one, two]) < 50)
        two.disk.write("again", to: "b")
        #expect(await convergeAll([one, two]) < 50)
        clock.advance(days: 9)
        one.disk.write("more", to: "m")
        #expect(await convergeAll([one, two]) < 50)
        _ = try await one.engine.collect()
        #expect(try await one.engine.check(sample: 100).damaged.isEmpty)
        #expect(one.disk.contents["b"] == "again")
    }
}
