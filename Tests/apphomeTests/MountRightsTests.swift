import CLinux
import Foundation
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import FuseKit
@testable import Wire

/// What nobody may have root mount, unmount or remove.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct MountRightsTests {
    private static let owner: UInt32 = 4711

    @Test func aRunThatNamesAnotherPlaceHasNothingUnmounted() throws {
        let site = try Site(owner: Self.owner)
        let client = try site.client()
        let run = Request.beginRun(
            RunArguments(app: "Notes", program: RunningProgram(pid: getpid(), command: "true")))
        guard case .run(let grant) = try client.ask(run) else { throw Errno.invalidArgument }
        var arguments = MountArguments(
            app: "Notes", kind: .home, directory: grant.folder + "/../../../../victim")
        arguments.isForRun = true
        let answer = try client.ask(.prepareMount(arguments), [site.folder])
        #expect(answer.refusal?.hasSuffix("is not where that is mounted") == true, "\(answer)")
        client.hangUp()
        #expect(
            try eventually { try !site.place.run("info", "Notes", "--json").output.contains("\"command\"") })
        // What the daemon does for a program that has ended, the next one waits for.
        _ = try site.client().ask(run)
        #expect(mounts(below: site.place.path).contains(site.victim))
    }

    @Test func aGroupIsMountedAtItsOwnPlaceOnly() throws {
        let site = try Site(owner: Self.owner, groups: ["group.a"])
        var arguments = MountArguments(app: "Notes", kind: .group, directory: site.victim)
        arguments.group = "group.a"
        let answer = try site.client().ask(.prepareMount(arguments), [site.folder])
        #expect(answer.refusal?.hasSuffix("is not where that is mounted") == true, "\(answer)")
    }

    @Test func anOrdinaryUsersMountEndsWithRootsDaemonAndByThatUsersRights() throws {
        // With a name: fusermount3 mounts nothing for a user without.
        let user: UInt32 = 1000
        let site = try Site(owner: user)
        // The user may mount there; only root may remove it.
        let point = site.place.path + "/users"
        #expect(mkdir(point, 0o755) == 0 && chown(point, user, user) == 0)
        let client = try site.client()
        var arguments = MountArguments(app: "Notes", kind: .home, directory: point)
        (arguments.madeDirectory, arguments.noSync) = (true, true)
        let prepared = try client.ask(.prepareMount(arguments), [site.folder])
        guard case .mountGranted(let grant) = prepared else { throw Errno.invalidArgument }
        let fuse = try mount(grant.source, at: point, as: user)
        guard case .mounted = try client.ask(.attachMount, [fuse]) else { throw Errno.invalidArgument }
        client.hangUp()
        #expect(mounts(below: site.place.path).contains(point))
        let daemon = try #require(site.place.daemonProcessIDs.first)
        #expect(kill(daemon, SIGTERM) == 0)
        let isEnded = site.place.waitForDaemonsEnd()
        #expect(isEnded)
        #expect(mounts(below: site.place.path) == [site.victim])
        #expect(access(point, F_OK) == 0)
        #expect(text(site.place.device + "/run/daemon.log")?.contains("not a mount") == false)
    }

    @Test func aMountIsFoundAgainAfterTheFoldersAboveItWereRenamed() throws {
        let folder = try TemporaryFolder()
        let point = try MountPoint.prepare(try folder.directory("a") + "/m") { _ in false }
        let device = SharedDescriptor(
            try Mounting.mount(MountRequest(source: "apphome:test"), at: point))
        defer { if let entry = try? point.place.entry() { try? Unmounting.clean(entry) } }
        func known(_ source: String, _ user: UInt32, _ device: SharedDescriptor) -> KnownMount? {
            let client = UnixSocket.Peer(processID: getpid(), userID: user, groupID: user)
            return KnownMount(
                at: point.place, source: source, client: client, serving: device, madeDirectory: true)
        }
        // Of another source, of another client, or another mount's server, it is not known, and so never
        // unmounted.
        #expect(known("apphome:x", 0, device) == nil)
        #expect(known("apphome:test", Self.owner, device) == nil)
        let aside = try MountPoint.prepare(try folder.directory("c") + "/m") { _ in false }
        let otherDevice = SharedDescriptor(
            try Mounting.mount(MountRequest(source: "apphome:test"), at: aside))
        #expect(known("apphome:test", 0, otherDevice) == nil)
        if let entry = try aside.place.entry() { try Unmounting.clean(entry) }
        let mount = try #require(known("apphome:test", 0, device))
        let entry = try #require(try point.place.entry())
        #expect(rename(folder.path + "/a", folder.path + "/b") == 0)
        let victim = try folder.directory("a") + "/m"
        #expect(mkdir(victim, 0o755) == 0 && lx_mount("victim", victim, "tmpfs", 0, "") == 0)
        defer { _ = lx_umount(victim, 0) }
        // Nor does the path of the table's entry lead to it any more.
        #expect(throws: MountError.self) { try Unmounting.place(of: entry) }
        try mount.unmount(lazy: false)
        #expect(mounts(below: folder.path) == [victim])
        #expect(access(folder.path + "/b/m", F_OK) == -1)
        withExtendedLifetime(device) {}
    }

    @Test func aMountPointThatBecomesALinkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        let victim = try folder.directory("victim")
        let point = try MountPoint.prepare(try folder.directory("a") + "/m") { _ in false }
        #expect(rename(point.path, folder.path + "/a/aside") == 0)
        #expect(symlink(victim, point.path) == 0)
        let device = SharedDescriptor(
            try Mounting.mount(MountRequest(source: "apphome:test"), at: point))
        let mounted = mounts(below: folder.path)
        #expect(mounted == [folder.path + "/a/aside"])
        for path in mounted { _ = lx_umount(path, lx_mnt_detach) }
        withExtendedLifetime(device) {}
    }

    @Test func aFolderAboveAMountPointThatBecomesALinkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        try folder.directory("victim/m")
        #expect(symlink(folder.path + "/victim", folder.path + "/a") == 0)
        #expect(throws: Errno.tooManySymbolicLinkLevels) { try MountPlace(path: folder.path + "/a/m") }
    }

    /// The records of its mounts are the user's to write.
    @Test func aForgedRecordHasRootsMountNotEnded() throws {
        let site = try Site(owner: Self.owner, isServed: false)
        let roots = try Workplace()
        #expect(try roots.run("new", "Notes", "--share").status == 0)
        #expect(try roots.run("share", "mount", "Notes", roots.path + "/m").status == 0)
        let shown = try MountTable.current().entry(at: roots.path + "/m")
        let entry = try #require(shown)
        // The user's device takes the identity of root's, and says that it has mounted that.
        let device = site.place.device
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal"] {
            try? FileManager.default.copyItem(atPath: roots.device + "/" + name, toPath: device + "/" + name)
            chown(device + "/" + name, Self.owner, Self.owner)
        }
        #expect(mkdir(device + "/run", 0o700) == 0 && chown(device + "/run", Self.owner, Self.owner) == 0)
        let record = [
            "app": "Notes", "bundleID": "local.Notes", "dir": entry.mountPoint, "kind": "share",
            "source": entry.source, "deviceNumber": entry.device,
        ]
        let records = device + "/run/mounts.json"
        try JSONEncoder().encode([record]).write(to: URL(fileURLWithPath: records))
        chown(records, Self.owner, Self.owner)
        let listed = try apphome("list", in: device)
        #expect(listed.status == 0 && listed.output.contains("crash"), "\(listed)")
        #expect(mounts(below: roots.path) == [roots.path + "/m"])
        #expect(access(roots.path + "/m", R_OK) == 0)
    }

    @Test func rootThatCannotTakeTheOwnersRightsDoesNothing() throws {
        let site = try Site(owner: Self.owner, isServed: false)
        let run = site.place.device + "/run"
        #expect(mkdir(run, 0o700) == 0 && chown(run, Self.owner, Self.owner) == 0)
        let words = ["--bounding-set", "-setgid,-setuid", program, "list", "--device", site.place.device]
        let outcome = try apphome(words, in: site.place.device, program: "/usr/bin/setpriv")
        #expect(outcome.status == 1 && outcome.errors.contains("ermi"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: run) == [])
    }

    @Test func rootBecomesTheOwnerWhoseOwnDaemonAnswers() throws {
        let site = try Site(owner: Self.owner, isServed: false)
        let device = site.place.device
        let made = site.place.path + "/roots/made"
        let standIn = try StandIn(device: device, owner: Self.owner) { request in
            switch request {
            case .groupPlace: .groupPlace(ContainerPlace(directory: made))
            case .prepareMount:
                .mountGranted(
                    MountGrant(
                        source: "apphome:test", appName: "Notes", documents: "", notices: [],
                        kernelChecksAccess: true))
            case .attachMount:
                .mounted(
                    MountReport(dir: made, pid: 1, kind: .group, data: "splice", transport: "classic"))
            default: .done
            }
        }
        // A folder that root alone may change.
        let before = try ItemStamp(lx_at_fdcwd, site.place.path + "/roots")
        _ = try site.place.run("group", "path", "Notes", "group.a")
        #expect(standIn.count > 0)
        #expect(try ItemStamp(lx_at_fdcwd, site.place.path + "/roots") == before)
        let helper = site.place.path + "/mount.apphome"
        #expect(symlink(program, helper) == 0)
        let mounted = try apphome(
            [
                "Notes", site.place.path + "/home", "-o",
                "device=\(site.place.device),uid=\(Self.owner),gid=\(Self.owner)",
            ],
            in: site.place.device, program: helper)
        #expect(mounted.status == 1)
        #expect(mounted.errors.contains("a daemon of user \(Self.owner) serves"), "\(mounted)")
    }
}

extension Answer {
    fileprivate var refusal: String? { if case .failure(let failure) = self { failure.message } else { nil } }
}

/// A device of an ordinary user's that root's daemon serves, beside a file system of root's.
private final class Site {
    let place: Workplace
    let victim: String
    /// The folder that holds it.
    let folder: SharedDescriptor
    private let owner: UInt32

    init(owner: UInt32, groups: [String] = [], isServed: Bool = true) throws {
        let place = try Workplace()
        self.owner = owner
        chmod(place.path, 0o755)
        for name in ["device", "home", "roots"] { mkdir(place.path + "/" + name, 0o755) }
        guard chown(place.device, owner, owner) == 0 else { throw Errno.notPermitted }
        victim = place.path + "/victim"
        folder = SharedDescriptor(try Descriptor(place.path, flags: O_RDONLY | O_DIRECTORY))
        if isServed {
            let groups = groups.flatMap { ["--group", $0] }
            let made = try apphome(["new", "Notes", "--share"] + groups, in: place.device)
            #expect(made.status == 0, "\(made)")
            // Root's daemon stays for what root has mounted.
            let mounted = try place.run("share", "mount", "Notes", place.path + "/home")
            #expect(mounted.status == 0, "\(mounted)")
            mkdir(victim, 0o755)
            guard lx_mount("victim", victim, "tmpfs", 0, "") == 0 else { throw Errno.notPermitted }
        }
        self.place = place
    }

    deinit { _ = lx_umount(victim, 0) }

    /// A client that says what it likes, as the device's owner.
    func client() throws -> RawClient { try RawClient(device: place.device, user: owner) }
}
