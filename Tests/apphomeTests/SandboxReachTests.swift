import CLinux
import Foundation
import TestKit
import Testing

/// What of the kernel, of this machine and of other devices a program in the sandbox reaches.
@Suite(.serialized) struct SandboxReachTests {
    @Test(.enabled(if: geteuid() == 0)) func aDeviceAmongTheFoldersOfTheSystemIsShownToNoApp() throws {
        let folder = "/opt/apphome-test-\(UUID().uuidString)"
        let device = folder + "/device"
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try #require(chown(device, RunPlace.ownerID, RunPlace.ownerID) == 0)
        #expect(try apphome("new", "Opt", in: device).status == 0)
        #expect(try apphome("cloud", "account", "none", in: device).status == 0)
        let own = try apphome("run", "Opt", "--", "sh", "-c", "ls -A \(device); ls ~", in: device)
        #expect(own.output == "Documents\nLibrary\ntmp\n", "\(own)")
        let place = try RunPlace()
        let other = try place.work.run("run", "recipes", "--", "ls", "-A", device)
        #expect(other.status == 0 && other.output == "", "\(other)")
    }

    /// It holds all apps' documents.
    @Test(.enabled(if: geteuid() == 0)) func aStoreAmongTheFoldersOfTheSystemIsNotShown() throws {
        let store = "/opt/apphome-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: store) }
        try #require(chown(store, RunPlace.ownerID, RunPlace.ownerID) == 0)
        let place = try RunPlace()
        #expect(try place.work.run("cloud", "account", "set", "file://" + store).status == 0)
        #expect(try place.work.run("cloud", "sync", "Other", "--wait").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) != [])
        let outcome = try place.work.run("run", "recipes", "--no-sync", "--", "ls", "-A", store)
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0)) func theUsersHomeAmongTheFoldersOfTheSystemIsNotShown() throws {
        let place = try RunPlace()
        let home = "/opt/apphome-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: home) }
        try "secret".write(toFile: home + "/secret", atomically: false, encoding: .utf8)
        try #require(chown(home, RunPlace.ownerID, RunPlace.ownerID) == 0)
        let outcome = try runAsOwner(["recipes", "--", "ls", "-A", home], home: home, place)
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    }

    /// It could be covered, but an app that runs can move what it lies in at the moment when another begins.
    @Test func aFolderForToolsWithAnotherAppsHomeInItIsRefused() throws {
        let place = try RunPlace()
        let tools = place.work.path + "/tools"
        try FileManager.default.createDirectory(atPath: tools + "/x/y", withIntermediateDirectories: true)
        let others = geteuid() == 0 ? ["--allow-other"] : []
        let mounted = try apphome(
            ["mount", "Other", tools + "/x/y", "--no-sync"] + others, in: place.work.device)
        #expect(mounted.status == 0, "\(mounted)")
        let refused = try place.work.run("run", "recipes", "--tool-home", tools, "--", "true")
        #expect(refused.status == 125 && refused.errors.contains("another folder"), "\(refused)")
        #expect(try place.work.run("unmount", tools + "/x/y").status == 0)
        let outcome = try place.work.run("run", "recipes", "--tool-home", tools, "--", "ls", "/tool-home")
        #expect(outcome.status == 0 && outcome.output == "x\n", "\(outcome)")
    }

    private func runAsOwner(
        _ words: [String], home: String, _ place: borrowing RunPlace
    ) throws -> Outcome {
        let command = RunPlace.asOwner + ["env", "HOME=" + home, program, "run"] + words
        return try apphome(["-c", "exec \"$@\"", "sh"] + command, in: place.work.device, program: "/bin/sh")
    }

    @Test func callsThatMeasureTheMachineOrFindProcessesByTheirHandlesAreRefused() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, os
            libc = ctypes.CDLL(None, use_errno=True)
            def told(*call):
                answer = libc.syscall(*[ctypes.c_long(word) for word in call])
                return errno.errorcode[ctypes.get_errno()] if answer < 0 else "done"
            log, events, filters, faults, handle = (103, 298, 321, 323, 304) \\
                if os.uname().machine == "x86_64" else (116, 241, 280, 282, 265)
            print(told(log, 10, 0, 0), told(events, 0, 0, -1, -1, 0), told(filters, 0, 0, 0), told(faults, 1))
            print(told(handle, 0, 0, 0))
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "EPERM EPERM EPERM EPERM\nEPERM\n", "\(outcome)")
    }

    @Test func socketsAreOfFilesAndOfTheInternetAlone() throws {
        let place = try RunPlace()
        let script = """
            import errno, socket
            def told(family, kind):
                try: socket.socket(family, kind).close()
                except OSError as error: return errno.errorcode[error.errno]
                return "open"
            print(told(socket.AF_UNIX, 1), told(socket.AF_INET, 1), told(socket.AF_INET6, 2), told(16, 3))
            # AF_PACKET, AF_BLUETOOTH, AF_ALG, AF_QIPCRTR.
            print(*[told(family, socket.SOCK_RAW) for family in [17, 31, 38, 42]])
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        let refused = Array(repeating: "EAFNOSUPPORT", count: 4).joined(separator: " ")
        #expect(outcome.output == "open open open open\n\(refused)\n", "\(outcome)")
    }

    /// Where a sandbox is made, all mounts of this machine are seen, until its end.
    @Test(.enabled(if: geteuid() == 0)) func aProgramKeepsNoMountOfAnotherApp() throws {
        let control = "/sys/fs/fuse/connections"
        let makesControl = !mounts(below: "/sys/fs/fuse").contains(control)
        if makesControl { try #require(mount("fusectl", control, "fusectl", 0, nil) == 0) }
        defer { if makesControl { umount2(control, Int32(MNT_DETACH)) } }
        let place = try Workplace()
        let run = try place.ordinaryUser()
        for app in ["Mounted", "Killed", "Other"] { #expect(try run(["new", app]).status == 0) }
        let point = place.path + "/n"
        // One that a mount makes takes all copies with it when it goes.
        try #require(mkdir(point, 0o755) == 0 && chown(point, 1000, 1000) == 0)
        let words = ["mount", "Mounted", point, "--no-sync"]
        #expect(try run(words).status == 0)
        let killed = try started("Killed", 4321, place)
        let other = try started("Other", 4322, place)
        defer { other.process.terminate() }
        kill(killed.process.processIdentifier, SIGKILL)
        killed.process.waitUntilExit()
        let again = try run(["run", "Killed", "--no-sync", "--", "true"])
        #expect(again.status == 0 && again.errors == "", "\(again)")
        let unmounted = try run(["unmount", point])
        #expect(unmounted.status == 0 && unmounted.output + unmounted.errors == "", "\(unmounted)")
        let mounted = try run(words)
        #expect(mounted.status == 0, "\(mounted)")
    }

    private static let asOrdinary = ["--reuid", "1000", "--regid", "1000", "--clear-groups"]

    /// A program of the ordinary user's that sleeps, as the app.
    private func started(_ app: String, _ seconds: Int, _ place: borrowing Workplace) throws -> Running {
        let words = ["run", app, "--no-sync", "--", "sleep", "\(seconds)"]
        let running = try start(
            Self.asOrdinary + [place.path + "/apphome"] + words, in: place.device,
            program: "/usr/bin/setpriv")
        let isUp = eventually { !processes(["sleep", "\(seconds)"]).isEmpty }
        #expect(isUp)
        return running
    }

    /// The kernel counts them for each user, whatever the sandbox.
    @Test(.enabled(if: geteuid() == 0)) func descriptorsOnTheirWayKeepNobodyElseFromSending() throws {
        let place = try Workplace()
        let run = try place.ordinaryUser()
        for app in ["Notes", "Sender"] { #expect(try run(["new", app]).status == 0) }
        let script = """
            import array, os, resource, socket, time
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            kept, null = [], os.open("/dev/null", os.O_RDONLY)
            try:
                while True:
                    kept.append(socket.socketpair())
                    kept[-1][0].setblocking(False)
                    try:
                        while True: socket.send_fds(kept[-1][0], [b"x"], [null] * 250)
                    except BlockingIOError: pass
            except OSError as error: print(error.errno, flush=True)
            time.sleep(600)
            """
        let sender = try start(
            Self.asOrdinary + [place.path + "/apphome", "run", "Sender", "--no-sync", "--"]
                + ["python3", "-c", script], in: place.device, program: "/usr/bin/setpriv")
        defer { sender.process.terminate() }
        let told = sender.output.fileHandleForReading.availableData
        #expect(String(decoding: told, as: UTF8.self) == "\(ETOOMANYREFS)\n")
        let words = ["prlimit", "--nofile=1024:", place.path + "/apphome", "mount", "Notes"]
        let mounted = try apphome(
            Self.asOrdinary + words + [place.path + "/n", "--no-sync"], in: place.device,
            program: "/usr/bin/setpriv")
        #expect(mounted.status == 0, "\(mounted)")
    }

    @Test func processesAreLimitedAndNobodyOutsideTakesItsCore() throws {
        let place = try RunPlace()
        let script = """
            import resource
            print(max(resource.getrlimit(resource.RLIMIT_NPROC)) <= 4096)
            print(max(resource.getrlimit(resource.RLIMIT_CORE)) <= 1)
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "True\nTrue\n", "\(outcome)")
    }
}
