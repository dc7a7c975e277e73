import Testing

@testable import CloudSync
@testable import SyncLog

/// SYNC.md 3's table: operations that bring contents.
@Suite struct ReplayEditTests {
    @Test(arguments: StorageKind.allCases)
    func `A create adds an item under its parent`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(1, "d"), Say.create(2, "a", in: 1, 5))
        #expect(try tree.path(2) == "d/a")
        #expect(try tree.contents(2) == [5])
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of the current content replaces it, and history keeps that`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.edit(1, on: first, 6))
        #expect(try tree.contents(1) == [6])
        #expect(try tree.history(1) == [5])
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of what is not current any more becomes a version, current stays`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.edit(1, on: first, 6))
        try tree.commit(3, Say.edit(1, on: first, 7))
        #expect(try tree.contents(1) == [6, 7])
        #expect(try tree.storage.read { try $0.treeCounts().conflicts } == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of a version replaces that version`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.edit(1, on: first, 6))
        let version = try tree.commit(3, Say.edit(1, on: first, 7))
        try tree.commit(3, Say.edit(1, on: version, 8))
        #expect(try tree.contents(1) == [6, 8])
        #expect(try tree.history(1) == [5, 7])
    }

    @Test(arguments: StorageKind.allCases)
    func `Equal contents of one item join their sets, and a base in the set matches`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.create(1, "a", 5))
        let one = try tree.commit(2, Say.edit(1, on: first, 6))
        let other = try tree.commit(3, Say.edit(1, on: first, 6))
        #expect(try tree.contents(1) == [6])
        #expect(try tree.node(1)?.current?.revisions == [one, other])
        try tree.commit(3, Say.edit(1, on: other, 7))
        #expect(try tree.contents(1) == [7])
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit that makes the current content equal to a version ends the conflict`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let first = try tree.commit(1, Say.create(1, "a", 5))
        let current = try tree.commit(2, Say.edit(1, on: first, 6))
        try tree.commit(3, Say.edit(1, on: first, 7))
        try tree.commit(2, Say.edit(1, on: current, 7))
        #expect(try tree.contents(1) == [7])
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit revives a deleted item with its content alone, at its last place`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.move(1, "b"))
        try tree.commit(1, Say.delete(1, at: try tree.place(1), made))
        #expect(try tree.state(1) == "deleted")
        try tree.commit(3, Say.edit(1, on: made, 6))
        #expect(try tree.contents(1) == [6])
        #expect(try tree.path(1) == "b")
        #expect(try tree.history(1) == [5])
    }

    @Test(arguments: StorageKind.allCases)
    func `A revived item keeps its place revision, so that who edits and deletes offline deletes`(
        kind: StorageKind
    ) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        let place = try tree.place(1)
        try tree.commit(2, Say.delete(1, at: place, made))
        let edit = try tree.commit(1, Say.edit(1, on: made, 6))
        try tree.commit(1, Say.delete(1, at: place, edit))
        #expect(try tree.state(1) == "deleted")
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of a withdrawn item leaves it withdrawn and keeps the content`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(1, Say.withdraw(1, made))
        try tree.commit(2, Say.edit(1, on: made, 6))
        #expect(try tree.state(1) == "withdrawn")
        #expect(try tree.node(1)?.current?.number == 6)
        #expect(try tree.node(1)?.current?.withdrawn == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `An edit of an unknown item makes it, where the edit says`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.directory(9, "d"))
        try tree.commit(2, Say.edit(1, on: tree.next(3), 6, in: 9, "x"))
        #expect(try tree.path(1) == "d/x")
        #expect(try tree.contents(1) == [6])
    }

    @Test(arguments: StorageKind.allCases)
    func `A second create of one id loses nothing`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(2, Say.create(1, "b", 6))
        #expect(try tree.contents(1) == [5, 6])
        #expect(try tree.path(1) == "a")
    }

    @Test(arguments: StorageKind.allCases)
    func `The last attributes count for a live item, and for no other`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5), Say.directory(2, "d"))
        let private600 = Attributes(mode: 0o600, modified: 7)
        for file in [1, 2, 77] as [UInt128] {
            try tree.commit(2, .setAttributes(file: FileID(bits: file), private600))
        }
        #expect(try tree.node(1)?.attributes == private600)
        #expect(try tree.node(2)?.attributes == private600)
        #expect(try tree.state(77) == "unknown")
        try tree.commit(1, Say.delete(1, at: try tree.place(1), made))
        let before = try tree.node(1)
        try tree.commit(2, .setAttributes(file: FileID(bits: 1), Say.attributes))
        #expect(try tree.node(1) == before)
    }

    @Test(arguments: StorageKind.allCases)
    func `Nothing becomes a directory, and a directory holds no content`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let file = try tree.commit(1, Say.create(1, "a", 5))
        let directory = try tree.commit(1, Say.directory(2, "d"))
        try tree.commit(2, Say.edit(2, on: directory, 6))
        let edit = Edit(
            file: FileID(bits: 1), base: file, content: .directory, attributes: Say.attributes,
            parent: .root, name: "a")
        try tree.commit(2, .edit(edit))
        #expect(try tree.contents(1) == [5])
        #expect(try tree.contents(2) == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `No operation is about Documents itself`(kind: StorageKind) throws {
        var tree = try ReplayFixture(kind)
        let made = try tree.commit(1, Say.create(1, "a", 5))
        try tree.commit(
            2, Say.delete(0, at: made), Say.withdraw(0), Say.move(0, to: 1, "x"), Say.edit(0, on: made, 6),
            Say.create(0, "x", 7), Say.directory(0, "y"))
        #expect(try tree.path(1) == "a")
        #expect(try tree.storage.read { try $0.treeCounts().documents } == 1)
    }
}
