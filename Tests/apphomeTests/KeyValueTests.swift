import Foundation
import Glibc
import Posix
import TestKit
import Testing
import Wire

@testable import sync_storm

/// `apphome kvs` on real mounts and stores.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KeyValueTests {
    @Test(arguments: StoreKind.allCases)
    func theLaterSetOfTwoDevicesCountsOnBothAndIsTold(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        let watch = try KeyValueWatch(two)
        try one.tell("kvs", "set", Fleet.app, "theme", "dark")
        #expect(try one.tell("kvs", "get", Fleet.app, "theme") == "dark\n")
        #expect(eventually { (try? two.tell("kvs", "get", Fleet.app, "theme")) == "dark\n" })
        try two.tell("kvs", "set", Fleet.app, "theme", "light")
        try two.tell("kvs", "set", Fleet.app, "level", "-int", "7")
        #expect(eventually { (try? one.tell("kvs", "get", Fleet.app, "theme")) == "light\n" })
        #expect(eventually { (try? one.tell("kvs", "get", Fleet.app, "level")) == "7\n" })
        try one.tell("kvs", "delete", Fleet.app, "theme")
        #expect(try eventually { try two.run("kvs", "get", Fleet.app, "theme").status == 1 })
        // What it set itself is not told.
        let told = try watch.changes(2)
        #expect(told.map(\.keys) == [["theme"], ["theme"]])
        #expect([0, 1].contains(told[0].reason) && told[1].reason == 0, "\(told)")
        try fleet.unmountAll()
    }

    @Test func whatIsPausedStaysHereAndIsCounted() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try one.tell("kvs", "set", Fleet.app, "theme", "dark")
        #expect(eventually { (try? two.tell("kvs", "get", Fleet.app, "theme")) == "dark\n" })
        #expect(try eventually { try one.run("cloud", "status", "--check").status == 0 })
        try one.tell("cloud", "pause")
        try one.tell("kvs", "set", Fleet.app, "theme", "light")
        try one.tell("kvs", "set", Fleet.app, "level", "-int", "7")
        #expect(try one.tell("cloud", "status").contains("Notes: paused, 0 items (0 B), 2 keys to upload"))
        #expect(try one.run("cloud", "status", "--check").status == 4)
        // Another mount begins no sync of it.
        try one.unmount()
        try one.mount()
        try two.tell("kvs", "set", Fleet.app, "other", "1")
        #expect(!eventually(seconds: 3) { (try? two.tell("kvs", "get", Fleet.app, "theme")) != "dark\n" })
        #expect(try one.run("kvs", "get", Fleet.app, "other").status == 1)
        try one.tell("cloud", "resume")
        #expect(eventually { (try? two.tell("kvs", "get", Fleet.app, "theme")) == "light\n" })
        #expect(eventually { (try? one.tell("kvs", "get", Fleet.app, "other")) == "1\n" })
        #expect(try eventually { try one.run("cloud", "status", "--check").status == 0 })
        try fleet.unmountAll()
    }

    @Test func overALimitTheSetFailsAndTheOldValueStays() throws {
        let place = try KeyValuePlace()
        try place.tell("kvs", "set", "Notes", "a", "old")
        let large = String(repeating: "x", count: 64 << 10)
        let refused = [
            ["kvs", "set", "Notes", String(repeating: "k", count: 65), "v"],
            ["kvs", "set", "Notes", "a", large + "x"], ["kvs", "set", "Notes", "b", large],
            ["kvs", "set", "Notes", "a", "-data", "00ff"],
        ]
        for words in refused {
            let outcome = try apphome(words, in: place.work.device)
            #expect(outcome.status == 1 && outcome.errors.contains("cannot set "), "\(outcome.errors)")
            #expect(outcome.errors.filter(\.isNewline).count == 1)
        }
        #expect(try place.tell("kvs", "list", "Notes", "--json") == "{\n  \"a\" : \"old\"\n}\n")
        try place.tell("kvs", "set", "Notes", "a", large)
        #expect(try place.work.run("kvs", "set", "Notes", "b", "x").status == 1)
        try place.tell("device", "set", "kvs-limits", "current")
        try place.tell("kvs", "set", "Notes", "b", "-dict", "k", "-int", "1")
        #expect(try place.tell("kvs", "get", "Notes", "b", "--json") == "{\n  \"k\" : 1\n}\n")
    }

    @Test func linesAreSetUpToTheFirstThatCannotBe() throws {
        let place = try KeyValuePlace()
        let long = String(repeating: "k", count: 65)
        let lines = "a=1\nb=x=y\n\(long)=v\nc=3\n"
        let outcome = try place.shell("printf '\(lines)' | \"$0\" kvs set Notes --stdin")
        #expect(outcome.status == 1 && outcome.errors.contains("65 bytes"), "\(outcome)")
        #expect(try place.shell("printf 'd=4' | \"$0\" kvs set Notes --stdin").status == 0)
        let values = try place.work.run("kvs", "list", "Notes", "--json")
        #expect(
            try JSONSerialization.jsonObject(with: Data(values.output.utf8)) as? [String: String]
                == ["a": "1", "b": "x=y", "d": "4"])
        #expect(try place.shell("echo novalue | \"$0\" kvs set Notes --stdin").status == 64)
    }

    @Test func whatExitedWithZeroIsKeptWhereverTheDaemonIsKilled() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let isEnded = Gate(false)
        var kept: [String: String] = [:]
        var random = SeededRandom(seed: 7)
        let pauses = (0..<40).map { _ in UInt32(random.below(150_000)) }
        try NativeThread(name: "killer") {
            for pause in pauses where !isEnded.update({ $0 }) {
                usleep(pause)
                one.kill()
            }
        }.detach()
        for number in 0..<100 {
            let (key, value) = ("k\(number % 30)", "\(number)")
            if try one.run("kvs", "set", Fleet.app, key, value).status == 0 {
                kept[key] = value
            } else {
                // It may be set or not.
                kept[key] = nil
            }
        }
        isEnded.update { $0 = true }
        #expect(kept.count > 5)
        for device in [one, two] {
            #expect(
                try eventually(seconds: 60) {
                    let shown = try device.tell("kvs", "list", Fleet.app, "--json")
                    let all = try JSONDecoder().decode([String: String].self, from: Data(shown.utf8))
                    return all.merging(kept) { $1 } == all
                }, "device \(device.index)")
        }
    }

    @Test func theFileOfTheAppIsForReadingAndComesBack() throws {
        let place = try KeyValuePlace()
        let home = place.work.path + "/home"
        try place.tell("mount", "Notes", home, "--no-sync")
        let folder = home + "/Library/SyncedPreferences"
        let file = folder + "/local.Notes.plist"
        #expect(!FileManager.default.fileExists(atPath: folder))
        try place.tell("kvs", "set", "Notes", "a", "-bool", "yes")
        #expect(try place.propertyList(file) == ["a": true])
        try place.tell("kvs", "set", "Notes", "b", "text")
        #expect(try place.propertyList(file) == ["a": true, "b": "text"])
        let refused: [() -> Bool] = [
            { unlink(file) == -1 }, { rename(file, home + "/tmp/x") == -1 }, { rmdir(folder) == -1 },
            { rename(folder, home + "/Library/x") == -1 }, { link(file, home + "/tmp/x") == -1 },
            { Glibc.open(file, O_WRONLY) == -1 }, { truncate(file, 0) == -1 }, { chmod(file, 0o777) == -1 },
            { Glibc.open(folder + "/new", O_CREAT | O_WRONLY, 0o600) == -1 },
            { mkdir(folder + "/new", 0o700) == -1 }, { symlink("x", folder + "/new") == -1 },
            { rename(home + "/tmp", folder + "/new") == -1 },
        ]
        for (index, call) in refused.enumerated() { #expect(failure(call) == EPERM, "\(index)") }
        try place.tell("kvs", "delete", "Notes", "a")
        #expect(try place.propertyList(file) == ["b": "text"])
        try place.tell("unmount", home)
        // A reset takes what the app has, and the account has it still.
        try place.tell("reset", "Notes")
        try place.tell("mount", "Notes", home, "--no-sync")
        #expect(eventually { (try? place.propertyList(file)) == ["b": "text"] })
        try place.tell("unmount", home)
    }

    @Test func whatIsSetWhileSignedOutGoesToTheFirstAccountAndAnotherAccountHasItsOwn() throws {
        let place = try KeyValuePlace()
        let other = try KeyValuePlace()
        let stores = ["a", "b"].map { "file://\(place.work.path)/store-\($0)" }
        try other.tell("cloud", "account", "set", stores[0])
        try other.tell("kvs", "set", "Notes", "theme", "the account's")
        try place.tell("kvs", "set", "Notes", "theme", "mine")
        try place.tell("kvs", "set", "Notes", "size", "large")
        #expect(eventually { (try? place.stored("store-a")) == 1 })
        let watch = try KeyValueWatch(FleetDevice(index: 0, folder: place.work.device, variables: []))
        try place.tell("cloud", "account", "set", stores[0])
        #expect(try eventually { try other.work.run("kvs", "get", "Notes", "size").output == "large\n" })
        #expect(try place.tell("kvs", "get", "Notes", "theme") == "the account's\n")
        try place.tell("cloud", "account", "set", stores[1])
        #expect(try place.tell("kvs", "list", "Notes", "--json") == "{\n\n}\n")
        try place.tell("cloud", "account", "set", stores[0])
        #expect(try place.tell("kvs", "get", "Notes", "size") == "large\n")
        let told = try watch.changes(3)
        #expect(told.map(\.reason) == [1, 3, 3], "\(told)")
        #expect(told.map(\.keys) == [["theme"], ["size", "theme"], ["size", "theme"]], "\(told)")
    }

    /// A program that runs as the app is the app, and nobody else.
    @Test func aProgramReachesItsOwnStoreAndNothingElse() throws {
        let place = try RunPlace()
        let script = """
            apphome kvs set Recipes a 1 && apphome kvs get local.Recipes a; apphome kvs list Other; echo $?
            apphome list; echo $?
            python3 - <<'E'
            import json, os, socket, struct
            def ask(request):
                link = socket.socket(socket.AF_UNIX); link.connect(os.environ["APPHOME_APP_SOCKET"])
                def say(body):
                    bytes = json.dumps(body).encode(); link.sendall(struct.pack(">I", len(bytes)) + bytes)
                def hear():
                    size = struct.unpack(">I", link.recv(4, socket.MSG_WAITALL))[0]
                    return link.recv(size, socket.MSG_WAITALL).decode()
                say({"protocolNumber": \(Hello.currentProtocol), "build": "", "version": ""})
                print("local.Other" in hear()); say(request); return hear()
            other = {"keyValues": {"_0": {"app": "local.Other", "action": {"get": {}}}}}
            for request in [other, {"list": {}}, {"settings": {}}, {"info": {"app": "local.Other"}}]:
                print("and nothing else" in ask(request))
            E
            """
        let outcome = try place.work.run("run", "recipes", "--", "sh", "-c", script)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let asked = Array(repeating: ["False", "True"], count: 4).flatMap(\.self)
        #expect(lines == ["1", "1", "1"] + asked, "\(outcome)")
        #expect(try place.work.run("kvs", "get", "Recipes", "a").output == "1\n")
        // It goes with the run.
        let sockets = try place.work.run("path", "recipes", "data")
        #expect(sockets.status == 0)
        let folder = place.work.device + "/run/homes/" + (place.container as NSString).lastPathComponent
        #expect(try !names(folder).contains("app.sock"))
        let own = try RunPlace(ofCaller: true)
        let words = ["kvs", "set", "Recipes", "a", "unconfined"]
        let free = try apphome(
            ["run", "recipes", "--unconfined", "--", program] + words, in: own.work.device)
        #expect(free.status == 0, "\(free)")
        #expect(try own.work.run("kvs", "get", "Recipes", "a").output == "unconfined\n")
    }
}

/// A device that is signed out, with an app.
private struct KeyValuePlace: ~Copyable {
    let work: Workplace

    init() throws {
        let work = try Workplace()
        try work.run("new", "Notes")
        try work.run("cloud", "account", "none")
        self.work = work
    }

    @discardableResult
    func tell(_ words: String...) throws -> String {
        let outcome = try apphome(words, in: work.device)
        guard outcome.status == 0 else { throw Failure(words: words, outcome: outcome) }
        return outcome.output
    }

    struct Failure: Error {
        let words: [String]
        let outcome: Outcome
    }

    /// Runs a script, in which `$0` is the program.
    func shell(_ script: String) throws -> Outcome {
        try start(["-c", script, program], in: work.device, program: "/bin/sh").wait()
    }

    func propertyList(_ path: String) throws -> NSDictionary? {
        let data = try #require(FileManager.default.contents(atPath: path))
        return try PropertyListSerialization.propertyList(from: data, format: nil) as? NSDictionary
    }

    /// How many entries the logs of key-value stores have in a folder store.
    func stored(_ name: String) throws -> Int {
        let folder = work.path + "/\(name)/v1/k"
        return try names(folder).map { try names("\(folder)/\($0)/log").count }.reduce(0, +)
    }
}

/// `kvs watch`, as a process.
private final class KeyValueWatch {
    struct Change: Decodable {
        let reason: Int
        let keys: [String]
    }

    private let running: Running

    init(_ device: FleetDevice) throws {
        running = try start(["kvs", "watch", Fleet.app], in: device.folder)
        // It misses nothing from here on.
        #expect(try running.errorLine() == "apphome: watching")
    }

    deinit {
        kill(running.process.processIdentifier, SIGKILL)
        running.process.waitUntilExit()
    }

    /// The next ones.
    func changes(_ count: Int) throws -> [Change] {
        try (0..<count).map { _ in
            try JSONDecoder().decode(Change.self, from: line())
        }
    }

    private func line() throws -> Data {
        var line = Data()
        while let byte = try running.output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data("\n".utf8) { break }
            line += byte
        }
        return line
    }
}
