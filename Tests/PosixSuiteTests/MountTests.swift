import CLinux
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// The suite against a real home: POSIX as on ext4, but for the written exceptions (SPEC 3).
@Suite(.serialized) struct MountTests {
    @Test func aHomeBehavesAsExt4ForRootAndOtherUsers() throws {
        guard Process.effectiveUserID == 0 else { return try compare("--as-user") }
        try compare("--as-root")
    }

    @Test func aHomeOfAnOrdinaryUserBehavesAsExt4() throws {
        try compare("--as-user")
    }

    /// Compares a home's Documents with a plain directory on the disk below it.
    private func compare(_ mode: String) throws {
        let mounted = try MountedHome(contentsMode: 0o777)
        let control = try TemporaryFolder()
        chmod(control.path, 0o777)
        let result = try Program.run(["compare", mode, control.path, mounted.documents])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lastLine.hasSuffix("passed, 0 failed"))
    }
}
