import CloudSync
import Testing

@testable import SyncLog

/// SYNC.md 3: *placing*, and moves.
@Suite struct ReplayPlacingTests {
    @Test(arguments: StorageKind.allCases)
    func `The last move in log order wins`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5), Say.directory(2, "d"))
        try tree.commit(2, Say.move(1, "b"))
        try tree.commit(3, Say.move(1, to: 2, "c"))
        #expect(try tree.path(1) == "d/c")
    }

    @Test(arguments: StorageKind.allCases)
    func `A move of what is deleted, withdrawn or unknown does nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let one = try tree.commit(1, Say.create(1, "a", 5))
        let other = try tree.commit(1, Say.create(2, "b", 6))
        try tree.commit(1, Say.delete(1, at: one, one), Say.withdraw(2, other))
        try tree.commit(2, Say.move(1, "x"), Say.move(2, "y"), Say.move(3, "z"))
        #expect(try tree.node(1)?.wantedName == "a")
        #expect(try tree.node(2)?.wantedName == "b")
        #expect(try tree.state(3) == "unknown")
    }

    @Test(arguments: StorageKind.allCases)
    func `A move that makes a cycle does nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "a"), Say.directory(2, "b"))
        try tree.commit(1, Say.move(1, to: 2, "a"))
        try tree.commit(2, Say.move(2, to: 1, "b"), Say.move(1, to: 1, "c"))
        #expect(try tree.path(1) == "b/a")
        #expect(try tree.path(2) == "b")
    }

    @Test(arguments: StorageKind.allCases)
    func `A cycle through a deleted directory's last parent is one`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "a"))
        let inner = try tree.commit(1, Say.directory(2, "b", in: 1))
        try tree.commit(1, Say.delete(2, at: inner))
        try tree.commit(2, Say.move(1, to: 2, "a"))
        #expect(try tree.path(1) == "a")
        #expect(try tree.state(2) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `A cycle that a revival makes is one`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.directory(1, "a"))
        try tree.commit(1, Say.delete(1, at: first))
        // Another directory of that name: reviving the first makes it an alias of this one.
        try tree.commit(2, Say.directory(2, "a"))
        try tree.commit(3, Say.move(2, to: 1, "x"))
        #expect(try tree.path(2) == "a")
    }

    @Test(arguments: StorageKind.allCases)
    func `What has an unknown parent, or a file for one, goes to the root`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.create(2, "b", in: 77, 6), Say.create(3, "c", in: 1, 7))
        #expect(try tree.path(2) == "b")
        #expect(try tree.path(3) == "c")
    }

    @Test(arguments: StorageKind.allCases)
    func `What is put below a withdrawn directory is withdrawn with all below it`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "w"), Say.directory(2, "d"), Say.create(3, "a", in: 2, 5))
        try tree.commit(1, Say.withdraw(1))
        try tree.commit(2, Say.move(2, to: 1, "d"), Say.create(4, "b", in: 1, 6))
        for file in [2, 3, 4] as [UInt128] { #expect(try tree.state(file) == "withdrawn") }
    }

    @Test(arguments: StorageKind.allCases)
    func `A deleted parent and its ancestors are revived under their last names`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let outer = try tree.commit(1, Say.directory(1, "a"))
        let inner = try tree.commit(1, Say.directory(2, "b", in: 1))
        try tree.commit(1, Say.delete(2, at: inner), Say.delete(1, at: outer))
        #expect(try tree.state(1) == "deleted")
        try tree.commit(2, Say.create(3, "c", in: 2, 5))
        #expect(try tree.path(3) == "a/b/c")
    }

    @Test(arguments: StorageKind.allCases)
    func `A revived directory clashes as a created one does`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.directory(1, "a"))
        try tree.commit(1, Say.delete(1, at: first), Say.create(2, "a", 5))
        try tree.commit(2, Say.create(3, "x", in: 1, 6))
        #expect(try tree.path(2) == "a")
        #expect(try tree.path(3) == "a 2/x")
    }

    @Test(arguments: StorageKind.allCases)
    func `Names are one when their normal forms are`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "caf\u{e9}", 5))
        try tree.commit(2, Say.create(2, "cafe\u{301}", 6))
        #expect(try tree.contents(1) == [5, 6])
        #expect(try tree.path(2)?.utf8.elementsEqual("caf\u{e9}".utf8) == true)
    }

    @Test(arguments: StorageKind.allCases)
    func `Items that cannot be one are numbered, and remember the name they want`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a.txt", 5))
        try tree.commit(2, Say.directory(2, "a.txt"), Say.symlink(3, "a.txt", to: "x"))
        try tree.commit(3, Say.symlink(4, "a.txt", to: "y"), Say.symlink(5, "a.txt", to: "x"))
        #expect(try tree.path(2) == "a.txt 2")
        #expect(try tree.path(3) == "a 2.txt")
        #expect(try tree.path(4) == "a 3.txt")
        #expect(try tree.node(4)?.wantedName == "a.txt")
        // Their shown names differ, so these two never met: a number is kept until the next move.
        #expect(try tree.path(5) == "a 4.txt")
    }

    @Test(arguments: StorageKind.allCases)
    func `A name that no disk takes is shown as the item's id`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let names = ["", ".", "..", "a/b", "a\0b", String(repeating: "x", count: 256)]
        for (index, name) in names.enumerated() {
            try tree.commit(1, Say.create(UInt128(index + 1), name, index + 1))
            #expect(try tree.path(UInt128(index + 1)) == String(repeating: "0", count: 31) + "\(index + 1)")
        }
    }
}
