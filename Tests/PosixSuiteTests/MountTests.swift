import CLinux
import FuseKit
import Glibc
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// The suite against a real home: POSIX as on ext4, but for the written exceptions (SPEC 3).
///
/// By every way that contents and requests can travel: mount-scripts/test says where the ring is not offered.
@Suite(.serialized) struct MountTests {
    static let transports: [TransportChoice] =
        RingSupport.current == .offered ? [.classic, .ring] : [.classic]
    static let dataPaths: [DataPath] = Passthrough.isPermitted ? [.passthrough, .splice] : [.splice]

    @Test(arguments: dataPaths, transports)
    func aHomeBehavesAsExt4ForRootAndOtherUsers(_ data: DataPath, _ transport: TransportChoice) throws {
        try compare(Process.effectiveUserID == 0 ? "--as-root" : "--as-user", data, transport)
    }

    @Test(arguments: dataPaths, transports)
    func aHomeOfAnOrdinaryUserBehavesAsExt4(_ data: DataPath, _ transport: TransportChoice) throws {
        try compare("--as-user", data, transport)
    }

    @Test(arguments: transports)
    func aHomeMountedByAnOrdinaryUserBehavesAsExt4(_ transport: TransportChoice) throws {
        let folder = try TemporaryFolder()
        // Programs and folders where that user reaches them.
        let script = """
            set -e
            cp "$2/apphome" "$2/posix-suite" "$1"
            mkdir "$1/home" "$1/control"
            chmod 755 "$1"
            user=
            if [ "$(id -u)" = 0 ]; then
                chown -R 1000:1000 "$1"
                user="setpriv --reuid 1000 --regid 1000 --clear-groups"
            fi
            export HOME="$1" XDG_DATA_HOME="$1" APPHOME_DEVICE="$1/device"
            $user "$1/apphome" new Notes
            $user "$1/apphome" mount Notes "$1/home" --transport "$3"
            status=0
            $user "$1/posix-suite" compare --as-user "$1/control" "$1/home/Documents" || status=$?
            $user "$1/apphome" unmount "$1/home"
            exit $status
            """
        let status = run(
            "/bin/bash", "-c", script, "bash", folder.path, Program.folder, transport.rawValue)
        #expect(status == 0)
    }

    /// Not in a folder of it, but where only the names that the system keeps are closed to the app.
    @Test(arguments: dataPaths)
    func theRootOfAGroupBehavesAsExt4(_ data: DataPath) throws {
        let group = try MountedGroup(data: data)
        let control = try TemporaryFolder()
        chmod(control.path, 0o755)
        let plain = try control.directory("plain/group")
        try check(["--whole", Process.effectiveUserID == 0 ? "--as-root" : "--as-user", plain, group.path])
    }

    /// By one way: names do not care how contents travel.
    @Test func aHomeUnderTheSimulatorsNamesBehavesAsExt4() throws {
        let mounted = try MountedHome(policy: .simulator, contentsMode: 0o777)
        let control = try TemporaryFolder()
        chmod(control.path, 0o777)
        let user = Process.effectiveUserID == 0 ? "--as-root" : "--as-user"
        try check(["--simulator", user, control.path, mounted.documents])
    }

    private func check(_ arguments: [String]) throws {
        let result = try Program.run(["compare"] + arguments)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lastLine.hasSuffix("passed, 0 failed"))
    }

    /// Compares a home's Documents with a plain directory on the disk below it.
    private func compare(_ mode: String, _ data: DataPath, _ transport: TransportChoice) throws {
        let mounted = try MountedHome(contentsMode: 0o777, data: data, transport: transport)
        // A container's overlay refuses passthrough for itself; the suite holds there too.
        if data == .passthrough, let refusal = mounted.passthroughRefusal {
            guard refusal == .leasesTellNothing else { throw refusal }
        }
        #expect(mounted.transport?.kind.rawValue == transport.rawValue)
        let control = try TemporaryFolder()
        chmod(control.path, 0o777)
        try check([mode, control.path, mounted.documents])
    }
}
