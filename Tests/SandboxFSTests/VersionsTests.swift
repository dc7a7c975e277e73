import CLinux
import FuseKit
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@testable import SandboxFS

/// A home with the conflict versions of its documents, which somebody else tells of.
@Suite struct VersionsTests {
    private final class Version: ConflictVersion {
        let identity: String
        let name: String
        let content: ConflictContent
        let permissions: UInt32 = 0o755
        let modified: Int64 = 1_000_000_000
        private let source: Source

        init(_ name: String, of source: Source, _ content: ConflictContent? = nil) {
            (identity, self.name, self.source) = (name, name, source)
            self.content = content ?? .file(sizeBytes: UInt64(name.utf8.count))
        }

        func read(
            offset: UInt64, sizeBytes: Int, _ done: @escaping @Sendable (Result<[UInt8], Errno>) -> Void
        ) {
            done(.success(Array(name.utf8.dropFirst(Int(offset)).prefix(sizeBytes))))
        }

        func drop() throws(Errno) {
            if source.refuses { throw .ioError }
            source.versions.withLock { $0.removeAll { $0.name == name } }
        }
    }

    private final class Source: ConflictSource {
        let versions = Lock<[Version]>([])
        let refuses: Bool

        init(_ names: [String] = [], refuses: Bool = false) {
            self.refuses = refuses
            versions.withLock { $0 = names.map { Version($0, of: self) } }
        }

        func conflictVersions(in directory: [[UInt8]]) -> [any ConflictVersion] {
            directory == [Array("d".utf8)] ? versions.withLock { $0 } : []
        }

        func end() {}
    }

    private func mount(_ source: Source, kernelChecksAccess: Bool = true) throws -> MountedHome {
        let mounted = try MountedHome(kernelChecksAccess: kernelChecksAccess, showsConflicts: true)
        #expect(mkdir(mounted.documents + "/d", 0o755) == 0)
        mounted.tree.setConflictSource(source)
        return mounted
    }

    @Test(arguments: [true, false])
    func largeListingsHaveEachOnceAndEachCanBeRemoved(kernelChecksAccess: Bool) throws {
        let padding = String(repeating: "x", count: 150)
        let names = (0..<2_000).map { "\($0) \(padding)" }.sorted()
        let source = Source(names)
        let mounted = try mount(source, kernelChecksAccess: kernelChecksAccess)
        let directory = mounted.documents + "/d"
        for name in names.prefix(100) { try write("", to: directory + "/own " + name) }
        #expect(try TestKit.names(in: directory).count == 2_100)
        #expect(try TestKit.names(in: directory).filter { !$0.hasPrefix("own") }.sorted() == names)
        #expect(try contents(of: directory + "/" + names[7]) == names[7])
        #expect(run("/bin/rm", "-rf", directory) == 0)
        #expect(source.versions.withLock { $0.isEmpty } && access(directory, F_OK) == -1)
    }

    /// Between the listing and the removal, as when sync deletes the document.
    @Test func whatSyncTakesAfterItWasListedCanBeRemovedOnce() throws {
        let source = Source(["a", "b", "c"])
        let mounted = try mount(source)
        let path = { mounted.documents + "/d/" + $0 }
        #expect(try TestKit.names(in: path("")) == ["a", "b", "c"])
        source.versions.withLock { $0 = [] }
        #expect(try TestKit.names(in: path("")) == [])
        #expect(try contents(of: path("a")) == "a")
        #expect(unlink(path("a")) == 0)
        #expect(unlink(path("a")) == -1 && errno == ENOENT)
        // The name is anybody's again.
        #expect(rename(path("b"), path("x")) == -1)
        // Another account has its own.
        mounted.tree.setConflictSource(Source())
        #expect(unlink(path("c")) == -1 && errno == ENOENT)
        try write("new", to: path("c"))
        #expect(try contents(of: path("c")) == "new")
    }

    @Test func documentsComeBeforeVersionsOfTheirNames() throws {
        let source = Source(["a", "e\u{301}", "both"])
        source.versions.withLock { $0.append(Version("link", of: source, .symlink(target: Array("a".utf8)))) }
        let mounted = try mount(source)
        let path = { mounted.documents + "/d/" + $0 }
        #expect(try contents(of: path("\u{e9}")) == "e\u{301}")
        #expect(try contents(of: path("link")) == "a")
        // As when it comes with sync, which asks no kernel.
        try write("own", to: mounted.container + "/Documents/d/both")
        #expect(try contents(of: path("both")) == "own")
        #expect(try TestKit.names(in: path("")).count == 4)
        #expect(unlink(path("both")) == 0)
        #expect(try contents(of: path("both")) == "both")
        // A look that finds nothing is not remembered.
        #expect(access(path("later"), F_OK) == -1)
        source.versions.withLock { $0.append(Version("later", of: source)) }
        #expect(try contents(of: path("later")) == "later")
        let file = try Descriptor(path("later"), flags: O_RDONLY)
        #expect(lseek(file.raw, 0, lx_seek_hole) == 5)
        #expect(attribute("com.apple.ubiquity.status", of: path("later")) == Array("conflict".utf8))
        #expect(attribute("user.a", of: path("later")) == nil && attributeNames(of: path("later")) == [])
    }

    @Test func whatCannotBeWrittenDownStays() throws {
        let mounted = try mount(Source(["a"], refuses: true))
        #expect(unlink(mounted.documents + "/d/a") == -1 && errno == EIO)
        #expect(try contents(of: mounted.documents + "/d/a") == "a")
    }

    /// What no kernel asks, and a program in its place may.
    @Test func aVersionsNumberReachesNothingOfTheHome() throws {
        let mounted = try mount(Source(["a"]))
        let view = VersionsFileSystem(HomeFileSystem(tree: mounted.tree))
        let caller = Caller(uid: 0, gid: 0, thread: 0)
        func find(_ name: String, in directory: NodeKey) throws -> NodeKey {
            let entry = try name.withFileName { (name) throws(Errno) in
                try view.lookup(name, in: directory, for: caller)
            }
            return try #require(entry.node)
        }
        let documents = try find("Documents", in: view.root)
        let directory = try find("d", in: documents)
        let version = try find("a", in: directory)
        let handle = try view.open(version, flags: O_RDONLY, stripsPrivileges: false, for: caller).handle
        let bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(throws: Errno.badFileDescriptor) {
            try view.write(bytes, to: version, handle: handle, offset: 0, stripsPrivileges: false)
        }
        #expect(throws: Errno.badFileDescriptor) {
            try view.allocate(version, handle: handle, mode: 0, offset: 0, sizeBytes: 1, for: caller)
        }
        #expect(throws: Errno.badFileDescriptor) {
            try view.copyRange(
                from: handle, offset: 0, to: version, handle: handle, offset: 0, sizeBytes: 1, for: caller)
        }
        #expect(throws: Errno.improperLink) {
            try view.copyRange(
                from: handle, offset: 0, to: directory, handle: handle, offset: 0, sizeBytes: 1, for: caller)
        }
        let zero = HandleKey(rawValue: 0)
        #expect(throws: Errno.notDirectory) { try view.openDirectory(version, for: caller) }
        #expect(throws: Errno.notDirectory) {
            try view.syncDirectory(version, handle: zero, dataOnly: false)
        }
        #expect(throws: Errno.self) { try find("x", in: version) }
        #expect(throws: Errno.self) {
            try "x".withFileName { (name) throws(Errno) in
                _ = try view.makeDirectory(name, in: version, mode: 0o755, for: caller)
            }
        }
        view.forget(version, count: 1)
        #expect(throws: Errno.staleHandle) { try view.attributes(of: version, handle: nil) }
        for node in [directory, documents] { view.forget(node, count: 1) }
    }
}
