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

    /// Each way once: root's home is tried with all pairs of them.
    @Test(arguments: zip(dataPaths, transports))
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
            $user "$1/posix-suite" compare --own --as-user "$1/control" "$1/home/Documents" || status=$?
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
    @Test(arguments: [NamePolicy.simulator, .legacy])
    func aHomeUnderOtherNamesBehavesAsExt4(_ names: NamePolicy) throws {
        let mounted = try MountedHome(policy: names, contentsMode: 0o777)
        let control = try TemporaryFolder()
        chmod(control.path, 0o777)
        let user = Process.effectiveUserID == 0 ? "--as-root" : "--as-user"
        try check(["--names", "\(names)", user, control.path, mounted.documents])
    }

    @Test(arguments: [NamePolicy.simulator, .legacy])
    func theRootOfAGroupHasItsNamesUnderOtherPolicies(_ names: NamePolicy) throws {
        let group = try MountedGroup(policy: names)
        let control = try TemporaryFolder()
        let plain = try control.directory("plain/group")
        try check(["--names", "\(names)", "--whole"] + Self.onlyNames + [plain, group.path])
    }

    /// Each name in each view under each policy; all else in Files and in the device's tree under one each.
    @Test(arguments: NamePolicy.allCases)
    func theViewsBesideAHomeBehaveAsExt4(_ names: NamePolicy) throws {
        let folder = try TemporaryFolder()
        let script = """
            set -e
            cd "$1"
            export HOME="$1" APPHOME_DEVICE="$1/device" PATH="$2:$PATH"
            user=--as-user
            if [ "$(id -u)" = 0 ]; then user=--as-root; fi
            mkdir home files tree control
            chmod 755 . && chmod 777 control
            apphome new Notes --files
            apphome device set names "$3"
            apphome files mount files --allow-other
            apphome device root tree --allow-other
            apphome mount Notes home --no-sync
            chmod 777 home/Documents
            status=0
            for view in files/Notes "tree/On My iPhone/Notes"; do
                only=(--only 'name/*' --only 'spelling/*')
                if [ "$view" = "$4" ]; then only=(); fi
                posix-suite compare "$user" --guest --names "$3" "${only[@]}" control "$view" || status=1
            done
            for directory in home tree files; do apphome unmount "$directory"; done
            exit "$status"
            """
        let whole: [NamePolicy: String] = [.device: "files/Notes", .simulator: "tree/On My iPhone/Notes"]
        let status = run(
            "/bin/bash", "-c", script, "bash", folder.path, Program.folder, "\(names)", whole[names] ?? "")
        #expect(status == 0)
    }

    private static let onlyNames = ["--only", "name/*", "--only", "spelling/*"]

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
