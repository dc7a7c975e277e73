import CLinux
import Glibc
import HomeTree
import Posix
import SandboxFS
import SystemPackage
import TestKit
import Testing

@Suite struct SharingTests {
    @Test func theViewShowsTopLevelItemsWithoutDotNamesAndLinks() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        try write("h", to: mounted.documents + "/.hidden")
        #expect(failure { symlink("/etc/passwd", mounted.documents + "/link") } == nil)
        #expect(failure { mkdir(mounted.documents + "/Folder", 0o755) } == nil)
        #expect(try names(in: mounted.shared) == ["Folder", "Inbox", "a"])
        #expect(failure { access(mounted.shared + "/.hidden", F_OK) } == .noSuchFileOrDirectory)
        #expect(throws: Errno.noSuchFileOrDirectory) { try status(mounted.shared + "/link") }
    }

    @Test func foldersAreClosedForRootToo() throws {
        let mounted = try MountedHome()
        #expect(failure { mkdir(mounted.documents + "/Folder", 0o755) } == nil)
        try write("x", to: mounted.documents + "/Folder/x")
        #expect(try status(mounted.shared + "/Folder").st_mode == S_IFDIR)
        #expect(throws: Errno.permissionDenied) { try names(in: mounted.shared + "/Folder") }
        #expect(failure { access(mounted.shared + "/Folder/x", F_OK) } == .permissionDenied)
    }

    @Test func everyChangeIsOnAReadOnlyFileSystem() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        let item = mounted.shared + "/a"
        #expect(throws: Errno.readOnlyFileSystem) { try write("b", to: item) }
        #expect(throws: Errno.readOnlyFileSystem) { try write("b", to: mounted.shared + "/new") }
        #expect(failure { unlink(item) } == .readOnlyFileSystem)
        #expect(failure { chmod(item, 0o600) } == .readOnlyFileSystem)
        #expect(failure { rename(item, mounted.shared + "/b") } == .readOnlyFileSystem)
        #expect(failure { mkdir(mounted.shared + "/d", 0o755) } == .readOnlyFileSystem)
    }

    @Test func itFollowsTheHomeAtOnce() throws {
        let mounted = try MountedHome()
        for round in 0..<100 {
            try write("\(round)", to: mounted.documents + "/a")
            #expect(try contents(of: mounted.shared + "/a") == "\(round)")
            #expect(failure { unlink(mounted.documents + "/a") } == nil)
            #expect(failure { access(mounted.shared + "/a", F_OK) } == .noSuchFileOrDirectory)
        }
    }

    @Test func aPutIsSeenInTheHomeWhenItReturns() throws {
        let mounted = try MountedHome()
        let owner = Owner(uid: geteuid(), gid: getegid())
        #expect(failure { access(mounted.documents + "/new", F_OK) } == .noSuchFileOrDirectory)
        for round in 0..<20 {
            try write("put \(round)", to: mounted.container + "/../source")
            let source = try Descriptor(mounted.container + "/../source", flags: O_RDONLY)
            try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in
                try sharing.put(source.raw, as: "new", owner: owner)
            }
            #expect(try contents(of: mounted.documents + "/new") == "put \(round)")
        }
        #expect(try names(in: mounted.staging) == [])
    }

    @Test func anAppThatHasTheOldFileOpenKeepsIt() throws {
        let mounted = try MountedHome()
        try write("old", to: mounted.documents + "/a")
        let open = try Descriptor(mounted.documents + "/a", flags: O_RDONLY)
        try write("new", to: mounted.container + "/../source")
        let source = try Descriptor(mounted.container + "/../source", flags: O_RDONLY)
        try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in
            try sharing.put(source.raw, as: "a", owner: Owner(uid: 0, gid: 0))
        }
        var bytes = [UInt8](repeating: 0, count: 3)
        #expect(lx_pread(open.raw, &bytes, 3, 0) == 3)
        #expect(String(decoding: bytes, as: UTF8.self) == "old")
        #expect(try contents(of: mounted.documents + "/a") == "new")
    }

    @Test func aPutOntoAFolderIsRefused() throws {
        let mounted = try MountedHome()
        #expect(failure { mkdir(mounted.documents + "/Folder", 0o755) } == nil)
        let source = try Descriptor(mounted.home + "/Recipes.app/Info.plist", flags: O_RDONLY)
        #expect(throws: Errno.isDirectory) {
            try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in
                try sharing.put(source.raw, as: "Folder", owner: Owner(uid: 0, gid: 0))
            }
        }
    }

    @Test func openInLandsInTheInboxUnderAFreeName() throws {
        let mounted = try MountedHome()
        let source = try Descriptor(mounted.home + "/Recipes.app/Info.plist", flags: O_RDONLY)
        var copiedBytes: Int64 = 0
        let got = try (0..<3).map { _ in
            try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in
                try sharing.putInInbox(source.raw, as: "Report.pdf", owner: Owner(uid: 0, gid: 0)) {
                    copiedBytes += $0
                }
            }
        }
        #expect(got == ["Report.pdf", "Report-2.pdf", "Report-3.pdf"])
        // Each once, however many names are taken.
        #expect(copiedBytes == 3 * Int64("plist".utf8.count))
        #expect(
            try names(in: mounted.documents + "/Inbox") == [
                "Report-2.pdf", "Report-3.pdf", "Report.pdf", "letter",
            ])
    }

    @Test func aFolderIsCopiedWholeWithItsLinksAsLinks() throws {
        let mounted = try MountedHome()
        let target = try TemporaryFolder()
        #expect(run("/bin/mkdir", "-p", mounted.documents + "/Folder/deep") == 0)
        try write("x", to: mounted.documents + "/Folder/deep/x")
        #expect(failure { symlink("/etc/passwd", mounted.documents + "/Folder/link") } == nil)
        let directory = try Descriptor(target.path, flags: O_RDONLY | O_DIRECTORY)
        try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in
            try sharing.get("Folder", to: directory.raw, as: "Copy", owner: nil)
        }
        #expect(try contents(of: target.path + "/Copy/deep/x") == "x")
        #expect(try status(target.path + "/Copy/link").st_mode & S_IFMT == S_IFLNK)
    }

    @Test func aRemovedFolderIsGoneWithAllInItHoweverDeep() throws {
        let mounted = try MountedHome()
        var path = mounted.container + "/Documents/Folder"
        #expect(mkdir(path, 0o755) == 0)
        var parent = try Descriptor(path, flags: O_RDONLY | O_DIRECTORY)
        for _ in 0..<3000 {
            #expect(mkdirat(parent.raw, "d", 0o755) == 0)
            parent = try Descriptor(at: parent.raw, "d", flags: O_RDONLY | O_DIRECTORY)
        }
        path = mounted.documents + "/Folder"
        #expect(failure { access(path, F_OK) } == nil)
        try FileSharing.with(mounted.tree) { (sharing) throws(Errno) in try sharing.remove("Folder") }
        #expect(failure { access(path, F_OK) } == .noSuchFileOrDirectory)
        #expect(try names(in: mounted.staging) == [])
    }
}
