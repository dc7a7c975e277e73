import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// A device on a disk that is full to the last byte: its commands make room. `mount-scripts/full-disk` tries
/// it on other file systems, as another user, and with a store.
@Suite(.serialized, .enabled(if: geteuid() == 0, "mounting needs root")) struct FullDiskTests {
    @Test func commandsMakeRoomWithTheDaemonAndAfterItWasKilled() throws {
        let place = try Workplace()
        let device = place.device
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
        try valueOrErrno(lx_mount("none", device, "tmpfs", 0, "size=8m"))
        defer { _ = lx_umount(device, lx_mnt_detach) }
        for name in ["Notes", "Other", "Third"] { try expectDone(place, "new", name, "--share") }
        let home = place.path + "/m"
        try expectDone(place, "mount", "Notes", home)
        try write(String(repeating: "x", count: 1_500_000), to: home + "/Library/Caches/old")
        for name in ["keep", "large"] {
            try write(String(repeating: name, count: 200_000), to: home + "/Documents/" + name)
        }
        fill(home + "/Documents/filler")
        try write(String(repeating: "x", count: 200_000), to: place.path + "/x")
        for words in [
            ["share", "put", "Notes", place.path + "/x"], ["cp", place.path + "/x", "Notes:Documents/"],
            ["defaults", "write", "Notes", "key", "value"],
        ] {
            let full = try apphome(words, in: device)
            #expect(full.status == 1 && full.errors.contains("no space left there; free some"), "\(full)")
        }

        // Without what the container of an app that was never opened is to have beside it.
        try expectDone(place, "uninstall", "Third", "--yes")
        fill(home + "/Documents/filler")
        let daemon = try #require(place.daemonProcessIDs.first)
        kill(daemon, SIGKILL)
        let isKilled = place.waitForDaemonsEnd()
        #expect(isKilled)
        fill(device + "/filler")
        try expectDone(place, "list")
        try expectDone(place, "cloud", "status")
        try expectDone(place, "mount", "Notes", home)
        #expect(eventually { (try? names(home).contains("Documents")) == true })
        try expectDone(place, "unmount", home)
        try expectDone(place, "uninstall", "Other", "--yes")
        try expectDone(place, "share", "rm", "Notes", "large")
        try expectDone(place, "purge")

        let isEnded = place.waitForDaemonsEnd()
        #expect(isEnded)
        let folder = try Descriptor(device, flags: O_RDONLY)
        #expect(try freeBytes(on: folder.raw) >= 1 << 20)
        let check = try SQLiteProgram.run("PRAGMA integrity_check;", on: device + "/catalogue.sqlite")
        #expect(check == ["ok"])
        try expectDone(place, "mount", "Notes", home)
        let isKept = text(home + "/Documents/keep") == String(repeating: "keep", count: 200_000)
        #expect(isKept)
    }

    private func expectDone(_ place: borrowing Workplace, _ arguments: String...) throws {
        let done = try apphome(arguments, in: place.device)
        #expect(done.status == 0, "\(arguments): \(done)")
    }

    /// Until not one byte more can be written.
    private func fill(_ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        for count in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: count)
            while write(file, bytes, count) > 0 {}
        }
    }
}
