import CLinux
import Foundation
import Testing
import Wire

/// What the owner of a device that root's daemon serves tries, to get at root's rights.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct HostileOwnerTests {
    private static let uid: UInt32 = 4711

    /// In a user namespace of his own he mounts as root, and his requests say so.
    @Test func aMountOfHisOwnNamespaceGivesHimNoIds() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        #expect(try apphome("new", "Evil", in: site.device("one")).status == 0)
        let point = site.place.path + "/own"
        #expect(mkdir(point, 0o755) == 0 && chown(point, Self.uid, Self.uid) == 0)
        let outcome = try site.run(python: Self.namespaceMount, site.device("one"), point)
        #expect(outcome.output == "EPERM\n", "\(outcome)")
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

    private static let namespaceMount = """
        import array, ctypes, errno, json, os, socket, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        device, point = sys.argv[1:3]
        uid, gid = os.getuid(), os.getgid()
        assert libc.unshare(0x10000000 | 0x00020000) == 0
        for name, text in [("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")]:
            open("/proc/self/" + name, "w").write(text)
        link = socket.socket(socket.AF_UNIX)
        link.connect(device + "/run/daemon.sock")
        def ask(message, files=[]):
            body = json.dumps(message).encode()
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
            link.sendmsg([struct.pack(">I", len(body)) + body], rights)
            size = struct.unpack(">I", link.recv(4, socket.MSG_WAITALL))[0]
            return json.loads(link.recv(size, socket.MSG_WAITALL))
        ask({"protocolNumber": 2, "build": "x", "version": "x"})
        folder = os.open(os.path.dirname(point), os.O_PATH | os.O_DIRECTORY)
        ask({"prepareMount": {"_0": {
            "app": "Evil", "kind": "home", "directory": point, "madeDirectory": False, "isReadOnly": False,
            "showsBundle": True, "isForRun": False, "noSync": True, "deep": False}}}, [folder])
        fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
        assert libc.mount(b"x", point.encode(), b"fuse.apphome", 6, options) == 0
        assert "mounted" in ask({"attachMount": {}}, [fuse])
        os.close(fuse)
        try: os.chown(point + "/Documents", 0, 0); told = "done"
        except OSError as error: told = errno.errorcode[error.errno]
        try: os.close(os.open(point + "/Documents/made", os.O_CREAT | os.O_WRONLY, 0o4755))
        except OSError: pass
        print(told)
        """
}
