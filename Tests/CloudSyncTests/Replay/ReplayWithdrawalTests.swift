import CloudSync
import Testing

@testable import SyncLog

/// SYNC.md 3's table: withdraw and resolve.
@Suite struct ReplayWithdrawalTests {
    @Test(arguments: StorageKind.allCases)
    func `A withdraw takes the item out, with all below a directory`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(
            1, Say.directory(1, "d"), Say.directory(2, "e", in: 1), Say.create(3, "a", in: 2, 5),
            Say.create(4, "b", 6))
        try tree.commit(2, Say.withdraw(1))
        for file in [1, 2, 3] as [UInt128] { #expect(try tree.state(file) == "withdrawn") }
        #expect(try tree.state(4) == "live")
        try tree.commit(2, Say.create(5, "d", 7))
        #expect(try tree.path(5) == "d")
    }

    @Test(arguments: StorageKind.allCases)
    func `The first withdraw that names a content starts its retention, and the mark outlives it`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.withdraw(1))
        tree.pass(days: 40)
        try tree.commit(1, Say.withdraw(1, made))
        tree.pass(days: 29)
        try tree.commit(1, Say.withdraw(1, made))
        #expect(try tree.node(1)?.contents.map(\.number) == [5])
        tree.pass(days: 2)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.state(1) == "withdrawn")
        #expect(try tree.node(1)?.contents == [])
        tree.pass(days: 4000)
        try tree.commit(2, Say.create(10, "y", 9))
        #expect(try tree.state(1) == "withdrawn")
    }

    /// It lies in a directory that is gone too, beside one that lives.
    @Test(arguments: StorageKind.allCases)
    func `A withdraw of a directory that names contents finds them in what is gone there`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"), Say.directory(2, "e", in: 1), Say.create(3, "b", in: 1, 6))
        let made = try tree.commit(1, Say.create(4, "a", in: 2, 5))
        try tree.commit(1, Say.withdraw(2))
        try tree.commit(1, Say.withdraw(1, made))
        #expect(try tree.state(3) == "withdrawn")
        tree.pass(days: 31)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.node(4)?.contents == [])
        #expect(try tree.node(3)?.contents.map(\.number) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A withdrawn content that was not named never expires`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.edit(1, on: made, 6))
        try tree.commit(1, Say.withdraw(1, made))
        tree.pass(days: 4000)
        try tree.commit(2, Say.create(9, "z", 9))
        #expect(try tree.node(1)?.contents.map(\.number) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A withdraw of what is deleted or unknown does nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.delete(1, at: made, made))
        try tree.commit(1, Say.withdraw(1, made), Say.withdraw(2, made))
        #expect(try tree.state(1) == "deleted")
        #expect(try tree.state(2) == "unknown")
    }

    @Test(arguments: StorageKind.allCases)
    func `A resolve makes its choice current and takes the versions it names`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        let two = try tree.commit(3, Say.edit(1, on: made, 7))
        let three = try tree.commit(4, Say.edit(1, on: made, 8))
        let choice = try tree.commit(1, Say.resolve(1, keep: two, one, two, three))
        #expect(try tree.contents(1) == [7])
        #expect(try tree.node(1)?.current?.revisions == [choice, two])
        #expect(try tree.history(1) == [5, 6, 8])
    }

    @Test(arguments: StorageKind.allCases)
    func `A resolve that has not seen the current content leaves its choice a version`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        let two = try tree.commit(3, Say.edit(1, on: made, 7))
        let three = try tree.commit(4, Say.edit(1, on: made, 8))
        try tree.commit(2, Say.edit(1, on: one, 9))
        try tree.commit(1, Say.resolve(1, keep: two, one, two, three))
        #expect(try tree.contents(1) == [9, 7])
    }

    @Test(arguments: StorageKind.allCases)
    func `A resolve keeps versions that it has not seen`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        let two = try tree.commit(3, Say.edit(1, on: made, 7))
        try tree.commit(4, Say.edit(1, on: made, 8))
        try tree.commit(1, Say.resolve(1, keep: one, one, two))
        #expect(try tree.contents(1) == [6, 8])
    }

    @Test(arguments: StorageKind.allCases)
    func `A resolve whose choice is gone does nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        let two = try tree.commit(3, Say.edit(1, on: made, 7))
        try tree.commit(3, Say.edit(1, on: two, 8))
        try tree.commit(1, Say.resolve(1, keep: two, one, two), Say.resolve(9, keep: two, one))
        #expect(try tree.contents(1) == [6, 8])
    }

    @Test(arguments: StorageKind.allCases)
    func `A delete that has not seen a resolve does not take what it chose`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: made, 6))
        let two = try tree.commit(3, Say.edit(1, on: made, 7))
        try tree.commit(1, Say.resolve(1, keep: one, one, two))
        try tree.commit(2, Say.delete(1, at: try tree.place(1), one, two))
        #expect(try tree.contents(1) == [6])
    }
}
