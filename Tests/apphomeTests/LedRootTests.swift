import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// Where another user leads root's commands by links of his: to nothing that is not his.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct LedRootTests {
    private static let uid: UInt32 = 4711

    /// What he puts into his home would be in a folder of root's, of programs say.
    @Test func rootMountsAndUnmountsNothingByALinkOfHis() throws {
        let site = try UserSite(uid: Self.uid)
        let his = try site.folder("his")
        let roots = site.place.path + "/roots"
        #expect(mkdir(roots, 0o755) == 0)
        try link(his + "/link", to: roots)
        try link(his + "/above", to: site.place.path)
        for directory in [his + "/link", his + "/above/roots", his + "/link/new"] {
            let refused = try apphome("share", "mount", "Notes", directory, in: site.device("one"))
            #expect(refused.status == 1 && refused.errors.contains("leads over a link"), "\(refused)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: roots) == [])
        #expect(mounts(below: site.place.path) == [])
        let shown = try apphome("share", "mount", "Notes", roots, in: site.device("one"))
        #expect(shown.status == 0, "\(shown)")
        let kept = try apphome("unmount", his + "/link", in: site.device("one"))
        #expect(kept.status == 1 && kept.errors.contains("leads over a link"), "\(kept)")
        #expect(mounts(below: site.place.path) == [roots])
        #expect(try apphome("unmount", roots, in: site.device("one")).status == 0)
        // A link of root's own leads on, and a folder of his is his.
        #expect(symlink(his, site.place.path + "/own") == 0)
        for directory in [site.place.path + "/own/m", his + "/m"] {
            let mounted = try apphome("share", "mount", "Notes", directory, in: site.device("one"))
            #expect(mounted.status == 0, "\(mounted)")
            #expect(try apphome("unmount", directory, in: site.device("one")).status == 0)
        }
    }

    @Test func aLinkOfHisMakesNoFolderOfRootsADevice() throws {
        let site = try UserSite(uid: Self.uid)
        let his = try site.folder("his")
        let roots = site.place.path + "/roots"
        #expect(mkdir(roots, 0o755) == 0)
        try link(his + "/device", to: roots)
        let helper = site.place.path + "/mount.apphome"
        try FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: program)
        let options = "device=\(his)/device,uid=\(Self.uid),gid=\(Self.uid)"
        let outcomes = [
            try apphome("device", "create", his + "/device", in: site.device("one")),
            try apphome("new", "Other", "--device", his + "/device", in: site.device("one")),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 1 && outcome.errors.contains("a folder of user 0"), "\(outcome)")
        }
        let mounted = try apphome(
            ["Notes", site.place.path + "/m", "-o", options], in: his + "/device", program: helper)
        #expect(mounted.status == 1 && mounted.errors.contains("there is no device"), "\(mounted)")
        var status = stat()
        #expect(stat(roots, &status) == 0 && status.st_mode & 0o777 == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: roots) == [])
        // What root makes in his folder is his.
        #expect(try apphome("new", "First", in: his + "/other").status == 0)
        #expect(stat(his + "/other", &status) == 0 && status.st_uid == Self.uid)
        #expect(try apphome("device", "create", his + "/new/one", in: site.device("one")).status == 0)
        #expect(stat(his + "/new/one", &status) == 0 && status.st_uid == Self.uid)
    }

    @Test func aLinkOfHisLeadsToNoDeviceOfAnothers() throws {
        let site = try UserSite(uid: Self.uid)
        let (his, other) = (try site.folder("his"), site.place.path + "/other")
        #expect(mkdir(other, 0o700) == 0 && chown(other, 4712, 4712) == 0)
        #expect(try apphome("new", "Kept", in: other).status == 0)
        try link(his + "/device", to: other)
        for words in [["uninstall", "Kept", "--yes"], ["list"], ["run", "Kept", "--", "true"]] {
            let refused = try apphome(words, in: his + "/device")
            #expect(refused.status != 0 && refused.errors.contains("ermission denied"), "\(refused)")
        }
        #expect(try apphome("list", in: other).output.contains("Kept"))
    }

    /// The folder of links to devices lies in HOME, which `sudo -E` leaves as it is.
    @Test func aHomeThatIsHisHasRootReplaceNothing() throws {
        let site = try UserSite(uid: Self.uid)
        let device = site.device("one")
        let known = device + "-home/.local/share/apphome"
        let roots = site.place.path + "/roots"
        #expect(mkdir(roots, 0o755) == 0)
        try FileManager.default.createDirectory(atPath: known, withIntermediateDirectories: true)
        #expect(
            try apphome(["-R", "\(Self.uid)", device + "-home"], in: device, program: "/bin/chown").status
                == 0)
        try? FileManager.default.removeItem(atPath: known + "/by-id")
        try link(known + "/by-id", to: roots)
        let id = try apphome("device", "show", "--json", in: device).object["id"] as? String
        let name = roots + "/" + (try #require(id))
        try "root's".write(toFile: name, atomically: false, encoding: .utf8)
        let view = site.place.path + "/view"
        #expect(try apphome("share", "mount", "Notes", view, in: device).status == 0)
        #expect(try apphome("unmount", view, in: device).status == 0)
        var status = stat()
        #expect(lstat(name, &status) == 0 && status.st_uid == 0 && status.st_mode & S_IFMT == S_IFREG)
        // Where the folder is his, so is the link in it.
        #expect(unlink(known + "/by-id") == 0)
        #expect(try apphome("share", "mount", "Notes", view, in: device).status == 0)
        #expect(lstat(known + "/by-id", &status) == 0 && status.st_uid == Self.uid)
        #expect(lstat(known + "/by-id/" + (id ?? ""), &status) == 0 && status.st_uid == Self.uid)
        #expect(try apphome("unmount", view, in: device).status == 0)
    }

    private func link(_ path: String, to target: String) throws {
        guard symlink(target, path) == 0, lchown(path, Self.uid, Self.uid) == 0 else {
            throw POSIXError(.EPERM)
        }
    }
}
