import CLinux
import Glibc
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// Names that iOS takes and the backing file system does not.
@Suite struct LongNamesTests {
    private let long = String(repeating: "長", count: 100) + ".txt"
    private let other = String(repeating: "語", count: 255)

    private func listed(_ directory: String) throws -> [String] {
        try names(in: directory).filter { $0 != "Inbox" }
    }

    /// The names in the backing directory.
    private func stored(_ mounted: borrowing MountedHome) throws -> [String] {
        try listed(mounted.container + "/Documents")
    }

    @Test(arguments: NamePolicy.allCases) func aFileHasALongName(policy: NamePolicy) throws {
        let mounted = try MountedHome(policy: policy)
        let path = mounted.documents + "/" + long
        try write("one", to: path)
        #expect(try contents(of: path) == "one")
        #expect(try listed(mounted.documents) == [long])
        #expect(try stored(mounted) == [LongName.stored(for: long)])
        #expect(try listed(mounted.shared) == [long])
        #expect(failure { open(path, O_CREAT | O_EXCL | O_WRONLY, 0o644) } == .fileExists)
        #expect(lx_listxattrat(lx_at_fdcwd, path, nil, 0) == 0)
        #expect(failure { unlink(path) } == nil)
        #expect(throws: Errno.noSuchFileOrDirectory) { try contents(of: path) }
        #expect(try stored(mounted) == [])
    }

    @Test func aDirectoryHasOneAndSoHasWhatLiesInIt() throws {
        let mounted = try MountedHome()
        let directory = mounted.documents + "/" + other
        #expect(failure { mkdir(directory, 0o755) } == nil)
        try write("in", to: directory + "/" + long)
        try write("short", to: directory + "/short")
        #expect(try listed(directory) == ["short", long])
        #expect(failure { rmdir(directory) } == .directoryNotEmpty)
        #expect(failure { mkdir(directory, 0o755) } == .fileExists)
        #expect(failure { rename(directory, mounted.documents + "/d") } == nil)
        #expect(try contents(of: mounted.documents + "/d/" + long) == "in")
        #expect(try listed(mounted.documents) == ["d"])
    }

    @Test func aRenameGivesAndTakesIt() throws {
        let mounted = try MountedHome()
        let (one, two) = (mounted.documents + "/" + long, mounted.documents + "/" + other)
        try write("one", to: mounted.documents + "/a")
        #expect(failure { rename(mounted.documents + "/a", one) } == nil)
        #expect(try listed(mounted.documents) == [long])
        #expect(failure { rename(one, two) } == nil)
        #expect(try listed(mounted.documents) == [other])
        try write("a", to: mounted.documents + "/a")
        let exchanged = lx_renameat2(
            lx_at_fdcwd, two, lx_at_fdcwd, mounted.documents + "/a", lx_rename_exchange)
        #expect(exchanged == 0)
        #expect(try contents(of: two) == "a" && contents(of: mounted.documents + "/a") == "one")
        #expect(try Set(listed(mounted.documents)) == ["a", other])
        #expect(failure { rename(mounted.documents + "/a", two) } == nil)
        #expect(try contents(of: two) == "one")
        #expect(failure { rename(two, mounted.documents + "/b") } == nil)
        #expect(try listed(mounted.documents) == ["b"])
        // Of the long names that it had one is left.
        let listBytes = lx_listxattrat(lx_at_fdcwd, mounted.container + "/Documents/b", nil, 0)
        #expect(listBytes == "user.apphome.name.".utf8.count + 32 + 1)
    }

    @Test func oneFileHasTwo() throws {
        let mounted = try MountedHome()
        try write("one", to: mounted.documents + "/" + long)
        #expect(failure { link(mounted.documents + "/" + long, mounted.documents + "/" + other) } == nil)
        #expect(try Set(listed(mounted.documents)) == [long, other])
        #expect(failure { unlink(mounted.documents + "/" + long) } == nil)
        #expect(try listed(mounted.documents) == [other])
    }

    @Test func whatMayNotBeWrittenHasOne() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/" + long
        let made = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o444)
        #expect(made >= 0)
        close(made)
        #expect(try listed(mounted.documents) == [long])
        #expect(try status(path).st_mode & 0o7777 == 0o444)
    }

    @Test func whatHasNoAttributesHasNone() throws {
        let mounted = try MountedHome()
        #expect(failure { symlink("a", mounted.documents + "/" + long) } == .fileNameTooLong)
        #expect(failure { mkfifo(mounted.documents + "/" + long, 0o644) } == .fileNameTooLong)
        #expect(try stored(mounted) == [])
        #expect(failure { symlink("a", mounted.documents + "/a") } == nil)
        #expect(
            failure { rename(mounted.documents + "/a", mounted.documents + "/" + long) } == .fileNameTooLong)
        #expect(try listed(mounted.documents) == ["a"])
    }

    @Test func afterACrashTheItemIsFoundAndThenListedByItsName() throws {
        let mounted = try MountedHome()
        let short = LongName.stored(for: long)
        try write("one", to: mounted.container + "/Documents/" + short)
        #expect(try listed(mounted.documents) == [short])
        #expect(try contents(of: mounted.documents + "/" + long) == "one")
        // Kernels keep listings until something changes.
        try write("two", to: mounted.documents + "/a")
        #expect(try listed(mounted.documents) == ["a", long])
    }

    @Test func aNameThatSomebodyWroteIntoTheAttributeIsNotBelieved() throws {
        let mounted = try MountedHome()
        let short = LongName.stored(for: long)
        let backing = mounted.container + "/Documents/" + short
        try write("one", to: backing)
        let attribute = try #require(
            Array(short.utf8).withUnsafeBytes { LongName.attribute(ofStored: $0) })
        for name in [other, "../../" + long, ""] {
            let value = Array(name.utf8)
            #expect(lx_setxattrat(lx_at_fdcwd, backing, attribute, value, UInt64(value.count), 0) == 0)
            #expect(try listed(mounted.documents) == [short])
        }
    }

    @Test func bothSpellingsAreOneItem() throws {
        let mounted = try MountedHome()
        let composed = String(repeating: "\u{e9}", count: 130)
        let decomposed = "e\u{301}" + composed.dropFirst()
        try write("one", to: mounted.documents + "/" + composed)
        #expect(try contents(of: mounted.documents + "/" + decomposed) == "one")
        #expect(failure { mkdir(mounted.documents + "/" + decomposed, 0o755) } == .fileExists)
        #expect(try listed(mounted.documents).map { Array($0.utf8) } == [Array(composed.utf8)])
        #expect(failure { unlink(mounted.documents + "/" + decomposed) } == nil)
        #expect(failure { access(mounted.documents + "/" + composed, F_OK) } == .noSuchFileOrDirectory)
    }
}
