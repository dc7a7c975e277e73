import CloudStore
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// However much there is to do, what comes meanwhile and other apps have their turn.
struct TurnTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: MemoryStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = LogFixture.store(clock)
    }

    private func device(_ seed: UInt64, _ settings: SyncSettings = SyncSettings()) async -> EngineDevice {
        await EngineDevice(store, clock, executor, seed: seed, settings: settings)
    }

    private func write(_ count: Int, to device: EngineDevice) {
        device.disk.makeDirectory("d")
        for index in 0..<count { device.disk.write("\(index)", to: LocalPath(["d", "\(index)"])) }
        clock.pass(2_000_000_000)
    }

    private func count(_ device: EngineDevice) throws -> Int {
        try device.storage.read { try $0.syncedCount() }
    }

    @Test func aDiskThatIsSlowMakesSmallBatches() async throws {
        let one = await device(1)
        write(40, to: one)
        one.disk.onRead = { [clock] in clock.pass(100_000_000) }
        _ = await one.engine.step()
        // Five files in half a second, which is a turn as well.
        #expect(try (4...8).contains(count(one)))
        #expect(await convergeAll([one]) < 20)
        #expect(try count(one) == 41)
    }

    @Test func aTurnEndsAmidAPlan() async throws {
        let one = await device(1, SyncSettings(batchLimits: BatchLimits(operations: 4)))
        write(40, to: one)
        // A batch takes 0.4 seconds.
        one.disk.onRead = { [clock] in clock.pass(100_000_000) }
        _ = await one.engine.step()
        #expect(try (4...9).contains(count(one)))
        #expect(await convergeAll([one]) < 20)
        #expect(try count(one) == 41)
    }

    @Test(arguments: [false, true])
    func aPlanLooksAtAboutAsMuchAsItTakesUp(isBesideWriters: Bool) async throws {
        let one = await device(1, SyncSettings(itemsInPlan: 40))
        write(400, to: one)
        #expect(await convergeAll([one]) < 20)
        for index in 0..<400 { one.disk.delete(LocalPath(["d", "\(index)"])) }
        // What cannot go leaves room for the rest.
        let writing = isBesideWriters ? (0..<60).map { LocalPath(["w\($0)"]) } : []
        for path in writing {
            one.disk.write("half", to: path)
            one.disk.find(path)?.isBeingWritten = true
        }
        clock.pass(2_000_000_000)
        one.disk.onLook = { [clock] in clock.pass(10_000_000) }
        var (steps, most) = (0, 0)
        while try count(one) > 1, steps < 400 {
            one.disk.looks = 0
            _ = await one.engine.step()
            (steps, most) = (steps + 1, max(most, one.disk.looks))
        }
        #expect(steps < 200 && most < 200, "\(steps) steps, \(most) looks in one")
    }

    @Test func whatTookLongToPlanIsSentForAsLong() async throws {
        let one = await device(1, SyncSettings(batchLimits: BatchLimits(operations: 4)))
        await one.sync()
        for index in 0..<40 { one.disk.write("\(index)", to: LocalPath(["\(index)"])) }
        clock.pass(2_000_000_000)
        one.disk.onLook = { [clock] in clock.pass(100_000_000) }
        _ = await one.engine.step()
        // For the plan each was looked at for a tenth of a second, and twice as long for its batch.
        #expect(try (16...24).contains(count(one)))
    }

    @Test func aDiskThatIsSlowTakesSmallParts() async throws {
        let (one, two) = (await device(1), await device(2))
        write(2_000, to: one)
        #expect(await convergeAll([one]) < 20)
        // Sixty-four take a third of a second.
        two.disk.onPlace = { [clock] _ in clock.pass(5_000_000) }
        var (parts, before) = ([Int](), 0)
        for _ in 0..<40 where try count(two) < 2_001 {
            _ = await two.engine.step()
            parts.append(try count(two) - before)
            before += parts.last!
        }
        #expect(before == 2_001)
        #expect(parts.allSatisfy { $0 <= 256 }, "\(parts)")
    }

    @Test func aPartIsAsLargeAsWhatComesInAMoment() {
        var part = PartSize(most: 512)
        #expect(part.count == 128)
        part.note(128, took: 100_000_000)
        part.note(256, took: 100_000_000)
        part.note(512, took: 100_000_000)
        #expect(part.count == 512)
        part.note(512, took: 200_000_000)
        #expect(part.count == 512)
        part.note(512, took: 1_000_000_000)
        #expect(part.count == 128)
        // Few that take long say nothing of many.
        part.note(1, took: 60_000_000_000)
        #expect(part.count == 64)
        // A part of which nothing comes is tried again as it was.
        part.note(0, took: 1)
        part.note(3, took: 1)
        #expect(part.count == 64)
        part.note(40, took: 100_000_000)
        #expect(part.count == 128)
        var small = PartSize(most: 5)
        small.note(5, took: 60_000_000_000)
        #expect(small.count == 5)
    }

    @Test func whatOthersDidComesBetweenTwoBatches() async throws {
        let settings = SyncSettings(batchLimits: BatchLimits(operations: 4))
        let (one, two) = (await device(1, settings), await device(2))
        #expect(await convergeAll([one, two]) < 20)
        write(40, to: one)
        var reads = 0
        one.disk.onRead = { reads += 1 }
        var readsBefore: Int?
        one.disk.onPlace = { _ in readsBefore = reads }
        two.disk.write("news", to: "x")
        clock.pass(2_000_000_000)
        await two.sync()
        // The first batch finds it in the log.
        _ = await one.engine.step()
        #expect(one.disk.contents["x"] == "news")
        #expect(try (0...8).contains(#require(readsBefore)))
    }

    /// Directories of others that are full of what cannot go.
    @Test func aPlanWhoseItemsCannotGoLooksFurther() async throws {
        let one = await device(1, SyncSettings(itemsInPlan: 16))
        for index in 0..<12 {
            one.disk.write("half", to: LocalPath(["\(index)"]))
            one.disk.find(LocalPath(["\(index)"]))?.isBeingWritten = true
        }
        one.disk.write("whole", to: "x")
        await one.restart()
        clock.pass(2_000_000_000)
        for _ in 0..<6 { await one.sync() }
        #expect(try one.storage.read { try $0.children(of: .root).map(\.name) } == ["x"])
    }

    @Test func ofVeryManyChangesThoseComeFirstThatAnEntryBeginsWith() {
        func files(_ numbers: Range<Int>) -> [FileID] { numbers.map { FileID(bits: UInt128($0)) } }
        let ahead = LogAhead()
        #expect(!ahead.hasNews && ahead.takeNews(limit: 100) == [])
        ahead.addNews(files(0..<100), limit: 512)
        ahead.addNews(files(1_000..<1_003), limit: 512)
        ahead.addNews(files(2_000..<2_100), limit: 512)
        ahead.addNews([], limit: 512)
        let taken = (0..<8).map { _ in ahead.takeNews(limit: 1) }
        let expected = [
            2_000..<2_008, 1_000..<1_003, 0..<8, 2_008..<2_072, 8..<72, 2_072..<2_100, 72..<100, 0..<0,
        ]
        #expect(taken == expected.map { files($0) })
        #expect(!ahead.hasNews)
        // Where there is too much of it, what came last has its place all the same.
        ahead.addNews(files(0..<100_000), limit: 512)
        ahead.addNews(files(200_000..<200_001), limit: 512)
        #expect(ahead.takeNews(limit: 1) == files(200_000..<200_001))
    }

    /// Entries may come as fast as they are taken: the first ones are not left behind.
    @Test func asManyBeginningsOfEntriesAreTakenAsHaveRoom() {
        func files(_ numbers: Range<Int>) -> [FileID] { numbers.map { FileID(bits: UInt128($0)) } }
        let ahead = LogAhead()
        for entry in 0..<50 { ahead.addNews(files(1_000 * entry..<1_000 * entry + 100), limit: 512) }
        #expect(ahead.takeNews(limit: 20) == files(49_000..<49_008) + files(48_000..<48_008))
        #expect(ahead.takeNews(limit: 400).count == 48 * 8)
        #expect(ahead.takeNews(limit: 5) == files(49_008..<49_072))
    }
}
