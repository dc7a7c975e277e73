import CloudSync
import Testing

@testable import SyncLog

/// SYNC.md 3: *a merge is final*.
@Suite struct ReplayMergeTests {
    @Test(arguments: StorageKind.allCases)
    func `Two files of one name become one item, the later one's content its version`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.create(2, "a", 6))
        #expect(try tree.contents(1) == [5, 6])
        #expect(try tree.node(2)?.id == FileID(bits: 1))
        #expect(try tree.storage.read { try $0.treeCounts().documents } == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `Two files of one name and one content are no conflict`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let other = try tree.commit(2, Say.create(2, "a", 5))
        #expect(try tree.contents(1) == [5])
        #expect(try tree.node(1)?.current?.revisions == [one, other])
    }

    @Test(arguments: StorageKind.allCases)
    func `Two symlinks of one target are one item`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.symlink(1, "l", to: "x"))
        try tree.commit(2, Say.symlink(2, "l", to: "x"))
        #expect(try tree.node(2)?.id == FileID(bits: 1))
        #expect(try tree.node(1)?.versions == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `Every later operation on the one is one on the other`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5))
        let other = try tree.commit(2, Say.create(2, "a", 6))
        try tree.commit(2, Say.edit(2, on: other, 7), Say.move(2, "b"))
        #expect(try tree.contents(1) == [5, 7])
        #expect(try tree.path(1) == "b")
    }

    /// Two files whose items become one before their author knows that.
    /// - Returns: what the author based both on.
    private func merge(in tree: inout ReplayFixture) throws -> (one: Revision, other: Revision) {
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let other = try tree.commit(1, Say.create(2, "b", 6))
        try tree.commit(2, Say.move(2, "a"))
        return (one, other)
    }

    @Test(arguments: StorageKind.allCases, [false, true])
    func `Both contents stay where an author exchanged two files whose items had become one`(
        kind: StorageKind, isReversed: Bool
    ) throws {
        var tree = try ReplayFixture(kind)
        let (one, other) = try merge(in: &tree)
        let edits = [Say.edit(1, on: one, 6), Say.edit(2, on: other, 5)]
        if isReversed {
            try tree.commit(1, edits[1], edits[0])
        } else {
            try tree.commit(1, edits[0], edits[1])
        }
        #expect(try tree.contents(1)?.sorted() == [5, 6])
    }

    @Test func `Without that rule one of the two that were exchanged is lost`() throws {
        var tree = try ReplayFixture(rules: SafetyRules(removed: [.batchesKeepTheirOwn]))
        let (one, other) = try merge(in: &tree)
        try tree.commit(1, Say.edit(1, on: one, 6), Say.edit(2, on: other, 5))
        #expect(try tree.contents(1) == [5])
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of what its own batch made replaces that, also where it is an equal of another's`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let (one, _) = try merge(in: &tree)
        let (first, second) = (tree.next(1), tree.next(1, 1))
        try tree.commit(
            1, Say.edit(1, on: one, 6), Say.edit(1, on: first, 6), Say.edit(1, on: second, 7))
        #expect(try tree.contents(1) == [7])
    }

    @Test(arguments: StorageKind.allCases)
    func `A merge into what is merged itself goes to the last`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5), Say.create(2, "b", 6))
        let third = try tree.commit(2, Say.create(3, "b", 7))
        try tree.commit(1, Say.move(2, "a"))
        try tree.commit(2, Say.edit(3, on: third, 8))
        #expect(try tree.contents(1) == [5, 6, 8])
        #expect(try tree.node(1)?.aliases == [FileID(bits: 2), FileID(bits: 3)])
    }

    @Test(arguments: StorageKind.allCases)
    func `Two directories of one name become one, their children clash by wanted name and id`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"), Say.create(10, "a", in: 1, 5))
        try tree.commit(
            2, Say.directory(2, "e"), Say.create(20, "a", in: 2, 6), Say.directory(21, "b", in: 2),
            Say.create(22, "c", in: 21, 7))
        try tree.commit(2, Say.move(2, "d"))
        #expect(try tree.contents(10) == [5, 6])
        #expect(try tree.path(22) == "d/b/c")
        try tree.commit(3, Say.create(23, "n", in: 2, 8))
        #expect(try tree.path(23) == "d/n")
    }

    @Test(arguments: StorageKind.allCases)
    func `Deep directories merge level by level`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        for base in [0, 100] as [UInt128] {
            try tree.commit(1, Say.directory(base + 1, base == 0 ? "d" : "e"))
            for level in 1..<20 as Range<UInt128> {
                try tree.commit(1, Say.directory(base + level + 1, "x", in: base + level))
            }
            try tree.commit(1, Say.create(base + 50, "f", in: base + 20, Int(base) + 1))
        }
        try tree.commit(2, Say.move(101, "d"))
        #expect(try tree.contents(50) == [1, 101])
        #expect(try tree.storage.read { try $0.treeCounts().directories } == 20)
    }

    @Test(arguments: StorageKind.allCases)
    func `A delete by who has not seen the merge leaves the other's directory`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.directory(1, "d"))
        try tree.commit(2, Say.directory(2, "d"))
        try tree.commit(1, Say.delete(1, at: first))
        #expect(try tree.state(1) == "live")
    }

    @Test(arguments: StorageKind.allCases)
    func `Who makes and removes a directory offline does not remove the one it was merged into`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"))
        let mine = tree.next(2)
        try tree.commit(2, Say.directory(2, "d"), Say.delete(2, at: mine))
        #expect(try tree.state(1) == "live")
    }

    @Test(arguments: StorageKind.allCases)
    func `Who moves and removes a directory offline does not remove what was merged into it meanwhile`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"))
        try tree.commit(2, Say.directory(2, "d"))
        let move = tree.next(1)
        try tree.commit(1, Say.move(1, "e"), Say.delete(1, at: move))
        #expect(try tree.state(1) == "live")
        #expect(try tree.path(2) == "e")
        // Who has seen it may.
        try tree.commit(1, Say.delete(1, at: try tree.place(1)))
        #expect(try tree.state(1) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `What was deleted in a merged directory is revived where that is now`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"), Say.directory(2, "e"))
        let file = try tree.commit(1, Say.create(3, "a", in: 2, 5))
        try tree.commit(1, Say.delete(3, at: file, file), Say.move(2, "d"))
        try tree.commit(2, Say.edit(3, on: file, 6))
        #expect(try tree.path(3) == "d/a")
    }

    @Test func `A change tells what was merged into what, to the last`() throws {
        var tree = try ReplayFixture()
        try tree.commit(1, Say.create(1, "a", 5))
        let batch = Batch(
            device: DeviceID(bits: 7), n: 1,
            operations: [Say.create(2, "b", 6), Say.create(3, "b", 7), Say.move(2, "a")])
        let change = try tree.commit(batch)
        #expect(change.merged == [FileID(bits: 2): FileID(bits: 1), FileID(bits: 3): FileID(bits: 1)])
    }
}
