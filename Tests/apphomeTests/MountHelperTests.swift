import Foundation
import Testing
import Wire

@testable import apphome

@Suite struct MountHelperTests {
    @Test func whatMountAddsForItselfIsTakenOff() throws {
        let helper = try MountHelper([
            "Notes", "/mnt", "-n", "-s", "-v", "-o",
            "rw,noauto,nofail,_netdev,user,x-systemd.automount,device=/d/x,uid=1000,gid=100",
        ])
        #expect(helper.app == "Notes")
        #expect(helper.directory == "/mnt")
        #expect(helper.options.device == "/d/x")
        #expect(helper.options.userID == 1000)
        #expect(helper.options.groupID == 100)
        #expect(!(helper.options.isReadOnly ?? false))
    }

    @Test(arguments: [
        ["Notes"], ["Notes", "/mnt", "/more"], ["Notes", "/mnt", "-o"], ["Notes", "/mnt", "-o", "uid=root"],
        ["Notes", "/mnt", "-o", "uid=-1"], ["Notes", "/mnt", "-o", "colour=red"],
        ["Notes", "/mnt", "--frob"],
        ["Notes", "/mnt", "-o", "names=windows"],
    ])
    func badUsageIsRefusedWithStatus64(_ arguments: [String]) {
        #expect { try MountHelper(arguments) } throws: { ($0 as? CommandFailure)?.exitStatus == 64 }
    }

    @Test(arguments: [
        "rw", "ro", "noexec", "nosuid", "nodev", "noauto", "nofail", "_netdev", "user", "users", "x-a.b=c",
        "defaults", "noatime", "relatime", "strictatime", "diratime", "nodiratime", "lazytime", "sync",
        "uid=1", "allow_other", "exec",
    ])
    func whatPeopleWriteForOtherFileSystemsIsAccepted(_ option: String) throws {
        let helper = try MountHelper(["Notes", "/mnt", "-o", option])
        #expect((helper.options.isReadOnly ?? false) == (option == "ro"))
        #expect((helper.options.forbidsExecution ?? false) == (option == "noexec"))
    }

    @Test(arguments: ["suid", "dev", "dirsync", "remount", "mand", "max_read=4096", "noatimes"])
    func whatHasNoEffectHereIsRefusedByName(_ option: String) {
        #expect {
            try MountHelper(["Notes", "/mnt", "-o", "rw," + option])
        } throws: {
            ($0 as? CommandFailure)?.message == "unknown mount option \(option)"
        }
    }

    @Test func theCommandTakesOptionsToo() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        let options = ["-o", "rw,noatime,no-sync", "-o", "ro"]
        let mounted = try apphome(["mount", "Notes", place.path + "/n"] + options, in: place.device)
        #expect(mounted.status == 0 && mounted.output.contains("stay on this device"), "\(mounted)")
        #expect(mkdir(place.path + "/n/Documents/d", 0o755) == -1 && errno == EROFS)
        for (options, reason) in [
            ("share=/x", "one mount is one view"), ("colour", "unknown mount option colour"),
            ("uid=5", "-t apphome"),
        ] {
            let refused = try place.run("mount", "Notes", place.path + "/m", "-o", options)
            #expect(refused.status == 64 && refused.errors.contains(reason), "\(refused)")
        }
    }

    @Test func ofTwoOptionsThatContradictEachOtherTheLastCounts() throws {
        let open = try MountHelper(["Notes", "/mnt", "-r", "-o", "noexec,rw,exec"])
        #expect(!(open.options.isReadOnly ?? false) && !(open.options.forbidsExecution ?? false))
        let closed = try MountHelper(["Notes", "/mnt", "-o", "rw,exec,ro,noexec"])
        #expect((closed.options.isReadOnly ?? false) && (closed.options.forbidsExecution ?? false))
    }

    /// By root as mount(8) does, and by an ordinary user as for a line of fstab with `user`.
    @Test(arguments: [false, true]) func noexecTakesEffectInTheKernel(isOrdinary: Bool) throws {
        let place = try Workplace()
        let run =
            isOrdinary ? try place.ordinaryUser() : { [device = place.device] in try apphome($0, in: device) }
        #expect(try run(["new", "Notes"]).status == 0)
        let options = "rw,noexec,noatime,device=\(place.device)"
        let mounted = try Self.mount(["Notes", place.path + "/n", "-o", options], place, isOrdinary)
        #expect(mounted.status == 0, "\(mounted)")
        let line = try #require(text("/proc/self/mountinfo")).split(separator: "\n").first {
            $0.contains(" \(place.path)/n ")
        }
        let flags = try #require(line).split(separator: " ")[5].split(separator: ",")
        #expect(Set(flags).isSuperset(of: ["rw", "noexec", "nosuid", "nodev"]), "\(flags)")
        #expect(try run(["unmount", place.path + "/n"]).status == 0)
    }

    /// A line of fstab is mounted with each `mount -a`: its first word is not what the mount table has.
    @Test func aHomeThatIsMountedThereAlreadyIsMountedNoSecondTime() throws {
        let place = try Workplace()
        for name in ["Notes", "Other"] { #expect(try place.run("new", name).status == 0) }
        let options = "device=\(place.device)"
        for app in ["Notes", "Notes", "local.Notes"] {
            let mounted = try Self.mount([app, place.path + "/n", "-o", options], place, false)
            #expect(mounted.status == 0 && mounted.errors == "", "\(mounted)")
        }
        #expect(mounts(below: place.path) == [place.path + "/n"])
        for (app, options) in [("Other", options), ("Notes", "ro," + options)] {
            let refused = try Self.mount([app, place.path + "/n", "-o", options], place, false)
            #expect(refused.status == 1 && refused.errors.contains("a mount point already"), "\(refused)")
        }
    }

    @Test func aDeviceThatIsNotThereIsNotMadeForALineOfFstab() throws {
        let place = try Workplace()
        let words = ["Notes", place.path + "/n", "-o", "device=\(place.path)/typo"]
        let refused = try Self.mount(words, place, false)
        #expect(refused.status == 1 && refused.errors.contains("there is no device"), "\(refused)")
        #expect(try names(place.path) == ["mount.apphome"])
    }

    private static func mount(
        _ words: [String], _ place: borrowing Workplace, _ isOrdinary: Bool
    ) throws -> Outcome {
        let helper = place.path + "/mount.apphome"
        let becomesOther = isOrdinary && geteuid() == 0
        if !FileManager.default.fileExists(atPath: helper) {
            try FileManager.default.createSymbolicLink(
                atPath: helper, withDestinationPath: becomesOther ? place.path + "/apphome" : program)
        }
        guard becomesOther else { return try apphome(words, in: place.device, program: helper) }
        let identity = ["--reuid", "1000", "--regid", "1000", "--clear-groups", helper]
        return try apphome(identity + words, in: place.device, program: "/usr/bin/setpriv")
    }

    @Test func bothNamesOfTheHelperAreKnown() {
        #expect(MountHelper.isName("/sbin/mount.apphome"))
        #expect(MountHelper.isName("mount.fuse.apphome"))
        #expect(!MountHelper.isName("/usr/bin/apphome"))
    }
}
