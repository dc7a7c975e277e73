import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// `apphome backup restore` on a disk that is nearly full.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RestoreRoomTests {
    /// One file is refused before it is written; many small ones take more room than their sizes say.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"), arguments: [1, 2500])
    func whatNobodyCanGoBackToMakesRoom(files: Int) throws {
        let place = try Workplace()
        let device = place.device
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
        // Three homes of 10 MB fit: the app's, what its last restore replaced, and one more.
        try valueOrErrno(lx_mount("none", device, "tmpfs", 0, "size=36m"))
        defer { _ = lx_umount(device, lx_mnt_detach) }
        try place.make("Notes")
        // A daemon that starts would remove what is left: this mount keeps it.
        try place.run("new", "Other")
        #expect(try place.run("mount", "Other", place.path + "/other", "--no-sync").status == 0)
        for index in 0..<files {
            let text = String(repeating: "x", count: files == 1 ? 10_000_000 : 1)
            try place.write(text, to: "m/Documents/\(index)")
        }
        try place.backUp()
        try place.unmount()

        try restore(place)
        let kept = try #require(
            try FileManager.default.contentsOfDirectory(atPath: device + "/Replaced").first)
        // A mount in it keeps it from being removed.
        let documents = "\(device)/Replaced/\(kept)/Documents"
        try valueOrErrno(lx_mount("none", documents, "tmpfs", 0, "size=64k"))
        try restore(place)
        #expect(
            eventually { text(device + "/run/daemon.log")?.contains("what restores replaced") == true })
        try valueOrErrno(lx_umount(documents, 0))
        try restore(place)
        #expect(!FileManager.default.fileExists(atPath: documents))
        try place.mount()
        let restored = try FileManager.default.contentsOfDirectory(atPath: place.path + "/m/Documents")
        #expect(restored.count == files)
    }

    private func restore(_ place: borrowing Workplace) throws {
        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes")
        #expect(restored.status == 0, "\(restored)")
    }
}
