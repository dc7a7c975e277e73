import CLinux
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// What the check of the tree finds.
@Suite struct InvariantTests {
    @Test func aReferenceThatIsMissingAndANameThatWentAreFound() throws {
        let fixture = try TreeFixture()
        let found = try fixture.make("a")
        #expect(fixture.tree.checkInvariants() == [])
        fixture.tree.tables.withLock { $0.dropReference(fixture.documents) }
        fixture.tree.tables.withLock { $0.dropReference(fixture.documents) }
        #expect(fixture.tree.checkInvariants().count == 1)
        for _ in 0..<2 { fixture.tree.retain(fixture.documents) }
        // A name that went without a word: neither is the inode detached, nor does the index know.
        fixture.tree.tables.withLock { $0.slab[found.inode].clearName() }
        #expect(fixture.tree.checkInvariants().count == 2)
        let name = "a"
        name.withFileName { name in
            fixture.tree.tables.withLock { $0.slab[found.inode].setName(name) }
        }
        fixture.tree.forget(found.inode)
    }
}

@Suite struct InodeTests {
    @Test func aHundredThousandReusedNumbersNeverShowADeadFile() throws {
        let fixture = try TreeFixture(cachedDescriptors: 16)
        var held: [InodeNumber] = []
        var backingNumbers = Set<UInt>()
        for round in 0..<100_000 {
            let found = try fixture.make("f")
            held.append(found.inode)
            backingNumbers.insert(found.status.st_ino)
            if round % 1000 == 0 { #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 1) }
            try fixture.remove("f")
            // Unlinked: what still answers must answer for itself, with no link, or not at all.
            if let status = try? fixture.tree.attributes(of: found.inode) { #expect(status.st_nlink == 0) }
        }
        // The file system did give numbers again, or this proves nothing; and each got a record of its own.
        #expect(backingNumbers.count < 50_000)
        #expect(Set(held).count == held.count)
        for inode in held { fixture.tree.forget(inode) }
        #expect(fixture.tree.liveInodeCount == 3)
    }

    @Test func aHundredThousandLiveInodesNeedFewDescriptors() throws {
        // Tests before this one may have left some open for a while.
        let before = try names(in: "/proc/self/fd").count
        let fixture = try TreeFixture(cachedDescriptors: 16)
        var held: [Found] = []
        for directory in 0..<100 {
            let parent = try fixture.makeDirectory("d\(directory)")
            held.append(parent)
            for file in 0..<1000 { held.append(try fixture.make("f\(file)", in: parent.inode)) }
        }
        let open = try names(in: "/proc/self/fd").count
        #expect(open - before < 100)
        for found in held {
            #expect(try fixture.tree.attributes(of: found.inode).st_ino == found.status.st_ino)
        }
        for found in held.reversed() { fixture.tree.forget(found.inode) }
        #expect(fixture.tree.liveInodeCount == 3)
    }

    @Test func aDescriptorIsOpenedAgainAlongALongPath() throws {
        let fixture = try TreeFixture(cachedDescriptors: 4)
        var chain: [Found] = []
        for level in 0..<5000 {
            chain.append(try fixture.makeDirectory("level\(level)", in: chain.last?.inode))
        }
        let leaf = try fixture.make("leaf", in: chain[4999].inode)
        // Use others, so that the deep ones lose their descriptors.
        for found in chain.prefix(100) {
            _ = try fixture.lookup("nothing", in: found.inode, absentIsFine: true)
        }
        #expect(try fixture.tree.attributes(of: leaf.inode).st_ino == leaf.status.st_ino)
        #expect(fixture.tree.place(of: leaf.inode) == .free)
    }

    @Test func aRenamedFileIsReachedByItsNewName() throws {
        let fixture = try TreeFixture()
        let directory = try fixture.makeDirectory("d")
        let found = try fixture.make("a")
        try fixture.rename("a", to: "b", in: directory.inode)
        #expect(try fixture.tree.attributes(of: found.inode).st_ino == found.status.st_ino)
        #expect(fixture.tree.path(of: found.inode) == "Documents/d/b")
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("a") }
    }

    @Test func anUnlinkedFileLivesAsLongAsAHandleIsOpen() throws {
        let fixture = try TreeFixture(cachedDescriptors: 16)
        let (found, handle) = try fixture.create("a")
        let second = try fixture.tree.open(found.inode, flags: lx_o_rdwr)
        try fixture.remove("a")
        // Fill the cache with others.
        for index in 0..<100 { fixture.tree.forget(try fixture.makeDirectory("d\(index)").inode) }
        #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 0)
        fixture.tree.close(handle, of: found.inode)
        #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 0)
        fixture.tree.close(second, of: found.inode)
        fixture.tree.forget(found.inode)
        #expect(fixture.tree.openHandleCount == 0)
    }

    @Test func ofTwoLinksTheOtherStaysWhenOneGoes() throws {
        let fixture = try TreeFixture(cachedDescriptors: 16)
        let found = try fixture.make("a")
        let linked = try "b".withFileName { (name) throws(Errno) in
            try fixture.tree.link(found.inode, as: name, in: fixture.documents)
        }
        #expect(linked.inode == found.inode)
        try fixture.remove("a")
        #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 1)
        let again = try fixture.lookup("b")
        #expect(again.inode == found.inode)
        #expect(fixture.tree.path(of: found.inode) == "Documents/b")
    }

    @Test func beyondTheShareAnOpenIsRefusedAndTheRestGoesOn() throws {
        let fixture = try TreeFixture(cachedDescriptors: 16, handles: 20)
        let found = try fixture.make("a")
        let handles = try (0..<10).map { _ in try fixture.tree.open(found.inode, flags: 0) }
        #expect(throws: Errno.tooManyOpenFilesInSystem) { try fixture.tree.open(found.inode, flags: 0) }
        #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 1)
        fixture.tree.close(handles[0], of: found.inode)
        fixture.tree.close(try fixture.tree.open(found.inode, flags: 0), of: found.inode)
        for handle in handles.dropFirst() { fixture.tree.close(handle, of: found.inode) }
    }

    @Test func threadsThatRenameRemoveAndLookLeaveNothingBehind() throws {
        let fixture = try TreeFixture(cachedDescriptors: 8)
        let one = try fixture.makeDirectory("one").inode
        let other = try fixture.makeDirectory("other").inode
        let tree = fixture.tree
        let owner = fixture.owner
        let threads = try (0..<4).map { seed in
            Joined(
                try NativeThread(name: "mover") {
                    var generator = SystemRandomNumberGenerator()
                    for _ in 0..<5000 {
                        let name = "f\(Int.random(in: 0..<5, using: &generator))"
                        let new = "f\(Int.random(in: 0..<5, using: &generator))"
                        let (from, to) = Bool.random() ? (one, other) : (other, one)
                        name.withFileName { name in
                            new.withFileName { new in
                                step(seed, tree, name, from, new, to, owner)
                            }
                        }
                    }
                })
        }
        for thread in threads { thread.join() }
        for directory in [one, other] {
            for name in try tree.names(in: directory) {
                _ = try name.withFileName { (name) throws(Errno) in try tree.removeFile(name, in: directory) }
            }
        }
        #expect(tree.liveInodeCount == 5)
        #expect(tree.openHandleCount == 0)
    }
}

/// One step of a program that works in a home.
private func step(
    _ kind: Int, _ tree: HomeTree, _ name: FileName, _ from: InodeNumber, _ new: FileName, _ to: InodeNumber,
    _ owner: Owner
) {
    switch kind {
    case 0:
        let flags = lx_o_rdwr | lx_o_creat
        if let made = try? tree.create(name, in: from, mode: 0o644, flags: flags, owner: owner) {
            tree.close(made.1, of: made.0.inode)
            tree.forget(made.0.inode)
        }
    case 1: _ = try? tree.rename(name, in: from, to: new, in: to)
    case 2: _ = try? tree.removeFile(name, in: from)
    default:
        guard let found = try? tree.lookup(name, in: from) else { return }
        // It may be gone by now, but it must never be another file.
        if let now = try? tree.attributes(of: found.inode) { #expect(now.st_ino == found.status.st_ino) }
        if let handle = try? tree.open(found.inode, flags: 0) { tree.close(handle, of: found.inode) }
        tree.forget(found.inode)
    }
}

extension TreeFixture {
    /// Looks a name up that need not be there.
    func lookup(_ name: String, in directory: InodeNumber, absentIsFine: Bool) throws(Errno) -> Found? {
        do throws(Errno) { return try lookup(name, in: directory) } catch {
            if absentIsFine && error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    @Test(arguments: ["", ".", "..", "a/b", "/"])
    func whatIsNotOneNameIsRefusedByEveryCall(name: String) throws {
        let fixture = try TreeFixture()
        let tree = fixture.tree
        fixture.tree.forget(try fixture.makeDirectory("a").inode)
        #expect(throws: Errno.invalidArgument) { try fixture.lookup(name) }
        #expect(throws: Errno.invalidArgument) { try fixture.create(name) }
        #expect(throws: Errno.invalidArgument) { try fixture.makeDirectory(name) }
        #expect(throws: Errno.invalidArgument) { try fixture.remove(name) }
        #expect(throws: Errno.invalidArgument) { try fixture.rename(name, to: "b") }
        #expect(throws: Errno.invalidArgument) { try fixture.rename("a", to: name) }
        #expect(try tree.names(in: fixture.documents).count == 1)
    }

    /// The kernel asks so where it believes that nothing has the name, and takes only a file for an answer.
    @Test func openingAsNewWhatIsNoFileIsRefusedAndLeavesNothingOpen() throws {
        let fixture = try TreeFixture()
        let tree = fixture.tree
        let path = fixture.folder.path + "/data/Documents/"
        #expect(mkdir(path + "folder", 0o755) == 0 && mkfifo(path + "pipe", 0o644) == 0)
        for (name, error): (String, Errno) in [("folder", .isDirectory), ("pipe", .staleHandle)] {
            #expect(throws: error) {
                try name.withFileName { (name) throws(Errno) in
                    try tree.create(
                        name, in: fixture.documents, mode: 0o644, flags: lx_o_creat, owner: fixture.owner)
                }
            }
        }
        #expect(tree.openHandleCount == 0 && tree.liveInodeCount == 3)
    }
}
