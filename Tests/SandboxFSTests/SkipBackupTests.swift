import CLinux
import Glibc
import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

@Suite struct SkipBackupTests {
    @Test func theFlagIsSetAndListedUnderApplesName() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("a", to: path)
        #expect(setAttribute("com.apple.MobileBackup", [1], of: path) == nil)
        #expect(attribute("com.apple.MobileBackup", of: path) == [1])
        #expect(attribute("user.com.apple.MobileBackup", of: path) == [1])
        #expect(attributeNames(of: path) == ["com.apple.MobileBackup"])
        #expect(removeAttribute("user.com.apple.MobileBackup", of: path) == nil)
        #expect(attributeNames(of: path) == [])
    }

    @Test func toolsThatCopyOnlyUserAttributesMayHaveThePrefix() throws {
        let mounted = try MountedHome(prefixed: true)
        try write("a", to: mounted.documents + "/a")
        #expect(setAttribute("com.apple.MobileBackup", [1], of: mounted.documents + "/a") == nil)
        #expect(attributeNames(of: mounted.documents + "/a") == ["user.com.apple.MobileBackup"])
    }

    @Test func directoriesCarryItToo() throws {
        let mounted = try MountedHome()
        let caches = mounted.home + "/Library/Caches"
        #expect(setAttribute("com.apple.MobileBackup", [1], of: caches) == nil)
        #expect(attribute("com.apple.MobileBackup", of: caches) == [1])
    }

    @Test func anAttributeOfNoNamespaceIsRefusedAsOnExt4() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        let set = setAttribute("plain", [1], of: mounted.documents + "/a")
        #expect(set == .operationNotSupported)
        // Version 2; owner rwx, user 1000 rwx, group r-x, mask rwx, others r-x.
        let acl: [UInt8] = [
            2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 232, 3, 0, 0, 4, 0, 5, 0, 255, 255, 255, 255,
            16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255,
        ]
        let refused = setAttribute("system.posix_acl_access", acl, of: mounted.documents + "/a")
        #expect(refused == .operationNotSupported)
    }

    @Test func replacingAFlaggedFileByRenameLosesTheFlagAndIsAnEvent() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        #expect(setAttribute("com.apple.MobileBackup", [1], of: mounted.documents + "/a") == nil)
        try write("b", to: mounted.documents + "/new")
        #expect(failure { rename(mounted.documents + "/new", mounted.documents + "/a") } == nil)
        #expect(attribute("com.apple.MobileBackup", of: mounted.documents + "/a") == nil)
        let lost = mounted.events.all.contains {
            if case .skipBackupLost(name: "a") = $0.kind { true } else { false }
        }
        #expect(lost)
    }

    @Test func theKernelAsksForNoCapabilityBeforeAWrite() throws {
        let mounted = try MountedHome()
        let file = try Descriptor(mounted.documents + "/a", flags: O_WRONLY | O_CREAT, mode: 0o644)
        let before = mounted.requests[22] ?? 0
        for offset in 0..<1000 { #expect(lx_pwrite(file.raw, "x", 1, Int64(offset)) == 1) }
        #expect((mounted.requests[22] ?? 0) - before <= 1)
    }
}
