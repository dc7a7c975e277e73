import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// Directories that were filled under another policy: several items whose names are one now.
@Suite struct CollidingNamesTests {
    @Test func eachIsFoundByItsOwnBytesAndTheFirstByAnyOtherSpelling() throws {
        let fixture = try TreeFixture(policy: .simulator)
        try fill(fixture, ["abc", "ABC", "aBC", "lonely"])
        for name in ["abc", "ABC", "aBC"] { #expect(try text(name, fixture) == name) }
        // In the order of their bytes, each as long as it is there.
        for first in ["ABC", "aBC", "abc"] {
            #expect(try text("AbC", fixture) == first)
            try fixture.remove(first)
        }
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("AbC") }
        #expect(try text("LONELY", fixture) == "lonely")
    }

    @Test func whatIsBehindAnotherGoesAndComesWithoutIt() throws {
        let fixture = try TreeFixture(policy: .simulator)
        try fill(fixture, ["AB", "ab"])
        #expect(try text("aB", fixture) == "AB")
        try fixture.rename("ab", to: "c")
        try fixture.remove("AB")
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("aB") }
        fixture.tree.forget(try fixture.make("aB").inode)
        for name in ["AB", "ab"] { #expect(throws: Errno.fileExists) { try fixture.make(name) } }
        #expect(try names(in: fixture.folder.path + "/data/Documents") == ["aB", "c"])
    }

    @Test(arguments: [NamePolicy.device, .simulator])
    func bothNormalFormsStayApart(_ policy: NamePolicy) throws {
        let fixture = try TreeFixture(policy: policy)
        let forms = ["e\u{301}\u{323}", "\u{1eb9}\u{301}", "e\u{323}\u{301}"]
        try fill(fixture, forms)
        for form in forms { #expect(try Array(text(form, fixture).utf8) == Array(form.utf8)) }
        // An older file is replaced under its own bytes, whatever else the name could mean.
        try fixture.rename(forms[0], to: forms[1])
        #expect(try Array(text(forms[1], fixture).utf8) == Array(forms[0].utf8))
        #expect(try Array(text(forms[2], fixture).utf8) == Array(forms[2].utf8))
    }

    @Test func aLookThatNoProgramAskedForIsNoEvent() throws {
        let fixture = try TreeFixture(policy: .simulator)
        try fill(fixture, ["abc"])
        let found = try "ABC".withFileName { (name) throws(Errno) in
            try fixture.tree.peek(name, in: fixture.documents)
        }
        fixture.tree.forget(try #require(found).inode)
        #expect(fixture.events.all.isEmpty)
        fixture.tree.forget(try fixture.lookup("ABC").inode)
        #expect(fixture.events.all.count == 1)
    }

    /// SQLite names them as the program named the database.
    @Test func companionsOfADatabaseGoInWhicheverSpelling() throws {
        let fixture = try TreeFixture(policy: .simulator)
        try fill(fixture, ["Notes.db", "notes.db-wal", "NOTES.DB-shm", "kept"])
        let isStopped = try fixture.move("kept", to: "new", beside: ["Notes.db-wal"])
        #expect(isStopped)
        let isDone = try "Notes.db".withFileName { (name) throws(Errno) in
            try fixture.tree.removeCompanions(
                ["Notes.db-wal", "Notes.db-shm", "Notes.db-journal"], of: name, in: fixture.documents)
        }
        #expect(isDone)
        #expect(try names(in: fixture.folder.path + "/data/Documents") == ["Notes.db", "kept"])
    }

    /// Files whose text is their name, put there past the tree.
    private func fill(_ fixture: borrowing TreeFixture, _ names: [String]) throws {
        for name in names { try write(name, to: "\(fixture.folder.path)/data/Documents/\(name)") }
    }

    private func text(_ name: String, _ fixture: borrowing TreeFixture) throws -> String {
        let found = try fixture.lookup(name)
        defer { fixture.tree.forget(found.inode) }
        let handle = try fixture.tree.open(found.inode, flags: 0)
        defer { fixture.tree.close(handle, of: found.inode) }
        return try contents(of: "/proc/self/fd/\(handle.descriptor)")
    }
}

extension TreeFixture {
    /// Renames where nothing lies beside the new name.
    /// - Returns: whether something did, and nothing was renamed.
    fileprivate func move(_ name: String, to newName: String, beside: [String]) throws(Errno) -> Bool {
        let stamp = try name.withFileName { (name) throws(Errno) in
            try newName.withFileName { (newName) throws(Errno) in
                try tree.rename(
                    name, in: documents, to: newName, in: documents, flags: 0,
                    unused: UnusedFile(in: documents, companions: beside), if: { _, _ in true })
            }
        }
        return stamp == nil
    }
}
