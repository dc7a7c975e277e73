import Foundation
import Posix
import TestKit
import Testing

/// Taking an app off one of two devices that share an account.
@Suite(.serialized) struct UninstallTests {
    @Test func itAsksFirstAndNamesWhatWouldBeLost() throws {
        let devices = try TwoDevices()
        try devices.fill()
        let asked = try apphome("uninstall", "Notes", in: devices.first)
        #expect(asked.status == 1 && asked.errors.contains("give --yes"), "\(asked)")
        #expect(
            asked.errors.contains("1 document (late) is on this device alone and will be lost"), "\(asked)")
        #expect(asked.errors.contains("apphome cloud sync Notes --wait"), "\(asked)")
        #expect(try apphome("info", "Notes", in: devices.first).status == 0)
    }

    @Test func aDirectoryThatItsOwnerClosedKeepsNobodyFromItsApp() throws {
        let place = try Workplace()
        let run = try place.ordinaryUser()
        #expect(try run(["new", "Notes"]).status == 0)
        #expect(try run(["cloud", "account", "none"]).status == 0)
        let containers = place.device + "/Containers/Data/Application"
        let home = try #require(FileManager.default.contentsOfDirectory(atPath: containers).first)
        for area in ["Documents", "tmp"] {
            let closed = "\(containers)/\(home)/\(area)/closed"
            #expect(mkdir(closed, 0o700) == 0 && creat(closed + "/a", 0o600) >= 0)
            #expect(chmod(closed, 0) == 0)
            if getuid() == 0 { #expect(chown(closed, 1000, 1000) == 0) }
        }
        #expect(try run(["info", "Notes"]).status == 0)
        let removed = try run(["uninstall", "Notes", "--yes"])
        #expect(removed.status == 0 && removed.errors.contains("1 document (closed) is"), "\(removed)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: containers) == [])
    }

    /// Answers on a terminal once the daemon serves no client any more; says how the command ended.
    private static let answersLate = """
        import glob, os, pty, sys, time
        child, terminal = pty.fork()
        if child == 0:
            os.execv(sys.argv[2], sys.argv[2:])
        said = b""
        while not said.endswith(b"[y/N] "):
            said += os.read(terminal, 1024)
        def name_of(thread):
            try:
                return open(thread + "/comm").read()
            except OSError:  # It ended meanwhile.
                return ""
        def is_served():
            threads = glob.glob("/proc/" + sys.argv[1] + "/task/*")
            return any(name_of(thread) == "client\\n" for thread in threads)
        end = time.monotonic() + 60
        while is_served() and time.monotonic() < end:
            time.sleep(0.01)
        os.write(terminal, b"y\\n")
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    @Test func anAnswerCountsHoweverLongItTakes() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        let isEnded = place.waitForDaemonsEnd()
        #expect(isEnded)
        let service = try start(["daemon", place.device, "--idle-seconds", "0.5"], in: place.device)
        defer {
            service.process.terminate()
            _ = try? service.wait()
        }
        #expect(eventually { access(place.device + "/run/daemon.sock", F_OK) == 0 })
        let words = [program, "uninstall", "Notes", "--device", place.device]
        let asked = try apphome(
            ["-c", Self.answersLate, "\(service.process.processIdentifier)"] + words, in: place.device,
            program: "/usr/bin/python3")
        #expect(asked.output == "0\n", "\(asked)")
        #expect(try place.run("info", "Notes").status == 1)
    }

    @Test func aMountedAppStays() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let refused = try apphome("uninstall", "Notes", "--yes", in: devices.first)
        #expect(refused.status == 1 && refused.errors.contains("apphome unmount"), "\(refused)")
        #expect(try apphome("info", "Notes", in: devices.first).status == 0)
    }

    @Test func otherDevicesKeepTheDocumentsAndTheyReturnWithTheApp() throws {
        let devices = try TwoDevices()
        try devices.fill()
        let removed = try apphome("uninstall", "Notes", "--yes", in: devices.first)
        #expect(removed.status == 0 && removed.errors.contains("1 document (late)"), "\(removed)")
        #expect(removed.output.contains("its documents stay in"), "\(removed)")
        #expect(try apphome("info", "Notes", in: devices.first).status == 1)
        #expect(try devices.names(on: devices.second) == ["a", "d"])
        _ = try apphome("new", "Notes", "--share", in: devices.first)
        #expect(try devices.names(on: devices.first) == ["a", "d"])
        #expect(try devices.names(on: devices.second) == ["a", "d"])
    }

    @Test func withDeleteCloudTheyGoEverywhere() throws {
        let devices = try TwoDevices()
        try devices.fill()
        let removed = try apphome("uninstall", "Notes", "--yes", "--delete-cloud", in: devices.first)
        #expect(removed.status == 0, "\(removed)")
        #expect(removed.output.contains("its documents are deleted in"), "\(removed)")
        #expect(try devices.names(on: devices.second) == [])
    }

    @Test func withDeleteCloudNothingIsLostWhileTheStoreIsAway() throws {
        let devices = try TwoDevices()
        try devices.fill()
        #expect(rename(devices.store, devices.store + "-away") == 0)
        let refused = try apphome("uninstall", "Notes", "--yes", "--delete-cloud", in: devices.first)
        #expect(refused.status == 1 && refused.errors.contains("is not there"), "\(refused)")
        #expect(rename(devices.store + "-away", devices.store) == 0)
        #expect(try devices.names(on: devices.first) == ["a", "d", "late"])
        #expect(try devices.names(on: devices.second) == ["a", "d", "late"])
    }
}

extension TwoDevices {
    /// Documents that both devices have, and one more, `late`, that only the first one has.
    fileprivate borrowing func fill() throws {
        try mountBoth()
        try "first".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: here + "/d/e", withIntermediateDirectories: true)
        try "deep".write(toFile: here + "/d/e/b", atomically: false, encoding: .utf8)
        let there = there
        #expect(eventually { FileManager.default.contents(atPath: there + "/d/e/b") == Data("deep".utf8) })
        #expect(eventually { FileManager.default.contents(atPath: there + "/a") == Data("first".utf8) })
        try unmountBoth()
        #expect(try apphome("mount", "Notes", place.path + "/one", "--no-sync", in: first).status == 0)
        try "late".write(toFile: here + "/late", atomically: false, encoding: .utf8)
        #expect(try apphome("unmount", place.path + "/one", in: first).status == 0)
    }

    /// The top-level items of Documents after a sync.
    fileprivate borrowing func names(on device: String) throws -> [String] {
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: device)
        #expect(synced.status == 0, "\(synced)")
        let listed = try apphome("share", "ls", "Notes", "--json", in: device)
        let items = try JSONDecoder().decode([Item].self, from: Data(listed.output.utf8))
        return items.map(\.name).sorted()
    }

    private struct Item: Decodable { let name: String }
}
