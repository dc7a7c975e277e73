import CLinux
import Foundation
import TestKit
import Testing

/// Something that is mounted in a container's backing folder is none of the app's, and stays whole.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct MountsWithinTests {
    private static let uid: UInt32 = 4711
    private static let bind: UInt64 = 4096

    @Test(arguments: [
        ("tmp/a/inner", ["purge"]), ("Library/Caches/a/inner", ["purge"]),
        ("Documents/a/inner", ["share", "rm", "Notes", "a"]),
        ("Documents/a/inner", ["uninstall", "Notes", "--yes"]),
    ])
    func itIsNotRemoved(_ path: String, _ words: [String]) throws {
        let site = try UserSite(uid: Self.uid)
        let precious = try site.folder("precious")
        let made = try site.run(
            "mkdir -p \(precious)/sub \(site.backing("one"))/../\(path); echo a >\(precious)/sub/a")
        #expect(made.status == 0, "\(made)")
        let point = try site.backing("one") + "/../" + path
        #expect(lx_mount(precious, point, "none", Self.bind, "") == 0)
        defer { for mount in mounts(below: site.place.path) { _ = lx_umount(mount, lx_mnt_detach) } }
        _ = try apphome(words, in: site.device("one"))
        #expect(text(precious + "/sub/a") == "a\n")
        // The next start tries again to remove what is left.
        let hasEnded = site.waitForDaemonsEnd("one")
        #expect(hasEnded)
        #expect(try apphome("list", in: site.device("one")).status == 0)
        #expect(text(precious + "/sub/a") == "a\n")
    }
}
