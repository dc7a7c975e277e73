import CLinux
import Foundation
import FuseKit
import Posix
import TestKit
import Testing

@testable import Wire

/// What the owner of a device that root's daemon serves tries, to get at root's rights.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct HostileOwnerTests {
    private static let uid: UInt32 = 4711

    /// In a user namespace of his own he mounts as root, and his requests say so; or as himself, with all of
    /// root's capabilities there.
    @Test(arguments: [(UInt32(0), "EPERM EACCES"), (uid, "EINVAL done EPERM EPERM EPERM")])
    func aMountOfHisOwnNamespaceGivesHimNothingOfRoots(_ inside: UInt32, _ told: String) throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        #expect(try apphome("new", "Evil", in: site.device("one")).status == 0)
        let point = site.place.path + "/own"
        #expect(mkdir(point, 0o755) == 0 && chown(point, Self.uid, Self.uid) == 0)
        let outcome = try site.run(
            python: Self.namespaceMount, site.device("one"), point, "\(inside)", "\(Hello.currentProtocol)")
        #expect(outcome.output == told + "\n", "\(outcome)")
        let containers = site.device("one") + "/Containers/Data"
        let walk = try #require(FileManager.default.enumerator(atPath: containers))
        for case let name as String in walk {
            var status = stat()
            #expect(lstat(containers + "/" + name, &status) == 0)
            #expect(status.st_uid == Self.uid && status.st_mode & 0o6000 == 0, "\(name)")
        }
    }

    @Test func aLinkInTheSocketsPlaceLeadsToNoOtherDaemon() throws {
        let roots = try Workplace()
        #expect(try roots.run("new", "Rooted", "--share").status == 0)
        #expect(try roots.run("share", "mount", "Rooted", roots.path + "/m").status == 0)
        let users = try Workplace()
        for folder in ["", "/run"] { #expect(mkdir(users.device + folder, 0o700) == 0) }
        #expect(symlink(roots.device + "/run/daemon.sock", users.device + "/run/daemon.sock") == 0)
        for path in ["", "/run"] { #expect(chown(users.device + path, Self.uid, Self.uid) == 0) }
        #expect(lchown(users.device + "/run/daemon.sock", Self.uid, Self.uid) == 0)
        let listed = try apphome("list", in: users.device)
        #expect(!listed.output.contains("Rooted"), "\(listed)")
    }

    @Test func aPipeInTheLogsPlaceKeepsNobodyWaiting() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
        let log = place.device + "/run/daemon.log"
        #expect(unlink(log) == 0 && mkfifo(log, 0o600) == 0)
        let listed = try apphome(
            ["-s", "KILL", "20", program, "list"], in: place.device, program: "/usr/bin/timeout")
        #expect(listed.status == 1 && listed.errors.filter(\.isNewline).count == 1, "\(listed)")
    }

    @Test func noNumberOfSecondsEndsTheDaemon() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        for seconds in [1e300, -1e300, 1e19, 9.3e15] {
            let request = CloudRequest.settle(directory: place.path + "/n", seconds: seconds)
            let answer = try RawClient(device: place.device).ask(.cloud(request))
            #expect("\(answer)".contains("left"), "\(answer)")
        }
        #expect(try place.run("unmount", place.path + "/n").status == 0)
    }

    @Test func noNumberOfBytesEndsTheDaemon() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/n", "--no-sync").status == 0)
        let (folder, daemons) = (place.path, place.daemonProcessIDs)
        let target = SharedDescriptor(try Descriptor(folder, flags: O_DIRECTORY))
        for bytes in [Int64.min, -1] {
            let request = BackupRequest.create(BackupArguments(mostBytes: bytes))
            let answer = try RawClient(device: place.device).ask(.backup(request), [target])
            #expect("\(answer)".contains("more than \(bytes) B"), "\(answer)")
        }
        #expect(place.daemonProcessIDs == daemons)
        #expect(try place.run("unmount", place.path + "/n").status == 0)
    }

    /// Whoever else may write to the store can leave one there, of any time that the disk holds.
    @Test func noTimeOfADraftEndsTheDaemon() throws {
        let place = try Workplace()
        let store = place.path + "/store"
        #expect(mkdir(store, 0o700) == 0 && lx_mount("times", store, "tmpfs", 0, "") == 0)
        defer { _ = lx_umount(store, lx_mnt_detach) }
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("cloud", "account", "set", "file://" + store).status == 0)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
        let draft = store + "/tmp/draft"
        #expect(FileManager.default.createFile(atPath: draft, contents: nil))
        let first = timespec(tv_sec: .min, tv_nsec: 0)
        #expect(lx_utimensat(lx_at_fdcwd, draft, [first, first]) == 0)
        let synced = try place.run("cloud", "sync", "--wait")
        #expect(synced.status == 0, "\(synced)")
        #expect(access(draft, F_OK) != 0)
    }

    /// Root made the folder, and gave it to him without its group.
    @Test func theGroupOfHisFolderIsNotTheDaemons() throws {
        let site = try UserSite(uid: Self.uid)
        let hasEnded = site.waitForDaemonsEnd("one")
        #expect(hasEnded && chown(site.device("one"), Self.uid, 0) == 0)
        try site.mount("one")
        let groups = try site.threads("one").flatMap { [$0.fileGroup] + $0.groups }
        #expect(!groups.isEmpty && !groups.contains(0), "\(groups)")
    }

    /// Threads that root's request starts would go on with root's rights.
    @Test func whatRootAsksOfAStoreLeavesNoThreadItsRights() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: site.device("one"))
        #expect(synced.status == 0, "\(synced)")
        let store = "file://" + site.store
        // The account's list of apps is written a little later.
        let isListed = try eventually {
            try apphome("share", "ls", "Notes", "--from", store, in: site.device("one")).status == 0
        }
        #expect(isListed)
        // One whose daemon has asked no store yet.
        #expect(try apphome("cloud", "account", "none", in: site.device("two")).status == 0)
        let hasEnded = site.waitForDaemonsEnd("two")
        #expect(hasEnded)
        try site.mount("two")
        let view = site.place.path + "/view"
        let shown = try apphome(
            "share", "mount", "Notes", view, "--from", store, in: site.device("two"))
        #expect(shown.status == 0, "\(shown)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: view) == [])
        let users = try site.threads("two").map(\.fileUser)
        #expect(users.count > 3 && Set(users) == [Self.uid], "\(users)")
        #expect(try apphome("unmount", view, in: site.device("two")).status == 0)
    }

    /// What a file says of its size is anything.
    @Test func noSizesOfFilesEndTheDaemon() throws {
        let place = try Workplace()
        #expect(mkdir(place.device, 0o700) == 0 && lx_mount("sizes", place.device, "tmpfs", 0, "") == 0)
        defer { _ = lx_umount(place.device, lx_mnt_detach) }
        #expect(try place.run("new", "Notes").status == 0)
        let home = try #require(
            FileManager.default.enumerator(atPath: place.device)?.compactMap { $0 as? String }
                .first { $0.hasSuffix("/Documents") })
        for name in ["a", "b", "c"] {
            let file = try Descriptor("\(place.device)/\(home)/\(name)", flags: O_RDWR | O_CREAT)
            #expect(ftruncate(file.raw, .max) == 0)
        }
        #expect(try place.run("info", "Notes").status == 0)
        let measured = try place.run("backup", "create", "--dry-run")
        #expect(measured.status == 0, "\(measured)")
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
    }

    /// He could cut short what is mapped of it, and that would end the daemon.
    @Test func noFileOfHisIsMappedForADatabase() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: site.device("one"))
        #expect(synced.status == 0, "\(synced)")
        #expect(try apphome("cloud", "status", in: site.device("one")).status == 0)
        let daemon = try #require(site.daemons("one").first)
        let maps = try #require(text("/proc/\(daemon)/maps"))
        #expect(maps.contains("apphome") && !maps.contains("sqlite-shm"))
    }

    @Test func hisClientsLeaveRoomForRoots() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        var others: [Channel] = []
        var isFull = false
        while !isFull, others.count < 100 {
            let channel = try RawClient.channel(site.device("one"), Self.uid)
            try? channel.send(Hello())
            isFull = try channel.receive(Hello.self, idleSeconds: 5).0.isFull == true
            if !isFull { others.append(channel) }
        }
        #expect(isFull && others.count == 56)
        let listed = try RawClient(device: site.device("one")).ask(.list)
        guard case .apps = listed else { throw CommandFailure("\(listed)") }
    }

    @Test func anUnmountByWhoDidNotMountRemovesNothing() throws {
        let site = try UserSite(uid: Self.uid)
        let point = site.place.path + "/made"
        try site.mount("one")
        #expect(try apphome("share", "mount", "Notes", point, in: site.device("one")).status == 0)
        let source = try #require(try MountTable.current().entry(at: point)).source
        let his = try RawClient(device: site.device("one"), user: Self.uid)
        let request = Request.unmount(source: source, directory: point, isDone: false)
        #expect(try his.ask(request) == .unmounting(removesDirectory: false))
        #expect(try RawClient(device: site.device("one")).ask(request) == .unmounting(removesDirectory: true))
        #expect(mounts(below: site.place.path).contains(point))
        #expect(try apphome("unmount", point, in: site.device("one")).status == 0)
        #expect(access(point, F_OK) == -1)
    }

    /// What is synced would be synced again, for ever.
    @Test func aStoreThatBecomesAFolderOfTheMountIsRefused() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: site.device("one"))
        #expect(synced.status == 0, "\(synced)")
        let inside = site.documents("one") + "/store"
        let swap = "mkdir -p \(inside)/tmp && mv \(site.store) \(site.device("one"))/aside"
        #expect(chown(site.place.path, Self.uid, Self.uid) == 0)
        let swapped = try site.run(swap + " && ln -s \(inside) \(site.store) && echo x > \(inside)/../new")
        #expect(swapped.status == 0, "\(swapped)")
        let isTold = try eventually {
            try apphome("cloud", "status", in: site.device("one")).output.contains("put the store elsewhere")
        }
        #expect(isTold)
        #expect(try FileManager.default.contentsOfDirectory(atPath: inside) == ["tmp"])
    }

    /// Somebody's copy of the mount in a namespace of his own keeps it alive, with no file in use.
    @Test func aCopyOfTheMountElsewhereKeepsNobodyFromMountingAgain() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let words = [
            "--reuid", "4712", "--regid", "4712", "--clear-groups", "unshare", "-Urm", "sleep", "200",
        ]
        let other = try start(words, in: site.place.path, program: "/usr/bin/setpriv")
        defer { other.process.terminate() }
        let hasCopy = eventually {
            text("/proc/\(other.process.processIdentifier)/cmdline")?.hasPrefix("sleep") == true
        }
        #expect(hasCopy)
        let unmounted = try apphome("unmount", site.home("one"), in: site.device("one"))
        #expect(unmounted.status == 0, "\(unmounted)")
        try site.mount("one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.home("one")).contains("Documents"))
    }

    /// The helper is his process, and so is the clock that would end it.
    @Test func aHelperThatHeHasStoppedIsEndedWithTheMount() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let database = site.documents("one") + "/d.sqlite"
        let app = try SQLiteProgram(database)
        // The helper waits for the lock, long enough to be found.
        try app.run("PRAGMA journal_mode=DELETE; CREATE TABLE t(a); BEGIN EXCLUSIVE;")
        #expect(chown(database, Self.uid, Self.uid) == 0)
        let stopping = try site.start(python: Self.stopHelper, database)
        let package = site.place.path + "/Notes.xcappdata"
        let backup = try start(["backup", "create", "--xcappdata", package, "Notes"], in: site.device("one"))
        #expect(try stopping.wait().output == "stopped\n")
        app.kill()
        let unmounted = try apphome("unmount", site.home("one"), in: site.device("one"))
        #expect(unmounted.status == 0, "\(unmounted)")
        let hasEnded = eventually { !backup.process.isRunning }
        #expect(hasEnded)
        if !hasEnded { backup.process.terminate() }
    }

    private static let stopHelper = """
        import os, signal, sys, time
        end = time.monotonic() + 50
        while time.monotonic() < end:
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    words = open(f"/proc/{name}/cmdline", "rb").read().split(b"\\0")
                    if words[1:2] != [b"database-helper"] or sys.argv[1].encode() not in words: continue
                    os.kill(int(name), signal.SIGSTOP)
                    print("stopped")
                    sys.exit()
                except OSError: pass
        """

    private static let namespaceMount = """
        import array, ctypes, errno, json, os, socket, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        device, point, inside = sys.argv[1], sys.argv[2], int(sys.argv[3])
        uid, gid = os.getuid(), os.getgid()
        assert libc.unshare(0x10000000 | 0x00020000) == 0
        maps = [("setgroups", "deny"), ("uid_map", f"{inside} {uid} 1"), ("gid_map", f"{inside} {gid} 1")]
        for name, text in maps: open("/proc/self/" + name, "w").write(text)
        link = socket.socket(socket.AF_UNIX)
        link.connect(device + "/run/daemon.sock")
        def ask(message, files=[]):
            body = json.dumps(message).encode()
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
            link.sendmsg([struct.pack(">I", len(body)) + body], rights)
            size = struct.unpack(">I", link.recv(4, socket.MSG_WAITALL))[0]
            return json.loads(link.recv(size, socket.MSG_WAITALL))
        ask({"protocolNumber": int(sys.argv[4]), "build": "x", "version": "x"})
        folder = os.open(os.path.dirname(point), os.O_PATH | os.O_DIRECTORY)
        ask({"prepareMount": {"_0": {
            "app": "Evil", "kind": "home", "directory": point, "madeDirectory": False, "isReadOnly": False,
            "showsBundle": True, "isForRun": False, "noSync": True, "showsConflicts": False, "deep": False,
            "isPrivate": False}}}, [folder])
        fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={fuse},rootmode=40000,user_id={inside},group_id={inside}".encode()
        assert libc.mount(b"x", point.encode(), b"fuse.apphome", 6, options) == 0
        assert "mounted" in ask({"attachMount": {}}, [fuse])
        os.close(fuse)
        made, capability = point + "/Documents/made", struct.pack("<5I", 0x02000001, 0xffffffff, 0, 0, 0)
        def told(act, *arguments):
            try: act(*arguments); return "done"
            except OSError as error: return errno.errorcode[error.errno]
        words = [told(os.chown, point + "/Documents", 0, 0)]
        words.append(told(os.open, made, os.O_CREAT | os.O_WRONLY, 0o755 if inside else 0o4755))
        values = [("security.evil", b"x"), ("security.capability", capability), ("trusted.x", b"x")]
        for name, value in values:
            if words[1] == "done": words.append(told(os.setxattr, made, name, value))
        print(*words)
        """
}
