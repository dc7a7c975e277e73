import CLinux
import Foundation
import Posix
import Testing
import Wire

/// What a restore or a reset keeps for `--undo`: how much that is, and how it is freed.
@Suite(.serialized) struct UndoCopyTests {
    @Test func itIsNamedWithItsSizeAndFreedByACommand() throws {
        let place = try Workplace()
        try place.run("cloud", "account", "none")
        try place.make("Notes")
        try place.write(String(repeating: "x", count: 500_000), to: "m/Documents/a")
        try place.backUp()
        try place.unmount()
        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes")
        #expect(
            restored.output.contains(
                "what was replaced is kept: 500 kB; to free it: apphome backup forget-undo Notes"),
            "\(restored)")
        let info = try place.run("info", "Notes")
        #expect(info.output.contains("kept for --undo") && info.output.contains("500 kB of 20"), "\(info)")
        #expect(try place.run("purge").output.contains("kept for --undo: 500 kB"))

        let replaced = place.device + "/Replaced"
        let asked = try place.run("backup", "forget-undo", "Notes")
        #expect(asked.status == 1 && asked.errors.contains("give --yes"), "\(asked)")
        let told = try place.run("backup", "forget-undo", "--dry-run")
        #expect(told.status == 0 && told.output.contains("would free 500 kB"), "\(told)")
        #expect(try names(replaced).count == 1)
        let freed = try place.run("backup", "forget-undo", "--yes")
        #expect(freed.status == 0 && freed.output.contains("freed 500 kB"), "\(freed)")
        #expect(try names(replaced) == [])
        let undone = try place.run("backup", "restore", "--undo", "Notes")
        #expect(undone.status == 1 && undone.errors.contains("nothing to undo"), "\(undone)")
        #expect(try !place.run("info", "Notes").output.contains("--undo"))
        let again = try place.run("backup", "forget-undo", "Notes")
        #expect(again.status == 0 && again.output.contains("nothing is kept"), "\(again)")
        try place.mount()
        #expect(place.read("m/Documents/a")?.count == 500_000)
    }

    @Test func whatCameSinceItWasNamedStays() throws {
        let place = try Workplace()
        try place.run("cloud", "account", "none")
        try place.run("new", "Notes")
        try place.run("reset", "Notes")
        // Keeps the daemon here.
        try place.run("new", "Other")
        try place.run("mount", "Other", place.path + "/o")
        let client = try RawClient(device: place.device)
        func forget(isConfirmed: Bool) throws -> Answer {
            try client.ask(.backup(.forgetUndo(apps: [], isConfirmed: isConfirmed)))
        }
        _ = try forget(isConfirmed: false)
        try place.run("reset", "Notes")
        guard case .failure(let failure) = try forget(isConfirmed: true) else {
            Issue.record("removed what came meanwhile")
            return
        }
        #expect(failure.message.contains("is another copy by now, which stays"), "\(failure)")
        #expect(try place.run("backup", "restore", "--undo", "Notes").status == 0)
        guard case .backup(.undoCopies(let copies)) = try forget(isConfirmed: false) else {
            Issue.record("not told")
            return
        }
        #expect(copies.count == 1)
        guard case .backup(.undoCopies(copies)) = try forget(isConfirmed: true) else {
            Issue.record("not removed")
            return
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func itIsFreedOnADiskThatIsFullToTheLastByte() throws {
        let place = try Workplace()
        let device = place.device
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
        try valueOrErrno(lx_mount("none", device, "tmpfs", 0, "size=8m"))
        defer { _ = lx_umount(device, lx_mnt_detach) }
        try place.make("Notes")
        try place.run("cloud", "account", "none")
        try place.write(String(repeating: "x", count: 1_500_000), to: "m/Documents/a")
        try place.unmount()
        let reset = try place.run("reset", "Notes")
        #expect(reset.output.contains("what was replaced is kept: 1.5 MB"), "\(reset)")
        let isEnded = place.waitForDaemonsEnd()
        #expect(isEnded)
        let file = open(device + "/filler", O_WRONLY | O_CREAT, 0o600)
        for count in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: count)
            while write(file, bytes, count) > 0 {}
        }
        close(file)
        let freed = try place.run("backup", "forget-undo", "Notes", "--yes")
        #expect(freed.status == 0, "\(freed)")
        let isOver = place.waitForDaemonsEnd()
        #expect(isOver)
        let folder = try Descriptor(device, flags: O_RDONLY)
        #expect(try freeBytes(on: folder.raw) >= 1 << 20)
    }
}
