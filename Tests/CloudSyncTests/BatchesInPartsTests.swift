import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// What is too much for one batch goes in several, and nothing else waits for all of them.
struct BatchesInPartsTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: MemoryStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = LogFixture.store(clock)
    }

    private func device(_ seed: UInt64, operations: Int = 3, bytes: Int = 1 << 20) async -> EngineDevice {
        await EngineDevice(
            store, clock, executor, seed: seed,
            settings: SyncSettings(batchLimits: BatchLimits(operations: operations, bytes: bytes)))
    }

    /// The batches of the app's log, by their size.
    private func batches(_ device: EngineDevice) async throws -> [Int] {
        let sizes = try await store.list("v1/a/", after: nil, limit: 1_000).value.objects
        var counts: [Int] = []
        for object in sizes where object.key.text.contains("/log/") {
            guard let entry = try await store.get(object.key).value,
                case .entry(let decoded) = try LogEntry.decode(entry.bytes), let commit = decoded.commit
            else { continue }
            counts.append(commit.batch.operations.count)
        }
        return counts
    }

    private func files(_ device: EngineDevice) -> [String: String] {
        device.disk.contents.filter { $0.value != "/" }
    }

    /// How many items the cloud has in `d` and in `d/e`.
    private func itemCounts(_ device: EngineDevice) throws -> [Int?] {
        try device.storage.read { tree in
            try [["d"], ["d", "e"]].map { try tree.item(at: $0).map { try tree.children(of: $0.id).count } }
        }
    }

    private func tree(_ count: Int, in one: EngineDevice) {
        one.disk.makeDirectory("d")
        one.disk.makeDirectory("d/e")
        for index in 0..<count {
            one.disk.write(
                "\(index)",
                to: LocalPath(index.isMultiple(of: 2) ? ["d", "\(index)"] : ["d", "e", "\(index)"]))
        }
    }

    /// With each at random a batch writes as many pages of each table as it has items.
    @Test func whatIsFoundTogetherGetsNumbersNextToEachOther() async throws {
        let one = await device(1)
        for index in 0..<10 { one.disk.write("\(index)", to: LocalPath(["\(index)"])) }
        _ = await one.sync()
        let files = try one.storage.read { try $0.children(of: .root) }
            .sorted { $0.name < $1.name }.map(\.id)
        #expect(files.count == 10 && zip(files, files.dropFirst()).allSatisfy { $0.next == $1 })
    }

    @Test func aPlanOfManyItemsGoesInBatchesThatHoldFew() async throws {
        let (one, two) = (await device(1), await device(2))
        tree(10, in: one)
        #expect(await convergeAll([one, two]) < 20)
        #expect(two.disk.contents == one.disk.contents && files(two).count == 10)
        let sizes = try await batches(one)
        #expect(sizes.max() == 3 && sizes.reduce(0, +) == 12)
    }

    @Test func aBatchHoldsNoMoreBytesThanItMay() async throws {
        let (one, two) = (await device(1, operations: 100, bytes: 1_000), await device(2))
        tree(10, in: one)
        #expect(await convergeAll([one, two]) < 20)
        #expect(two.disk.contents == one.disk.contents && files(two).count == 10)
        let sizes = try await batches(one)
        #expect((sizes.max() ?? 0) <= 5 && sizes.reduce(0, +) == 12)
    }

    @Test(arguments: ["flag", "move out"]) func aDirectoryThatLeavesGoesInPartsAndStaysHere(
        how: String
    ) async throws {
        let (one, two) = (await device(1), await device(2))
        tree(10, in: one)
        #expect(await convergeAll([one, two]) < 20)
        if how == "flag" { one.disk.setFlag(true, "d") } else { one.disk.moveOut("d", as: "d") }
        one.disk.write("beside", to: "x")
        clock.pass(2_000_000_000)
        _ = await one.engine.step()
        await two.sync()
        // With the first batch.
        #expect(two.disk.contents["x"] == "beside")
        #expect(await convergeAll([one, two]) < 20)
        #expect(two.disk.contents["x"] == "beside")
        #expect(try await batches(one).max() == 3)
        #expect(try one.storage.read { try $0.children(of: .root).map(\.name) } == ["x"])
        #expect(try one.storage.read { try $0.syncedCount() } == 1)
        if how == "flag" { one.disk.setFlag(false, "d") } else { one.disk.moveIn("d", to: "d") }
        #expect(await convergeAll([one, two]) < 20)
        #expect(files(one).count == 11)
        // What was withdrawn stays on the other device, beside what came anew.
        #expect(try itemCounts(one) == [6, 5] && itemCounts(two) == [6, 5])
    }

    /// It left under another name, in a part that had not gone when it was deleted: only where it lay before
    /// can that be missed.
    @Test func whatLeftAndIsDeletedBeforeThatIsToldIsNotShownForEver() async throws {
        let spoiled = SpoiledStore(store)
        let one = await EngineDevice(
            spoiled, clock, executor, seed: 1, settings: SyncSettings(batchLimits: BatchLimits(operations: 1))
        )
        let two = await device(2)
        one.disk.write("1", to: "c")
        #expect(await convergeAll([one, two]) < 20)
        one.disk.makeDirectory("d")
        one.disk.rename("c", to: "x.nosync")
        let isAway = Lock(false)
        spoiled.spoil { request in
            if isAway.withLock({ $0 }) { return .refuse(.unreachable("no route")) }
            if case .putIfAbsent(let key, _) = request, key.text.contains("/log/") {
                isAway.withLock { $0 = true }
            }
            return nil
        }
        clock.pass(2_000_000_000)
        _ = await one.engine.step()
        one.disk.delete("x.nosync")
        spoiled.heal()
        #expect(await convergeAll([one, two]) < 20)
        #expect(one.disk.contents == two.disk.contents)
        #expect(one.disk.contents.keys.sorted() == ["d"])
    }

    @Test func aFlagThatGoesAfterTheFirstPartBringsAllBack() async throws {
        let (one, two) = (await device(1), await device(2))
        tree(10, in: one)
        #expect(await convergeAll([one, two]) < 20)
        one.disk.setFlag(true, "d")
        _ = await one.engine.step()
        #expect(try one.storage.read { try $0.syncedCount() } < 12)
        one.disk.setFlag(false, "d")
        #expect(await convergeAll([one, two]) < 20)
        #expect(files(one).count == 10)
        #expect(try itemCounts(one) == [6, 5])
    }

    @Test func aPersonsWordHoldsUntilAllDeletesAreTold() async throws {
        let (one, two) = (await device(1), await device(2))
        tree(12, in: one)
        one.disk.write("stays", to: "x")
        #expect(await convergeAll([one, two]) < 20)
        one.disk.delete("d")
        // Nobody saw it go.
        await one.restart()
        await one.sync()
        #expect(await one.status.trouble == .deletesHeld(14))
        await two.sync()
        #expect(files(two).count == 13)
        try await one.engine.confirmDeletes(EngineDevice.app)
        #expect(await convergeAll([one, two]) < 20)
        #expect(two.disk.contents == ["x": "stays"])
        #expect(await one.status.trouble == nil)
        // It was about those alone.
        #expect(try one.storage.read { try $0.journal()?.areDeletesConfirmed } == false)
    }

    /// Without it they would come to the top of the cloud.
    @Test func whatLiesInADirectoryThatIsFlaggedWhileItIsSentStaysWithIt() async throws {
        let spoiled = SpoiledStore(store)
        let one = await EngineDevice(
            spoiled, clock, executor, seed: 1,
            settings: SyncSettings(batchLimits: BatchLimits(operations: 3)))
        let two = await device(2)
        one.disk.write("x", to: "x")
        #expect(await convergeAll([one, two]) < 10)
        tree(10, in: one)
        clock.pass(2_000_000_000)
        let disk = one.disk
        spoiled.spoil { request in
            if case .putIfAbsent(let key, _) = request, key.text.hasPrefix("v1/p/") {
                disk.setFlag(true, "d")
                // As if that had been told before.
                disk.changes = LocalChanges()
            }
            return nil
        }
        await one.sync()
        #expect(disk.find("d")?.isFlagged == true)
        #expect(await convergeAll([one, two]) < 10)
        #expect(two.disk.contents == ["x": "x"])
    }

    /// They would take all places in each batch otherwise.
    @Test func whatCannotGoKeepsNoOtherWaiting() async throws {
        let one = await EngineDevice(
            store, clock, executor, seed: 1,
            settings: SyncSettings(quotaBytes: 100, batchLimits: BatchLimits(operations: 2)))
        let two = await device(2)
        one.disk.write("goes", to: "z")
        #expect(await convergeAll([one, two]) < 10)
        for index in 0..<10 {
            one.disk.write(String(repeating: "x", count: 200), to: LocalPath(["\(index)"]))
        }
        one.disk.write("small", to: "y")
        one.disk.delete("z")
        clock.pass(2_000_000_000)
        for _ in 0..<10 {
            await one.sync()
            await two.sync()
        }
        #expect(files(two) == ["y": "small"])
        #expect(await one.status.trouble == .overQuota)
    }

    @Test func aFileOfTooManyChunksIsNamedAndKeepsNoOtherWaiting() async throws {
        let limits = BatchLimits(largestOperationBytes: 400)
        let one = await EngineDevice(
            store, clock, executor, seed: 1, settings: SyncSettings(batchLimits: limits))
        let two = await device(2)
        // Some six chunks.
        let random = ContentFixture.Random(5)
        let bytes = (0..<3 << 20).map { _ in UInt8(random.next() & 63) + 33 }
        let text = String(decoding: bytes, as: UTF8.self)
        one.disk.write(text, to: "large")
        one.disk.write("small", to: "small")
        for _ in 0..<3 {
            await one.sync()
            await two.sync()
        }
        #expect(two.disk.contents == ["small": "small"])
        #expect(await one.status.waiting == [WaitingItem(path: "large", reason: .tooLarge)])
        one.disk.write("less", to: "large")
        clock.pass(2_000_000_000)
        #expect(await convergeAll([one, two]) < 10)
        #expect(two.disk.contents == ["small": "small", "large": "less"])
    }

    @Test func namesThatFormACircleStayInOneBatch() async throws {
        let (one, two) = (await device(1, operations: 1), await device(2))
        one.disk.makeDirectory("a")
        one.disk.makeDirectory("b")
        one.disk.write("1", to: "a/x")
        one.disk.write("2", to: "b/y")
        #expect(await convergeAll([one, two]) < 20)
        one.disk.exchange("a", "b")
        #expect(await convergeAll([one, two]) < 20)
        #expect(files(two) == ["b/x": "1", "a/y": "2"])
        #expect(try await batches(one).max() == 3)
    }

    /// `cloud rm`: all of a directory goes, however many batches that takes.
    @Test func whatAPersonRemovesFromTheCloudGoesInParts() async throws {
        let (one, two) = (await device(1), await device(2))
        tree(10, in: one)
        one.disk.write("stays", to: "x")
        #expect(await convergeAll([one, two]) < 20)
        #expect(try await one.engine.remove(EngineDevice.app, at: ["d"]) == 12)
        #expect(try await batches(one).max() == 3)
        #expect(await convergeAll([one, two]) < 20)
        #expect(one.disk.contents == ["x": "stays"] && two.disk.contents == one.disk.contents)
    }

    /// `cloud rm --forever`. What has bytes in common ends together or not at all, so one operation names
    /// all.
    @Test func theHistoryThatAPersonEndsIsOneOperationHoweverLarge() async throws {
        let one = await device(1, operations: 1, bytes: 100)
        let two = await device(2)
        one.disk.makeDirectory("d")
        for index in 0..<20 { one.disk.write("\(index / 2)", to: LocalPath(["d", "\(index)"])) }
        #expect(await convergeAll([one, two]) < 50)
        #expect(try await one.engine.remove(EngineDevice.app, at: ["d"]) == 21)
        let deleted = try one.storage.read { try $0.deletedItems(at: ["d"]) }
        let ended = try await one.engine.endHistory(EngineDevice.app, of: deleted)
        #expect(ended.contents == 20 && ended.kept == 0)
        #expect(try await batches(one).max() == 1)
        #expect(await convergeAll([one, two]) < 50)
        clock.advance(days: 8)
        one.disk.write("more", to: "m")
        #expect(await convergeAll([one, two]) < 50)
        #expect(try two.storage.read { try $0.retainedContents(after: nil, limit: .max) }.isEmpty)
    }
}
