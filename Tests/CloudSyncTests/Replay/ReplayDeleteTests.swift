import CloudSync
import Testing

@testable import SyncLog

/// SYNC.md 3's table: delete.
@Suite struct ReplayDeleteTests {
    @Test(arguments: StorageKind.allCases)
    func `A delete that names all leaves a tombstone`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.delete(1, at: try tree.place(1), made))
        #expect(try tree.state(1) == "deleted")
        #expect(try tree.history(1) == [5])
        #expect(try tree.storage.read { try $0.treeCounts().tombstones } == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `A current content that is not named keeps the item`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let place = try tree.place(1)
        try tree.commit(2, Say.edit(1, on: made, 6))
        try tree.commit(1, Say.delete(1, at: place, made))
        #expect(try tree.contents(1) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A content of which one revision is not named stays`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        try tree.commit(3, Say.edit(1, on: made, 6))
        try tree.commit(2, Say.delete(1, at: try tree.place(1), one))
        #expect(try tree.contents(1) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A delete from another place keeps the current content and takes the versions it names`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let place = try tree.place(1)
        let edit = try tree.commit(2, Say.edit(1, on: made, 6))
        let version = try tree.commit(3, Say.edit(1, on: made, 7))
        try tree.commit(2, Say.move(1, "b"))
        try tree.commit(3, Say.delete(1, at: place, edit, version))
        #expect(try tree.contents(1) == [6])
        #expect(try tree.path(1) == "b")
    }

    @Test(arguments: StorageKind.allCases)
    func `Where the current content goes, the oldest version in log order becomes current`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let edit = try tree.commit(2, Say.edit(1, on: made, 6))
        try tree.commit(3, Say.edit(1, on: made, 7))
        try tree.commit(4, Say.edit(1, on: made, 8))
        try tree.commit(2, Say.delete(1, at: try tree.place(1), edit))
        #expect(try tree.contents(1) == [7, 8])
    }

    @Test(arguments: StorageKind.allCases)
    func `A directory goes when it is empty, and only by the place it has`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.directory(1, "d"))
        let file = try tree.commit(1, Say.create(2, "a", in: 1, 5))
        try tree.commit(2, Say.delete(1, at: first))
        #expect(try tree.state(1) == "live")
        try tree.commit(2, Say.delete(2, at: try tree.place(2), file))
        let moved = try tree.commit(1, Say.move(1, "e"))
        try tree.commit(2, Say.delete(1, at: first))
        #expect(try tree.state(1) == "live")
        try tree.commit(2, Say.delete(1, at: moved))
        #expect(try tree.state(1) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `Withdrawn children do not keep a directory`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let directory = try tree.commit(1, Say.directory(1, "d"))
        let file = try tree.commit(1, Say.create(2, "a", in: 1, 5))
        try tree.commit(1, Say.withdraw(2, file))
        try tree.commit(1, Say.delete(1, at: directory))
        #expect(try tree.state(1) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `A delete of what is deleted, withdrawn or unknown does nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let other = try tree.commit(1, Say.create(2, "b", 6))
        try tree.commit(1, Say.delete(1, at: one, one), Say.withdraw(2, other))
        try tree.commit(
            2, Say.delete(1, at: one, one), Say.delete(2, at: other, other), Say.delete(3, at: one))
        #expect(try tree.state(1) == "deleted")
        #expect(try tree.state(2) == "withdrawn")
        #expect(try tree.state(3) == "unknown")
    }
}
