import CLinux
import Foundation
import Posix
import TestKit
import Testing

@testable import apphome

/// How contents travel, through the daemon as a process.
@Suite(.serialized) struct DataPathTests {
    private struct Info: Decodable {
        struct Mount: Decodable {
            let data: String
            let dataReason: String?
            let transport: String
        }
        let mounts: [Mount]
    }

    private func info(_ place: borrowing Workplace) throws -> Info.Mount {
        let outcome = try place.run("info", "Notes", "--json")
        return try #require(try JSONDecoder().decode(Info.self, from: Data(outcome.output.utf8)).mounts.first)
    }

    @Test(.enabled(if: geteuid() == 0)) func rootHasPassthroughUnlessAskedForSplice() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        for (option, data, reason) in [
            (nil, "passthrough", nil), ("passthrough", "passthrough", nil),
            ("splice", "splice", "the mount asked for splice"),
        ] {
            let options = option.map { ["--data", $0] } ?? []
            let outcome = try apphome(["mount", "Notes", place.path + "/n"] + options, in: place.device)
            #expect(outcome.status == 0, "\(outcome)")
            let mount = try info(place)
            #expect(mount.data == data)
            #expect(mount.dataReason == reason)
            let text = try place.run("info", "Notes").output
            #expect(text.contains(", \(data), "))
            #expect(text.contains("no passthrough: ") == (reason != nil))
            #expect(try place.run("unmount", place.path + "/n").status == 0)
        }
    }

    @Test func anOrdinaryUserIsRefusedPassthroughInOneLineAndHasSpliceOtherwise() throws {
        let place = try Workplace()
        let run = try place.ordinaryUser()
        #expect(try run(["new", "Notes"]).status == 0)
        let refused = try run(["mount", "Notes", place.path + "/n", "--data", "passthrough"])
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "apphome: error: cannot mount at \(place.path)/n with passthrough: the kernel gives"
                + " it to root only; mount with --data auto, or as root\n")
        #expect(mounts(below: place.path) == [])
        #expect(!FileManager.default.fileExists(atPath: place.path + "/n"))
        let mounted = try run(["mount", "Notes", place.path + "/n"])
        #expect(mounted.status == 0, "\(mounted)")
        #expect(
            try run(["info", "Notes"]).output.contains("no passthrough: the kernel gives it to root only"))
        #expect(try run(["unmount", place.path + "/n"]).status == 0)
    }

    @Test(.enabled(if: geteuid() == 0)) func passthroughIsRefusedWhereTheDeviceLiesOnAnOverlay() throws {
        let place = try Workplace()
        for name in ["lower", "upper", "work", "merged"] {
            try FileManager.default.createDirectory(
                atPath: place.path + "/" + name, withIntermediateDirectories: false)
        }
        let layers = "lowerdir=\(place.path)/lower,upperdir=\(place.path)/upper,workdir=\(place.path)/work"
        let mounting = try Foundation.Process.run(
            URL(fileURLWithPath: "/bin/mount"),
            arguments: ["-t", "overlay", "overlay", "-o", layers, place.path + "/merged"])
        mounting.waitUntilExit()
        try #require(mounting.terminationStatus == 0)
        let device = place.path + "/merged/device"
        defer {
            let command =
                "for i in 1 2 3 4 5 6 7 8 9; do umount \"$0\" && exit; sleep 0.2; done"
            let unmounting = try? Foundation.Process.run(
                URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", command, place.path + "/merged"])
            unmounting?.waitUntilExit()
        }
        #expect(try apphome("new", "Notes", in: device).status == 0)
        let refused = try apphome(
            "mount", "Notes", place.path + "/n", "--data", "passthrough", in: device)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the device's file system does not tell who writes a file"))
        #expect(refused.errors.split(separator: "\n").count == 1)
        #expect(eventually { mounts(below: place.path) == [place.path + "/merged"] })
        #expect(try apphome("mount", "Notes", place.path + "/n", in: device).status == 0)
        #expect(try apphome("info", "Notes", in: device).output.contains(", splice, "))
        #expect(try apphome("unmount", place.path + "/n", in: device).status == 0)
    }

    @Test(.enabled(if: geteuid() == 0)) func whatWasSyncedBeforeTheDaemonWasKilledIsThereAndSoIsWhatFollows()
        throws
    {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let path = place.path + "/n/Documents/log"
        let file = open(path, O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        #expect(pwrite(file, "synced", 6, 0) == 6)
        #expect(fsync(file) == 0)
        for processID in place.daemonProcessIDs { kill(processID, SIGKILL) }
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        // The kernel still has the file: a program need not notice.
        #expect(pwrite(file, " after", 6, 6) == 6)
        let outcome = try place.run("mount", "Notes", place.path + "/n")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.contents(atPath: path) == Data("synced after".utf8))
        // And writes on, past the new mount, which must not believe what it saw once.
        for size in 12..<32 {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_size == size)
            #expect(pwrite(file, "!", 1, off_t(size)) == 1)
            #expect(FileManager.default.contents(atPath: path)?.count == size + 1)
        }
        #expect(try place.run("info", "Notes").output.contains(", passthrough, "))
    }

    @Test(.enabled(if: geteuid() == 0)) func aWriterThatOutlivesACrashIsSuspectedByLaterDaemonsUntilItIsGone()
        throws
    {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let path = place.path + "/n/Documents/log"
        let file = open(path, O_CREAT | O_RDWR, 0o644)
        for processID in place.daemonProcessIDs { kill(processID, SIGKILL) }
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        // The next daemon, and the one after it.
        try remount(place, isFirst: true)
        try remount(place)
        for size in 1..<20 {
            #expect(pwrite(file, "!", 1, off_t(size - 1)) == 1)
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_size == size)
        }
        close(file)
        try remount(place)
        let record = place.device + "/run/possibly-written.json"
        #expect(eventually { !FileManager.default.fileExists(atPath: record) })
        #expect(try place.run("unmount", place.path + "/n").status == 0)
    }

    private func remount(_ place: borrowing Workplace, isFirst: Bool = false) throws {
        if !isFirst {
            #expect(try place.run("unmount", place.path + "/n").status == 0)
            #expect(eventually { place.daemonProcessIDs.isEmpty })
        }
        let outcome = try place.run("mount", "Notes", place.path + "/n")
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0)) func withoutTheRightToLeasesDataIsSplicedAndInfoSaysWhy() throws {
        let place = try Workplace()
        func run(_ arguments: String...) throws -> Outcome {
            try apphome(
                ["--bounding-set", "-lease", program] + arguments, in: place.device,
                program: "/usr/bin/setpriv")
        }
        #expect(try run("new", "Notes").status == 0)
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        let reason = "without CAP_LEASE it could not be told who writes a file"
        let refused = try run("mount", "Notes", place.path + "/n", "--data", "passthrough")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("with passthrough: \(reason); mount with --data auto\n"))
        #expect(try run("mount", "Notes", place.path + "/n").status == 0)
        let mount = try info(place)
        #expect(mount.data == "splice")
        #expect(mount.dataReason == reason)
        #expect(try run("unmount", place.path + "/n").status == 0)
    }

    @Test func theSharingViewTakesTheSameChoices() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        let outcome = try place.run(
            "share", "mount", "Notes", place.path + "/s", "--data", "splice", "--transport", "classic")
        #expect(outcome.status == 0, "\(outcome)")
        let mount = try info(place)
        #expect(mount.data == "splice")
        #expect(mount.dataReason == "the mount asked for splice")
        #expect(mount.transport == "classic")
        #expect(try place.run("unmount", place.path + "/s").status == 0)
        let wrong = try place.run("share", "mount", "Notes", place.path + "/s", "--transport", "tube")
        #expect(wrong.status == 64)
    }
}
