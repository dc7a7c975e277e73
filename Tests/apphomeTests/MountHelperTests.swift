import Testing

@testable import apphome

@Suite struct MountHelperTests {
    @Test func whatMountAddsForItselfIsTakenOff() throws {
        let helper = try MountHelper([
            "Notes", "/mnt", "-n", "-s", "-v", "-o",
            "rw,noauto,nofail,_netdev,user,x-systemd.automount,device=/d/x,uid=1000,gid=100",
        ])
        #expect(helper.app == "Notes")
        #expect(helper.directory == "/mnt")
        #expect(helper.device == "/d/x")
        #expect(helper.userID == 1000)
        #expect(helper.groupID == 100)
        #expect(!helper.isReadOnly)
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

    @Test func bothNamesOfTheHelperAreKnown() {
        #expect(MountHelper.isName("/sbin/mount.apphome"))
        #expect(MountHelper.isName("mount.fuse.apphome"))
        #expect(!MountHelper.isName("/usr/bin/apphome"))
    }
}
