import CloudStore
import Posix
import Testing

@testable import CloudSync

/// `cloud rm --forever`, from the deletion to the empty store.
@Suite(.timeLimit(.minutes(2))) struct EndedHistoryTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread()
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
        two.disk.write("news", to: "n")
        #expect(await convergeAll([one, two]) < 50)
        #expect(try await two.engine.collect().deletedObjects == 0)
        clock.advance(days: 2)
        one.disk.write("more", to: "m")
        #expect(await convergeAll([one, two]) < 50)
        #expect(try await two.engine.collect().deletedObjects == 1)
        #expect(try await one.engine.check(sample: 100).damaged.isEmpty)
        #expect(two.disk.contents == ["c": "stays", "n": "news", "m": "more"])
        #expect(try two.storage.read { try $0.deletedItems(at: ["d", "a"]) }.count == 1)
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
