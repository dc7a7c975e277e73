import CloudStore
import StoreBasics
import SyncChecks
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// The retention that a person ends.
@Suite struct ReplayHistoryTests {
    private func chunk(_ content: Int, _ tree: borrowing ReplayFixture) throws -> ChunkRecord? {
        try tree.storage.read { try $0.chunk(ModelContent.hash(content)) }
    }

    @Test(arguments: StorageKind.allCases)
    func `What is named goes a week later, and what is not after its thirty days`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let two = try tree.commit(1, Say.create(2, "b", 6))
        try tree.commit(1, Say.delete(1, at: one, one), Say.delete(2, at: two, two))
        tree.pass(days: 1)
        try tree.commit(1, Say.endHistory((1, [one]), (3, [one])))
        tree.pass(days: 7)
        try tree.commit(2, Say.create(8, "y", 8))
        #expect(try tree.history(1) == [5])
        // The clock of the chunk is what everybody else relies on.
        let known = KnownChunk(
            try #require(try chunk(5, tree)), AccountRetention(),
            readAt: StoreMoment(date: StoreTime(seconds: 0), clock: 0))
        let end = try #require(known.referencedUntil)
        #expect(try tree.storage.read { try $0.treeHead().time } <= end)
        tree.pass(days: 1)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.history(1) == [])
        #expect(try chunk(5, tree) == nil)
        #expect(try tree.history(2) == [6])
        #expect(try tree.state(1) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `What other history refers to stays with it, unless both go`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let two = try tree.commit(1, Say.create(2, "b", 5))
        let three = try tree.commit(1, Say.create(3, "c", 6))
        let four = try tree.commit(1, Say.create(4, "d", 6))
        try tree.commit(1, Say.delete(1, at: one, one), Say.delete(3, at: three, three))
        tree.pass(days: 1)
        try tree.commit(1, Say.delete(2, at: two, two), Say.delete(4, at: four, four))
        try tree.commit(1, Say.endHistory((2, [two]), (3, [three]), (4, [four])))
        tree.pass(days: 9)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.history(1) == [5] && tree.history(2) == [5])
        #expect(try tree.history(3) == [] && tree.history(4) == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `A version of a live document goes, the document and what is used again do not`(kind: StorageKind)
        throws
    {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let second = try tree.commit(1, Say.edit(1, on: made, 6))
        try tree.commit(1, Say.edit(1, on: second, 7))
        try tree.commit(1, Say.endHistory((1, [made, second])))
        try tree.commit(2, Say.create(2, "b", 6))
        tree.pass(days: 9)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.contents(1) == [7] && tree.contents(2) == [6] && tree.history(1) == [])
        #expect(try chunk(5, tree) == nil)
        #expect(try chunk(6, tree)?.liveCount == 1)
    }

    /// The rows say the same to who has the tree from a snapshot.
    @Test func `A snapshot makes the same clocks`() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var model = ReplayModel(seed: seed, shape: .endings)
            #expect(try model.run() == [])
            let storage = MemoryStorage()
            let head = try model.witness.read { try $0.treeHead() }
            let records = try model.witness.records().map { try SnapshotRecord($0) }
            try storage.write { transaction in
                var loader = try SnapshotLoader(transaction)
                for record in records { try loader.load(record) }
                try loader.finish(head: head)
            }
            let here = try model.witness.read { try $0.chunks(after: nil, limit: .max) }
            #expect(
                try storage.read { try $0.chunks(after: nil, limit: .max) }.map(\.clock) == here.map(\.clock))
        }
    }
}

extension ChunkRecord {
    /// Nobody asks since when no history refers to it.
    fileprivate var clock: [Int64] {
        [Int64(liveCount), Int64(retainedCount), retainedCount == 0 ? 0 : retainedSince.seconds]
    }
}
