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
        #expect(failure { setxattr(path, "com.apple.MobileBackup", [1], 1, 0) } == nil)
        #expect(attribute("com.apple.MobileBackup", of: path) == [1])
        #expect(attribute("user.com.apple.MobileBackup", of: path) == [1])
        #expect(attributeNames(of: path) == ["com.apple.MobileBackup"])
        #expect(failure { removexattr(path, "user.com.apple.MobileBackup") } == nil)
        #expect(attributeNames(of: path) == [])
    }

    @Test func toolsThatCopyOnlyUserAttributesMayHaveThePrefix() throws {
        let mounted = try MountedHome(prefixed: true)
        try write("a", to: mounted.documents + "/a")
        #expect(failure { setxattr(mounted.documents + "/a", "com.apple.MobileBackup", [1], 1, 0) } == nil)
        #expect(attributeNames(of: mounted.documents + "/a") == ["user.com.apple.MobileBackup"])
    }

    @Test func directoriesCarryItToo() throws {
        let mounted = try MountedHome()
        let caches = mounted.home + "/Library/Caches"
        #expect(failure { setxattr(caches, "com.apple.MobileBackup", [1], 1, 0) } == nil)
        #expect(attribute("com.apple.MobileBackup", of: caches) == [1])
    }

    @Test func anAttributeOfNoNamespaceIsRefusedAsOnExt4() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        let set = failure { setxattr(mounted.documents + "/a", "plain", "b", 1, 0) }
        #expect(set == .operationNotSupported)
        let acl = failure { setxattr(mounted.documents + "/a", "system.posix_acl_access", "b", 1, 0) }
        #expect(acl == .operationNotSupported)
    }

    @Test func replacingAFlaggedFileByRenameLosesTheFlagAndIsAnEvent() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        #expect(failure { setxattr(mounted.documents + "/a", "com.apple.MobileBackup", [1], 1, 0) } == nil)
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

    private func attribute(_ name: String, of path: String) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 100)
        let count = getxattr(path, name, &value, value.count)
        return count < 0 ? nil : Array(value[..<count])
    }

    private func attributeNames(of path: String) -> [String] {
        var list = [CChar](repeating: 0, count: 1000)
        let count = listxattr(path, &list, list.count)
        return list[..<max(0, count)].split(separator: 0).map {
            String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
