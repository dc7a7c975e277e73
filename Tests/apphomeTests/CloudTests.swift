import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// Two devices of one account, as processes on real mounts and a store in a folder.
struct TwoDevices: ~Copyable {
    let place: Workplace
    var first: String { place.device }
    var second: String { place.path + "/second" }
    var store: String { place.path + "/store" }
    /// Where Documents of each device lie while its home is mounted.
    var here: String { place.path + "/one/Documents" }
    var there: String { place.path + "/two/Documents" }

    /// - Parameter offer: how the app shows its documents to others.
    init(_ offer: String = "--share") throws {
        let place = try Workplace()
        for device in [place.device, place.path + "/second"] {
            _ = try apphome("new", "Notes", offer, in: device)
            let set = try apphome("cloud", "account", "set", "file://" + place.path + "/store", in: device)
            #expect(set.status == 0, "\(set)")
        }
        self.place = place
    }

    func mountBoth(_ options: String...) throws {
        for (device, point) in [(first, "/one"), (second, "/two")] {
            let outcome = try apphome(["mount", "Notes", place.path + point] + options, in: device)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    /// A document `large` of the first device, whose home is mounted: larger than any pipe. In the store when
    /// this returns.
    func addLargeDocument() throws -> Data {
        var random = SeededRandom(seed: 1)
        let bytes = Data((0..<1_000_000).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) })
        try bytes.write(to: URL(fileURLWithPath: here + "/large"))
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: first)
        #expect(synced.status == 0, "\(synced)")
        return bytes
    }

    func unmountBoth() throws {
        for (device, point) in [(first, "/one"), (second, "/two")] {
            let outcome = try apphome(["unmount", place.path + point], in: device)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    deinit {
        for mount in mounts(below: place.path) {
            _ = try? apphome("unmount", "--lazy", mount, in: mount.hasSuffix("two") ? second : first)
        }
    }
}

/// The command line of sync.
@Suite(.serialized) struct CloudTests {
    @Test func whatIsSavedRenamedEditedAndDeletedOnOneDeviceIsSoOnTheOther() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        try "first".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "first" })
        try "second, longer".write(toFile: there + "/a", atomically: true, encoding: .utf8)
        #expect(eventually { text(here + "/a") == "second, longer" })
        try FileManager.default.createDirectory(atPath: here + "/d", withIntermediateDirectories: false)
        #expect(rename(here + "/a", here + "/d/b") == 0)
        #expect(eventually { text(there + "/d/b") == "second, longer" && text(there + "/a") == nil })
        #expect(symlink("../elsewhere", here + "/link") == 0)
        #expect(chmod(here + "/d/b", 0o640) == 0)
        #expect(setAttribute("com.apple.note", "x", here + "/d/b"))
        #expect(
            eventually {
                var status = stat()
                return readlink(there + "/link") == "../elsewhere"
                    && run("/usr/bin/getfattr", "-n", "com.apple.note", there + "/d/b") == 0
                    && stat(there + "/d/b", &status) == 0 && status.st_mode & 0o777 == 0o640
            })
        try FileManager.default.removeItem(atPath: there + "/d")
        #expect(eventually { !FileManager.default.fileExists(atPath: here + "/d") })
        // By the name that it had last.
        let log = try apphome("cloud", "log", "Notes", in: devices.first).output
        let deleted = log.split(separator: "\n").filter { $0.contains(" delete ") }
        for name in ["d/b", "d"] { #expect(deleted.contains { $0.hasSuffix(" " + name) }, "\(log)") }
    }

    @Test func unmountingFinishesUploadsAndAnotherDeviceHasThemWithoutTheFirst() throws {
        let devices = try TwoDevices()
        #expect(try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first).status == 0)
        try "kept".write(toFile: devices.here + "/a", atomically: false, encoding: .utf8)
        let unmounted = try apphome("unmount", "--wait", devices.place.path + "/one", in: devices.first)
        #expect(unmounted.status == 0 && unmounted.output.isEmpty, "\(unmounted)")
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.second).status == 0)
        #expect(try apphome("share", "ls", "Notes", in: devices.second).output.hasSuffix(" a\n"))
    }

    @Test func namesAsLongAsTheyMayBeAndOtherSpellingsSync() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        let long = String(repeating: "L", count: 255)
        try "long".write(toFile: here + "/" + long, atomically: false, encoding: .utf8)
        #expect(try apphome("cloud", "pause", in: devices.second).status == 0)
        try "1".write(toFile: here + "/n\u{e9}", atomically: false, encoding: .utf8)
        try "2".write(toFile: there + "/ne\u{301}", atomically: false, encoding: .utf8)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
        #expect(try apphome("cloud", "resume", in: devices.second).status == 0)
        #expect(eventually { text(there + "/" + long) == "long" })
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: devices.second)
        #expect(synced.status == 0, "\(synced)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: there).count == 2)
    }

    @Test func whoReadsADocumentSlowlyHoldsUpNeitherSyncNorUnmounting() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let bytes = try devices.addLargeDocument()
        let reader = try start(["cloud", "cat", "Notes", "large"], in: devices.first)
        let pipe = reader.output.fileHandleForReading.fileDescriptor
        #expect(try Waiting.wait(for: [pipe], until: Deadline(seconds: 60))[0])
        try "other".write(toFile: devices.here + "/other", atomically: false, encoding: .utf8)
        let there = devices.there
        #expect(eventually { text(there + "/other") == "other" })
        let unmounting = try start(["unmount", devices.place.path + "/one"], in: devices.first)
        #expect(eventually { !unmounting.process.isRunning })
        // Whatever has come of that, the bytes are all there.
        let outcome = try reader.wait()
        #expect(outcome.status == 0 && outcome.outputBytes == bytes, "\(outcome.errors)")
        #expect(try unmounting.wait().status == 0)
    }

    @Test func whoStopsReadingADocumentHasAnEndAndNoError() throws {
        let devices = try TwoDevices()
        #expect(try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first).status == 0)
        let bytes = try devices.addLargeDocument()
        let words = "\"$0\" cloud cat Notes large | head -c 5; exit ${PIPESTATUS[0]}"
        let outcome = try apphome(["-c", words, program], in: devices.first, program: "/bin/bash")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.outputBytes == bytes.prefix(5))
        let full = try apphome(
            ["-c", "exec \"$0\" cloud cat Notes large >/dev/full", program], in: devices.first,
            program: "/bin/sh")
        #expect(full.status == 1 && full.errors.contains("cannot write large: No space left"), "\(full)")
    }

    @Test func aClientThatIsGoneFreesWhatItWasReadFor() throws {
        let devices = try TwoDevices()
        #expect(try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first).status == 0)
        _ = try devices.addLargeDocument()
        let reader = try start(["cloud", "cat", "Notes", "large"], in: devices.first)
        let pipe = reader.output.fileHandleForReading.fileDescriptor
        #expect(try Waiting.wait(for: [pipe], until: Deadline(seconds: 60))[0])
        kill(reader.process.processIdentifier, SIGKILL)
        // Nobody reads the pipe, which stays open here. While a command uses the account it stays as it is.
        let first = devices.first
        #expect(try eventually { try apphome("cloud", "account", "none", in: first).status == 0 })
        withExtendedLifetime(reader) {}
    }

    @Test func unmountSaysWhatIsLeftWhileSyncStandsStill() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        #expect(try apphome("cloud", "pause", in: devices.first).status == 0)
        try "late".write(toFile: devices.here + "/late", atomically: false, encoding: .utf8)
        let first = devices.first
        #expect(
            try eventually {
                try apphome("cloud", "status", in: first).output.contains("1 change to upload")
            })
        let paused = try apphome("unmount", devices.place.path + "/one", "--wait=20", in: first)
        #expect(paused.status == 4 && paused.output.contains("1 change not uploaded"), "\(paused)")
        // Nobody looks any more, and it is told all the same.
        #expect(try apphome("cloud", "resume", in: first).status == 0)
        let waiting = try apphome("cloud", "status", "--check", in: first)
        #expect(waiting.status == 4, "\(waiting)")
        #expect(waiting.output.contains("waiting, 0 items (0 B), 1 change"), "\(waiting)")
        #expect(try apphome("cloud", "sync", "--wait", in: first).status == 0)
        let stored = try apphome("cloud", "status", "--check", in: first)
        #expect(stored.status == 0 && stored.output.contains("idle, 1 item"), "\(stored)")
        // A delete is one, too, and no file.
        #expect(try apphome("share", "rm", "Notes", "late", in: first).status == 0)
        let deleted = try apphome("cloud", "status", in: first)
        #expect(deleted.output.contains("waiting, 1 item (4 B), 1 change to upload"), "\(deleted)")
        #expect(try apphome("cloud", "sync", "--wait", in: first).status == 0)
        #expect(try apphome("unmount", devices.place.path + "/two", in: devices.second).status == 0)
        try FileManager.default.moveItem(atPath: devices.store, toPath: devices.store + ".away")
        _ = try apphome("mount", "Notes", devices.place.path + "/two", in: devices.second)
        try "there".write(toFile: devices.there + "/there", atomically: false, encoding: .utf8)
        let away = try apphome("unmount", devices.place.path + "/two", "--wait=1", in: devices.second)
        #expect(away.status == 4 && away.output.contains("1 change not uploaded"), "\(away)")
    }

    @Test func aStoreThatIsAwayKeepsNoFileOperationWaitingAndUnmountSaysWhatIsLeft() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        // What was there is looked through then.
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
        #expect(rename(devices.store, devices.store + "-away") == 0)
        try "local".write(toFile: devices.here + "/a", atomically: false, encoding: .utf8)
        #expect(text(devices.here + "/a") == "local")
        let waited = try apphome("unmount", "--wait=2", devices.place.path + "/one", in: devices.first)
        #expect(waited.status == 4)
        #expect(waited.output.contains("not uploaded; they go up at the next mount"), "\(waited)")
        #expect(rename(devices.store + "-away", devices.store) == 0)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
        #expect(eventually { text(devices.there + "/a") == "local" })
    }

    @Test func editsOfBothSidesWhileApartAreBothThereAfterwards() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        try "base".write(toFile: devices.here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(devices.there + "/a") == "base" })
        try devices.unmountBoth()
        try devices.mountBoth("--no-sync")
        try "of the first".write(toFile: devices.here + "/a", atomically: false, encoding: .utf8)
        try "of the second".write(toFile: devices.there + "/a", atomically: false, encoding: .utf8)
        try devices.unmountBoth()
        for device in [devices.first, devices.second, devices.first] {
            let outcome = try apphome("cloud", "sync", "Notes", "--wait", in: device)
            #expect(outcome.status == 0, "\(outcome)")
        }
        let conflicts = try apphome("cloud", "conflicts", "Notes", "--json", in: devices.first).output
        let parsed = try JSONDecoder().decode([Conflict].self, from: Data(conflicts.utf8))
        #expect(parsed.map(\.path) == ["a"])
        let texts = try parsed.flatMap(\.versions).map { version in
            try apphome("cloud", "cat", "Notes", "a", "--version", version.id, in: devices.second).output
        }
        #expect(Set(texts) == ["of the first", "of the second"])
        let missing = try apphome("cloud", "cat", "Notes", "a", "--version", "not-hex", in: devices.first)
        #expect(missing.status == 1 && missing.errors.contains("cloud conflicts Notes\n"), "\(missing)")
        let none = try apphome("cloud", "cat", "Notes", "b", in: devices.first)
        #expect(none.status == 1 && none.errors.contains("cloud ls Notes\n"), "\(none)")
    }

    @Test func aFileThatIsFlaggedRightAfterItWasClosedNeverReachesTheStore() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let secret = "secret-\(UUID().uuidString)"
        for index in 1...10 {
            let path = devices.here + "/s\(index)"
            try (secret + "\(index)").write(toFile: path, atomically: false, encoding: .utf8)
            usleep(200_000)
            #expect(setAttribute("com.apple.MobileBackup", "0x01", path))
        }
        try "plain".write(toFile: devices.here + "/plain", atomically: false, encoding: .utf8)
        #expect(eventually { text(devices.there + "/plain") == "plain" })
        #expect(run("/bin/grep", "-rqa", secret, devices.store) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: devices.there) == ["plain"])
    }

    @Test func anItemTellsHowItStandsWithTheCloud() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        for directory in ["/d", "/off.nosync"] {
            try FileManager.default.createDirectory(
                atPath: here + directory, withIntermediateDirectories: false)
        }
        for name in ["/d/a", "/off.nosync/b", "/flagged"] {
            try "x".write(toFile: here + name, atomically: false, encoding: .utf8)
        }
        #expect(setAttribute("com.apple.MobileBackup", "0x01", here + "/flagged"))
        // A file waits a second after its last change.
        #expect(ubiquityStatus(here + "/d/a") == "uploading")
        #expect(eventually { text(there + "/d/a") == "x" })
        #expect(eventually { ubiquityStatus(here + "/d/a") == "current" })
        #expect(eventually { ubiquityStatus(there + "/d/a") == "current" })
        #expect(ubiquityStatus(there + "/d") == "current")
        for name in ["/off.nosync", "/off.nosync/b", "/flagged"] {
            #expect(ubiquityStatus(here + name) == "excluded", "\(name)")
        }
        #expect(ubiquityStatus(here) == nil && ubiquityStatus(here + "/../tmp") == nil)
        try devices.unmountBoth()
        try devices.mountBoth("--no-sync")
        #expect(ubiquityStatus(here + "/d/a") == nil)
        for (path, content) in [(here, "here"), (there, "there")] {
            try content.write(toFile: path + "/d/a", atomically: false, encoding: .utf8)
        }
        try devices.unmountBoth()
        try devices.mountBoth()
        #expect(eventually { ubiquityStatus(here + "/d/a") == "conflict" })
        #expect(eventually { ubiquityStatus(there + "/d/a") == "conflict" })
    }

    @Test func whatKeepsSyncFromGoingOnIsSaidByEachCommandThatNeedsTheStore() throws {
        let devices = try TwoDevices()
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
        #expect(rename(devices.store, devices.store + "-away") == 0)
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: devices.first)
        #expect(synced.status == 4 && synced.errors.contains("make it or set another account"), "\(synced)")
        let status = try apphome("cloud", "status", in: devices.first)
        #expect(status.output.contains("store-missing"), "\(status)")
        for command in ["pause", "resume"] {
            #expect(try apphome("cloud", command, in: devices.first).status == 0)
        }
        for command in [["check"], ["gc"], ["account", "probe"]] {
            let refused = try apphome(["cloud"] + command, in: devices.first)
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.hasSuffix("make it or set another account\n"), "\(refused)")
        }
    }

    @Test func aMissingEntryOfTheLogStopsSyncAndIsNamed() throws {
        let devices = try TwoDevices()
        #expect(try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first).status == 0)
        for name in ["a", "b", "c"] {
            try name.write(toFile: devices.here + "/" + name, atomically: false, encoding: .utf8)
            #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
            if name == "a" {
                #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.second).status == 0)
            }
        }
        let walk = try #require(FileManager.default.enumerator(atPath: devices.store + "/v1/a"))
        let entries = walk.compactMap { $0 as? String }.filter { $0.contains("/log/0") }.sorted()
        try #require(entries.count == 3)
        let missing = devices.store + "/v1/a/" + entries[1]
        let aside = devices.place.path + "/aside"
        #expect(rename(missing, aside) == 0)
        #expect(try apphome("mount", "Notes", devices.place.path + "/two", in: devices.second).status == 0)
        try "late".write(toFile: devices.there + "/late", atomically: false, encoding: .utf8)
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: devices.second)
        #expect(synced.status == 4 && synced.errors.contains("entry 2 of the log is missing"), "\(synced)")
        #expect(!FileManager.default.fileExists(atPath: missing))
        #expect(rename(aside, missing) == 0)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.second).status == 0)
        #expect(text(devices.there + "/c") == "c")
    }

    @Test func aNewDeviceSyncsToAFolderThatWasMadeWithIt() throws {
        let place = try Workplace()
        let run = { [device = place.device] in try apphome($0 + ["--device", "named"], in: device) }
        #expect(try run(["new", "Notes"]).status == 0)
        #expect(try run(["mount", "Notes", place.path + "/n"]).status == 0)
        try "kept".write(toFile: place.path + "/n/Documents/a", atomically: false, encoding: .utf8)
        #expect(try run(["unmount", "--wait", place.path + "/n"]).status == 0)
        #expect(try run(["cloud", "ls", "Notes"]).output.hasPrefix("current  4 B"))
        let store = place.device + "-home/.local/share/apphome/cloud"
        #expect(FileManager.default.fileExists(atPath: store + "/v1/format"))
    }

    @Test func aDeviceOfAPathOrOfCIStartsSignedOut() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("cloud", "account", "show").output == "account  none\n")
        let words = ["CI=1", program, "device", "create", "built"]
        #expect(try apphome(words, in: place.device, program: "/usr/bin/env").status == 0)
        let shown = try place.run("cloud", "account", "show", "--device", "built")
        #expect(shown.output == "account  none\n", "\(shown)")
        #expect(!FileManager.default.fileExists(atPath: place.device + "-home/.local/share/apphome/cloud"))
    }

    @Test func theUbiquityPathIsNullWithItsReason() throws {
        let devices = try TwoDevices()
        let entitled = try apphome("cloud", "path", "Notes", in: devices.first)
        #expect(entitled.status == 1)
        #expect(entitled.output == "null: no com.apple.developer.ubiquity-container-identifiers\n")
        #expect(try apphome("cloud", "account", "none", in: devices.first).status == 0)
        let signedOut = try apphome("cloud", "path", "Notes", in: devices.first)
        #expect(signedOut.status == 1)
        #expect(signedOut.output == "null: signed out\n")
        let mounted = try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first)
        #expect(mounted.output.contains("\nDocuments stay on this device\n"))
    }

    private struct Conflict: Decodable {
        struct Version: Decodable { let id: String }
        let path: String
        let versions: [Version]
    }
}

private func readlink(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
}

private func setAttribute(_ name: String, _ value: String, _ path: String) -> Bool {
    run("/usr/bin/setfattr", "-n", name, "-v", value, path) == 0
}

/// What `com.apple.ubiquity.status` says; nil where it is not answered.
private func ubiquityStatus(_ path: String) -> String? {
    attribute("com.apple.ubiquity.status", of: path).map { String(decoding: $0, as: UTF8.self) }
}

/// Runs a program; its exit status.
private func run(_ program: String, _ arguments: String...) -> Int32 {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
}
