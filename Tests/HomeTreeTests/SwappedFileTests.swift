import CLinux
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// What is reached by a name is what was looked up: the owner of the backing folder can put another file
/// there.
@Suite struct SwappedFileTests {
    /// A file that was looked up, and another in its place since.
    private func swapped() throws -> (fixture: TreeFixtureBox, found: Found) {
        let box = try TreeFixtureBox()
        let found = try box.fixture.make("a")
        let documents = box.fixture.folder.path + "/data/Documents"
        try write("another's", to: documents + "/b")
        #expect(rename(documents + "/b", documents + "/a") == 0)
        return (box, found)
    }

    @Test func anotherFileIsNeitherOpenedNorEmptied() throws {
        let (box, found) = try swapped()
        #expect(throws: Errno.staleHandle) {
            try box.fixture.tree.open(found.inode, flags: lx_o_wronly | lx_o_trunc)
        }
        #expect(throws: Errno.staleHandle) { try box.fixture.tree.open(found.inode, flags: 0) }
        #expect(try contents(of: box.fixture.folder.path + "/data/Documents/a") == "another's")
    }

    @Test func anotherFilesAttributesAreNotTold() throws {
        let (box, found) = try swapped()
        #expect(throws: Errno.staleHandle) { try box.fixture.tree.attributes(of: found.inode) }
    }

    @Test(arguments: [lx_o_wronly, lx_o_rdwr, 0]) func anOpenEmptiesItsOwnFile(access: Int32) throws {
        let fixture = try TreeFixture()
        let found = try fixture.make("a")
        let path = fixture.folder.path + "/data/Documents/a"
        try write("old", to: path)
        let handle = try fixture.tree.open(found.inode, flags: access | lx_o_trunc)
        fixture.tree.close(handle, of: found.inode)
        #expect(try contents(of: path) == "")
    }

    @Test func aRemovedNameThatLeadsElsewhereIsNoDescriptorOfTheInode() throws {
        let fixture = try TreeFixture()
        let found = try fixture.make("a")
        #expect(!fixture.tree.inodes.isInode(found.inode, try fixture.folder.opened("data/Documents")))
    }
}

/// Holds a fixture for a tuple, which has no place for what cannot be copied.
final class TreeFixtureBox {
    let fixture: TreeFixture
    init() throws { fixture = try TreeFixture() }
}

extension TemporaryFolder {
    /// Left open for the test.
    fileprivate func opened(_ path: String) throws -> Int32 {
        try Descriptor(self.path + "/" + path, flags: 0).release()
    }
}
