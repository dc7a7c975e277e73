import CloudStore
import CloudSync
import StoreBasics
import Testing

@testable import SyncContent
@testable import SyncLog

/// SYNC.md 3: what the commits' times end, twins, locators.
@Suite struct ReplayTimeTests {
    @Test(arguments: StorageKind.allCases)
    func `A tombstone is unknown from the first commit more than 180 days later`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.delete(1, at: made, made))
        tree.pass(days: 180)
        try tree.commit(2, Say.create(8, "y", 8))
        #expect(try tree.state(1) == "deleted")
        tree.pass(days: 1)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.state(1) == "unknown")
        try tree.commit(3, Say.edit(1, on: made, 6))
        #expect(try tree.contents(1) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A tombstone stays while it has a withdrawn child, and goes with its last deleted one`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.directory(1, "d"))
        try tree.commit(1, Say.create(2, "a", in: 1, 5), Say.withdraw(2))
        let two = try tree.commit(1, Say.directory(3, "e"))
        let inner = try tree.commit(1, Say.directory(4, "f", in: 3))
        try tree.commit(1, Say.delete(1, at: one))
        try tree.commit(1, Say.delete(4, at: inner), Say.delete(3, at: two))
        tree.pass(days: 181)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.state(1) == "deleted")
        #expect(try tree.state(3) == "unknown")
        #expect(try tree.state(4) == "unknown")
    }

    @Test(arguments: StorageKind.allCases)
    func `History ends 30 days after its content went, conflict versions never`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.edit(1, on: made, 6))
        try tree.commit(3, Say.edit(1, on: made, 7))
        tree.pass(days: 31)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.history(1) == [])
        #expect(try tree.contents(1) == [6, 7])
        #expect(try tree.storage.read { try $0.chunk(ModelContent.hash(5)) } == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `A commit's time never runs back`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        tree.pass(days: 10)
        try tree.commit(1, Say.create(1, "a", 5))
        let time = try tree.storage.read { try $0.treeHead().time }
        tree.pass(days: -9)
        try tree.commit(1, Say.create(2, "b", 5))
        #expect(try tree.storage.read { try $0.treeHead().time } == time)
    }

    @Test(arguments: StorageKind.allCases)
    func `A late twin does nothing, and neither does a clone's batch under a number that took effect`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let batch = Batch(device: DeviceID(bits: 1), n: 1, operations: [Say.create(1, "a", 5)])
        try tree.commit(batch)
        let other = Batch(device: DeviceID(bits: 1), n: 1, operations: [Say.create(2, "b", 6)])
        let changes = [try tree.commit(batch), try tree.commit(other)]
        #expect(changes.map(\.isTwin) == [true, true])
        #expect(try tree.contents(1) == [5])
        #expect(try tree.state(2) == "unknown")
    }

    @Test(arguments: StorageKind.allCases)
    func `The last locator in log order wins, and the one it replaced is the fallback`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5), Say.relocate(5, to: 7), Say.relocate(6, to: 7))
        let locators = try tree.storage.read { try $0.locators(of: ModelContent.hash(5)) }
        #expect(locators == [.object(7), .object(0)])
        #expect(try tree.storage.read { try $0.chunk(ModelContent.hash(6)) } == nil)
        try tree.commit(1, Say.relocate(5, to: 0))
        let again = try tree.storage.read { try $0.locators(of: ModelContent.hash(5)) }
        #expect(again == [.object(0), .object(7)])
    }

    @Test(arguments: StorageKind.allCases)
    func `A chunk that only ending history held is referenced anew`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.delete(1, at: made, made))
        let since = try tree.storage.read { try $0.chunk(ModelContent.hash(5))?.since }
        tree.pass(days: 22)
        try tree.commit(1, Say.create(2, "b", 5))
        #expect(try tree.storage.read { try $0.chunk(ModelContent.hash(5))?.since } == since)
        try tree.commit(1, Say.delete(2, at: try tree.place(2), try #require(try tree.node(2)).place))
        tree.pass(days: 23)
        try tree.commit(1, Say.create(3, "c", 5))
        #expect(try tree.storage.read { try $0.chunk(ModelContent.hash(5))?.since } != since)
    }

    @Test(arguments: StorageKind.allCases)
    func `Words of a later version are noted and read past`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, .unknown(kind: 40), .require(feature: "wings"), Say.create(1, "a", 5))
        #expect(try tree.contents(1) == [5])
        #expect(try tree.storage.read { try $0.unknownWords() } == ["feature wings", "operation 40"])
    }

    @Test(arguments: StorageKind.allCases)
    func `A commit that does not follow the head is refused, and nothing of it stays`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5))
        let batch = Batch(device: DeviceID(bits: 2), n: 1, operations: [Say.create(2, "b", 6)])
        let storage = tree.storage
        for (sequence, previous) in [(3, ModelContent.hash(0)), (2, ModelContent.hash(0))] {
            let commit = Commit(
                sequence: UInt64(sequence), previous: previous, time: StoreTime(seconds: 0), batch: batch,
                batchHash: ModelContent.hash(1))
            #expect(throws: TreeError.notNext(head: 1)) {
                try storage.write { try TreeState($0).apply(commit, entryHash: ModelContent.hash(2)) }
            }
        }
        #expect(try tree.state(2) == "unknown")
        #expect(try tree.storage.read { try $0.treeCursor() } == 1)
    }
}
