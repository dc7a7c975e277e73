import Glibc
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// The top level of a group's container, where names are compared as in the Simulator.
@Suite struct GroupNamesTests {
    /// The daemon keeps what is not finished outside the container.
    @Test(arguments: [(".staging", ".STAGING"), (".STAGING", ".staging")])
    func stagingIsANameLikeAnyOther(_ name: String, _ other: String) throws {
        let group = try MountedGroup(policy: .simulator)
        let path = group.path + "/"
        #expect(try names(in: group.path) == [])
        #expect(failure { access(path + name, F_OK) } == .noSuchFileOrDirectory)
        #expect(failure { mkdir(path + name, 0o755) } == nil)
        try write("mine", to: path + other + "/letter")
        #expect(try contents(of: path + name + "/letter") == "mine")
        #expect(failure { mkdir(path + other, 0o755) } == .fileExists)
        #expect(try names(in: group.path) == [name])
        #expect(failure { rename(path + other, path + "Work") } == nil)
        #expect(failure { rename(path + "WORK", path + other) } == nil)
        #expect(try names(in: group.path) == [other])
        #expect(try names(in: group.container) == ["\(Place.metadataFileName)", other].sorted())
        #expect(failure { unlink(path + name + "/LETTER") } == nil)
        #expect(failure { rmdir(path + name) } == nil)
        #expect(try names(in: group.path) == [])
    }

    @Test func theContainersIdentityIsTheSystemsInWhicheverCase() throws {
        let group = try MountedGroup(policy: .simulator)
        for name in ["\(Place.metadataFileName)", "\(Place.metadataFileName)".uppercased()] {
            let path = group.path + "/" + name
            #expect(failure { access(path, F_OK) } == .noSuchFileOrDirectory)
            #expect(failure { mkdir(path, 0o755) } == .notPermitted)
            #expect(failure { symlink("a", path) } == .notPermitted)
        }
        #expect(try names(in: group.container) == ["\(Place.metadataFileName)"])
    }
}
