import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A log with operations that a device does not understand, and the update that does.
@Suite(.timeLimit(.minutes(2))) struct LaterWordsTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func devices() async -> (old: EngineDevice, new: EngineDevice) {
        let old = await EngineDevice(store, clock, executor, seed: 1)
        let new = await EngineDevice(store, clock, executor, seed: 2)
        new.disk.write("one", to: "a")
        new.disk.write("two", to: "b")
        #expect(await convergeAll([old, new]) < 50)
        return (old, new)
    }

    private func treeHash(_ device: EngineDevice) throws -> ContentHash {
        try device.storage.read { try $0.treeHash() }
    }

    /// As if it had read over an operation by which the others' trees are without a row.
    private func meet(_ word: String, _ device: EngineDevice) throws {
        try device.storage.write { transaction in
            try transaction.addWord(word)
            let node = try #require(try transaction.item(at: ["a"]))
            var other = node
            other.current?.attributes.modified += 1
            try transaction.setNode(other)
        }
    }

    @Test func whoDoesNotUnderstandAllReadsOnAndSaysNothing() async throws {
        let (old, new) = await devices()
        old.disk.write("draft", to: "mine")
        // Its batch is in flight.
        store.spoil { request in
            guard case .putIfAbsent(let key, _) = request, key.text.contains("/log/") else { return nil }
            return .refuse(.undecided)
        }
        await old.sync()
        #expect(try old.storage.read { try $0.frozenBatch() } != nil)
        store.spoil { _ in nil }
        try meet("operation 40", old)
        let cursor = await new.status.cursor
        // Past the entry that says what its writer's tree was.
        for number in 0..<101 {
            new.disk.write("\(number)", to: "b")
            await new.sync()
        }
        #expect(await new.status.cursor > cursor + 100)
        await old.sync()
        #expect(old.disk.contents["b"] == "100")
        #expect(await old.status.trouble == .unknownFeature("operation 40"))
        await new.sync()
        #expect(new.disk.contents["mine"] == nil)
        await #expect(throws: SyncTrouble.self) { try await old.engine.takeBackUploads() }
    }

    /// Builds that do not know the word have another tree, so none is said.
    @Test func afterAnEndedHistoryNobodySaysWhatTheTreeIs() async throws {
        let (_, new) = await devices()
        new.disk.delete("a")
        await new.sync()
        _ = try await new.engine.endHistory(
            EngineDevice.app, of: try new.storage.read { try $0.deletedItems(at: ["a"]) })
        for number in 0..<100 {
            new.disk.write("\(number)", to: "b")
            await new.sync()
        }
        let keys = try await store.list("v1/a/", after: nil, limit: 1_000).value.objects.map(\.key)
        let hundredth = try #require(keys.first { $0.text.contains("/log/") && $0.text.hasSuffix("0100") })
        let bytes = try #require(try await store.get(hundredth).value).bytes
        guard case .entry(let entry) = try LogEntry.decode(bytes) else { throw CodingError.unexpected }
        #expect(entry.sequence == 100 && entry.treeHash == nil)
    }

    @Test func anUpdateReadsTheLogAgain() async throws {
        let (old, new) = await devices()
        old.disk.write("draft", to: "mine")
        try meet("operation 10", old)
        #expect(try treeHash(old) != treeHash(new))
        await old.restart()
        #expect(await convergeAll([old, new]) < 50)
        #expect(try treeHash(old) == treeHash(new))
        #expect(try old.storage.read { try $0.words() } == [])
        #expect(new.disk.contents == ["a": "one", "b": "two", "mine": "draft"])
    }

    /// The engine does not look at it all the time meanwhile.
    @Test func whatWasDroppedWaitsForTheUpdateAtRest() async throws {
        let (old, new) = await devices()
        old.disk.write("mine", to: "b")
        new.disk.write("theirs", to: "b")
        #expect(await convergeAll([old, new]) < 50)
        try old.storage.write { transaction in
            let node = try #require(try transaction.item(at: ["b"]))
            try transaction.drop(try #require(node.versions.first).revisions, of: node.id)
        }
        try meet("operation 40", old)
        for _ in 0..<3 {
            await old.sync()
            try await clock.sleep(until: clock.now() + 100_000_000_000)
        }
        let rest = await old.sync()
        #expect(try old.storage.read { try $0.documentsWithDropped() } == 1)
        #expect(rest.wakeAt.map { $0 > clock.now() } ?? true)
    }
}
