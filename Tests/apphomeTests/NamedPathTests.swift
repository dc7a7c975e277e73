import CLinux
import Foundation
import Posix
import TestKit
import Testing
import Wire

/// Which files root's commands reach for another user's device, when its owner leads them elsewhere.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct NamedPathTests {
    private static let uid: UInt32 = 4711

    /// The path is slow to follow, which leaves him time to exchange what was made for a link.
    @Test func aFolderMadeInHisIsHisAndNothingIsGivenToHim() throws {
        let site = try UserSite(uid: Self.uid)
        let (his, roots) = (try site.folder("his"), site.place.path + "/roots")
        #expect(mkdir(roots, 0o700) == 0)
        #expect(symlink(roots, his + "/link") == 0 && mkdir(his + "/x", 0o755) == 0)
        let swapping = try site.start(python: Self.exchange, his)
        #expect(eventually { access(his + "/ready", F_OK) == 0 })
        let slow = his + "/" + String(repeating: "x/../", count: 700)
        for index in 0..<20 {
            _ = try apphome("backup", "create", "--to", slow + "n\(index)", in: site.device("one"))
        }
        unlink(his + "/ready")
        #expect(try swapping.wait().status == 0)
        #expect(owner(roots) == 0)
        let made = try apphome("backup", "create", "--to", his + "/new", in: site.device("one"))
        #expect(made.status == 0 && owner(his + "/new") == Self.uid, "\(made)")
    }

    @Test func aBackupsFolderThatRootMakesInRootsIsHisAndGoesWhereThatFails() throws {
        let site = try UserSite(uid: Self.uid)
        let new = site.place.path + "/new"
        let refused = try apphome("backup", "create", "--to", new, "nonesuch", in: site.device("one"))
        #expect(refused.status == 1 && access(new, F_OK) != 0, "\(refused)")
        let made = try apphome("backup", "create", "--to", new, in: site.device("one"))
        #expect(made.status == 0 && owner(new) == Self.uid, "\(made)")
    }

    @Test func aLinkOfHisLeadsToNoFileOfRoots() throws {
        let site = try UserSite(uid: Self.uid)
        let his = try site.folder("his")
        let secret = site.place.path + "/secret"
        try "secret".write(toFile: secret, atomically: false, encoding: .utf8)
        #expect(chmod(secret, 0o600) == 0)
        #expect(symlink(secret, his + "/a.txt") == 0 && lchown(his + "/a.txt", Self.uid, Self.uid) == 0)
        #expect(symlink("/proc/self/root\(secret)", his + "/b.txt") == 0)
        #expect(symlink(site.place.path, his + "/up") == 0)
        for path in ["/a.txt", "/b.txt", "/up/secret"] {
            let put = try apphome("share", "put", "Notes", his + path, in: site.device("one"))
            #expect(put.status == 1, "\(path): \(put)")
            for words in [["install", his + path], ["new", "Own", "--from-plist", his + path]] {
                let refused = try apphome(words, in: site.device("one"))
                #expect(refused.errors.contains("Permission denied") || refused.errors.contains("links"))
            }
        }
        #expect(try site.run("ls \(site.backing("one"))").output == "")
        // What root named itself is root's to read, by a link of root's too.
        #expect(symlink(secret, site.place.path + "/own.txt") == 0)
        for name in ["/secret", "/own.txt"] {
            let put = try apphome("share", "put", "Notes", site.place.path + name, in: site.device("one"))
            #expect(put.status == 0, "\(put)")
        }
    }

    @Test func aDaemonOfHisIsGivenNoFileOfRootsByALinkOfHis() throws {
        let place = try Workplace()
        let run = place.device + "/run"
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
        for path in [place.device, run] { #expect(chown(path, Self.uid, Self.uid) == 0) }
        let standIn = try StandIn(device: place.device, owner: Self.uid) { _ in .done }
        let his = place.path + "/his"
        #expect(mkdir(his, 0o755) == 0 && chown(his, Self.uid, Self.uid) == 0)
        let secret = place.path + "/secret"
        try "secret".write(toFile: secret, atomically: false, encoding: .utf8)
        #expect(chmod(secret, 0o600) == 0 && symlink(secret, his + "/a.ipa") == 0)
        let (link, device) = (his + "/a.ipa", place.device)
        for words in [
            ["install", link], ["new", "Own", "--from-plist", link], ["share", "put", "Notes", link],
            ["backup", "create", "--to", his + "/b", "--encrypt", "--password-file", link],
            ["backup", "restore", "--xcappdata", his + "/a.ipa"],
        ] {
            let outcome = try apphome(words, in: device)
            #expect(outcome.status == 1 && outcome.errors.contains("ermission denied"), "\(outcome)")
        }
        #expect(standIn.count == 0)
    }

    @Test func whatRootCopiesOutIsRootsInRootsFolderAndHisInHis() throws {
        let site = try UserSite(uid: Self.uid)
        let (his, roots) = (try site.folder("his"), site.place.path + "/roots")
        #expect(mkdir(roots, 0o700) == 0)
        try "text".write(toFile: site.place.path + "/a", atomically: false, encoding: .utf8)
        let put = try apphome("share", "put", "Notes", site.place.path + "/a", in: site.device("one"))
        #expect(put.status == 0, "\(put)")
        // The daemon may have ended: then the first command starts it again, as root here.
        for (folder, uid) in [(roots, 0), (his, Self.uid)] {
            let got = try apphome("share", "get", "Notes", "a", folder, in: site.device("one"))
            #expect(got.status == 0 && owner(folder + "/a") == uid, "\(got)")
            #expect(text(folder + "/a") == "text")
        }
    }

    @Test func rootCopiesOutOfAStoreIntoRootsFolder() throws {
        let site = try UserSite(uid: Self.uid)
        let roots = site.place.path + "/roots"
        #expect(mkdir(roots, 0o700) == 0)
        try "text".write(toFile: site.place.path + "/a", atomically: false, encoding: .utf8)
        #expect(
            try apphome("share", "put", "Notes", site.place.path + "/a", in: site.device("one")).status == 0)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: site.device("one")).status == 0)
        let isThere = try eventually {
            let from = ["share", "ls", "Notes", "--from", "file://" + site.store]
            return try apphome(from, in: site.device("two")).output.contains("  a\n")
        }
        #expect(isThere)
        let got = try apphome(
            "share", "get", "Notes", "a", roots, "--from", "file://" + site.store, in: site.device("two"))
        #expect(got.status == 0 && owner(roots + "/a") == 0, "\(got)")
        #expect(text(roots + "/a") == "text")
    }

    @Test func aDeviceWithACopiedIdentifierTakesNoMountOfRoots() throws {
        let place = try Workplace()
        let known = place.device + "-home/.local/share/apphome"
        try FileManager.default.createDirectory(
            atPath: known + "/devices", withIntermediateDirectories: true)
        #expect(try place.run("new", "Notes", "--share").status == 0)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
        let copy = place.path + "/copy"
        let copied = try apphome(["-a", place.device, copy], in: place.path, program: "/bin/cp")
        let given = try apphome(["-R", "\(Self.uid)", copy], in: place.path, program: "/bin/chown")
        #expect(copied.status == 0 && given.status == 0, "\(copied) \(given)")
        #expect(try place.run("mount", "Notes", place.path + "/m").status == 0)
        let other = try place.run("share", "mount", "Notes", place.path + "/s", "--device", copy)
        #expect(other.status == 0 && other.errors.contains("has the id of \(place.device)"), "\(other)")
        let names = try FileManager.default.contentsOfDirectory(atPath: known + "/by-id")
        let links = try names.map {
            try FileManager.default.destinationOfSymbolicLink(atPath: known + "/by-id/" + $0)
        }
        #expect(links == [place.device])
        #expect(try place.run("unmount", "--device", copy, place.path + "/s").status == 0)
        #expect(try place.run("unmount", place.path + "/m").status == 0)
    }

    @Test func aLinkInTheFolderOfMountPointsIsNotFollowed() throws {
        let site = try UserSite(uid: Self.uid)
        #expect(try apphome("new", "Grouped", "--group", "group.a", in: site.device("one")).status == 0)
        let roots = site.place.path + "/roots"
        #expect(mkdir(roots, 0o700) == 0)
        let groups = site.device("one") + "/run/groups"
        #expect(symlink(roots, groups) == 0 && lchown(groups, Self.uid, Self.uid) == 0)
        let refused = try apphome("group", "path", "Grouped", "group.a", in: site.device("one"))
        #expect(refused.status == 1 && refused.errors.contains("links"), "\(refused)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: roots) == [])
        #expect(mounts(below: site.place.path) == [])
    }

    @Test func aFolderOfRootsInStagingShutsNoDevice() throws {
        let place = try Workplace()
        let user = try place.ordinaryUser()
        #expect(try user(["new", "Notes"]).status == 0)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
        let left = place.device + "/Staging/left"
        #expect(mkdir(left, 0o700) == 0 && mkdir(left + "/inner", 0o700) == 0)
        let made = try user(["new", "More"])
        #expect(made.status == 0, "\(made)")
        #expect(text(place.device + "/run/daemon.log")?.contains("cannot remove Staging/left") == true)
    }

    /// In a folder that he opened to others somebody left one that is closed to him.
    @Test(arguments: ["Documents", "tmp"]) func aFolderOfAnothersInWhatGoesShutsNoDevice(_ area: String)
        throws
    {
        let site = try UserSite(uid: Self.uid)
        let left = try site.backing("one") + "/../\(area)/left"
        #expect(mkdir(left, 0o700) == 0 && mkdir(left + "/inner", 0o700) == 0)
        let bundle = try #require(
            FileManager.default.enumerator(atPath: site.device("one"))?.compactMap { $0 as? String }
                .first { $0.hasSuffix("Notes.app") })
        let copy = site.place.path + "/Notes.app"
        try FileManager.default.copyItem(atPath: site.device("one") + "/" + bundle, toPath: copy)
        let words = area == "tmp" ? ["install", copy] : ["uninstall", "Notes", "--yes"]
        let told = try apphome(words, in: site.device("one"))
        #expect(told.status == 0 && told.output.contains("next start"), "\(told)")
        for _ in 0..<2 {
            let hasEnded = site.waitForDaemonsEnd("one")
            #expect(hasEnded)
            let listed = try apphome("list", in: site.device("one"))
            #expect(listed.status == 0 && listed.output.contains("Notes") == (area == "tmp"), "\(listed)")
        }
        #expect(
            text(site.device("one") + "/run/daemon.log")?.contains("cannot finish the interrupted") == true)
    }

    private static let exchange = """
        import ctypes, os, sys, time
        libc = ctypes.CDLL(None)
        os.chdir(sys.argv[1])
        open("ready", "w").close()
        end = time.monotonic() + 60
        for index in range(20):
            name = b"n%d" % index
            while libc.renameat2(-100, b"link", -100, name, 2) != 0:
                if not os.path.exists("ready") or time.monotonic() > end: sys.exit(0)
            time.sleep(0.05)
            libc.renameat2(-100, b"link", -100, name, 2)
        """
}

private func owner(_ path: String) -> UInt32? {
    try? ownerID(of: path)
}
