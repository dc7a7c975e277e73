import CLinux
import Glibc
import HomeFiles
import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// Names that the kernel never sends: the tree's other callers have theirs from stores, backups and clients.
@Suite struct OddNamesTests {
    @Test func aLinkGetsNone() throws {
        let site = try OddSite()
        let found = try site.fixture.lookup("file").inode
        try site.refuses { (name) throws(Errno) in
            _ = try site.fixture.tree.link(found, as: name, in: site.fixture.documents)
        }
    }

    @Test func aSymlinkGetsNone() throws {
        let site = try OddSite()
        try site.refuses { (name) throws(Errno) in
            _ = try "target".withFileName { (target) throws(Errno) in
                try site.fixture.tree.makeSymlink(
                    to: target.cString, name, in: site.fixture.documents, owner: site.fixture.owner)
            }
        }
    }

    @Test func aNodeAndADirectoryGetNone() throws {
        let site = try OddSite()
        // A file, a fifo and a socket.
        for type: UInt32 in [0o100000, 0o010000, 0o140000] {
            try site.refuses { (name) throws(Errno) in
                _ = try site.fixture.tree.makeNode(
                    name, in: site.fixture.documents, mode: type | 0o644, owner: site.fixture.owner)
            }
        }
        try site.refuses { (name) throws(Errno) in
            _ = try site.fixture.tree.makeDirectory(
                name, in: site.fixture.documents, mode: 0o755, owner: site.fixture.owner)
        }
    }

    @Test func whatIsPlacedGetsNone() throws {
        let site = try OddSite()
        let source = try Descriptor(site.fixture.folder.path + "/outside", flags: O_RDONLY)
        try site.refuses { (name) throws(Errno) in
            try site.fixture.tree.place(
                source.raw, as: name, in: site.fixture.documents, mode: 0o644, owner: site.fixture.owner)
        }
        try site.refuses { (name) throws(Errno) in
            try site.fixture.tree.place(
                [1], as: name, in: site.fixture.documents, mode: 0o644, owner: site.fixture.owner)
        }
    }

    @Test func whatIsPlacedBesideGetsNone() throws {
        let site = try OddSite()
        let source = try Descriptor(site.fixture.folder.path + "/outside", flags: O_RDONLY)
        for name in site.names {
            // The next one would be fine: a name that is odd is no name that is taken.
            #expect(throws: Errno.invalidArgument, "\(name)") {
                _ = try site.fixture.tree.placeBeside(
                    source.raw, in: site.fixture.documents, mode: 0o644, owner: site.fixture.owner
                ) { $0 == 1 ? name : "\($0)" }
            }
        }
        try site.isUnchanged()
    }
}

/// A tree with a file and a directory, `a`, where each odd name would lead somewhere.
private struct OddSite: ~Copyable {
    let fixture: TreeFixture
    let names: [String]

    init() throws {
        let fixture = try TreeFixture()
        _ = try fixture.make("file")
        _ = try fixture.makeDirectory("a")
        try write("outside", to: fixture.folder.path + "/outside")
        names = ["", "/", ".", "..", "a/b", "a/", "../b", fixture.folder.path + "/b"]
        self.fixture = fixture
    }

    /// Expects EINVAL for each, and that nothing was made anywhere.
    func refuses(_ call: (FileName) throws(Errno) -> Void) throws {
        for name in names {
            #expect(throws: Errno.invalidArgument, "\(name)") { try name.withFileName(call) }
        }
        try isUnchanged()
    }

    func isUnchanged() throws {
        let path = fixture.folder.path
        #expect(try TestKit.names(in: path) == ["data", "outside", "staging"])
        #expect(try TestKit.names(in: path + "/staging") == [])
        #expect(try TestKit.names(in: path + "/data") == ["Documents"])
        #expect(try TestKit.names(in: path + "/data/Documents") == ["a", "file"])
        #expect(try TestKit.names(in: path + "/data/Documents/a") == [])
    }
}
