import Foundation
import TestKit
import Testing

/// `apphome run`: a program in the sandbox, with the real bubblewrap and real mounts.
@Suite(.serialized) struct RunTests {
    @Test func aProgramSeesTheSystemAndItsAppAndNothingElse() throws {
        let place = try RunPlace()
        let script = """
            pwd; ls ~; cat ./Recipes.plist; touch /etc/x; echo etc $?; ls /home; echo home $?
            echo own > ~/Documents/own; cat ~/../*/Documents/*; ls ~/.. | wc -l
            touch ./x; echo bundle $?; touch ~/x; echo top $?; touch /x; echo root $?
            ls /dev/fuse /tmp/* \(place.work.path); echo outside $?; echo x > /tmp/x && ls /tmp
            grep CapEff /proc/self/status; wc -l < /proc/net/dev
            """
        let outcome = try place.work.run("run", "recipes", "--", "bash", "-c", script)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("/private/var/containers/Bundle/Application/") == true)
        #expect(lines.first?.hasSuffix("/Recipes.app") == true)
        #expect(lines.dropFirst().prefix(3) == ["Documents", "Library", "tmp"])
        #expect(lines.contains("<recipes/>") && lines.contains("own") && !lines.contains("secret"))
        for (what, status) in [
            ("etc", 1), ("home", 2), ("bundle", 1), ("top", 1), ("root", 1), ("outside", 2),
        ] {
            #expect(lines.contains("\(what) \(status)"), "\(what): \(outcome)")
        }
        #expect(outcome.errors.contains("/etc/x': Read-only file system"))
        #expect(outcome.errors.contains("./x': Operation not permitted"))
        // Of network devices there is the loopback one, after two lines of headings.
        #expect(lines.suffix(2) == ["CapEff:\t0000000000000000", "3"])
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func theHomeIsUnmountedHoweverTheDeviceIsNamed() throws {
        let place = try RunPlace()
        let link = place.work.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.work.device)
        for device in [place.work.device + "//", link] {
            let outcome = try place.work.run("run", "--device", device, "recipes", "--", "true")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(mounts(below: place.work.path) == [])
        }
    }

    @Test func withoutACommandTheBundlesExecutableRuns() throws {
        let place = try RunPlace(content: ["Start": Data("#!/bin/sh\necho \"$0\"; pwd\n".utf8)])
        let none = try place.work.run("run", "recipes")
        #expect(none.status == 125 && none.errors.contains("CFBundleExecutable"), "\(none)")
        let bundle = try place.bundle(executable: "Start")
        #expect(try place.work.run("install", bundle).status == 0)
        let started = try place.work.run("run", "recipes")
        let lines = started.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1] + "/Start", "\(started)")
        try Data([0xcf, 0xfa, 0xed, 0xfe]).write(to: URL(filePath: bundle + "/Start"))
        #expect(try place.work.run("install", bundle).status == 0)
        let refused = try place.work.run("run", "recipes")
        #expect(refused.status == 125 && refused.errors.contains("made for iOS"), "\(refused)")
    }

    @Test func exitStatusAndSignalsPassThrough() throws {
        let place = try RunPlace()
        #expect(try place.work.run("run", "recipes", "--", "sh", "-c", "exit 7").status == 7)
        #expect(try place.work.run("run", "recipes", "--", "sh", "-c", "kill -9 $$").status == 137)
        let missing = try place.work.run("run", "recipes", "--", "nonesuch")
        #expect(
            missing.status == 127 && missing.errors == "apphome: error: nonesuch: not found\n", "\(missing)")
        let text = try place.work.run("run", "recipes", "--", "/etc/passwd")
        #expect(
            text.status == 126 && text.errors == "apphome: error: /etc/passwd: not executable\n", "\(text)")
        let script =
            "trap 'echo caught > ~/Documents/caught; exit 9' TERM; touch ~/Documents/up; sleep 60 & wait"
        let running = try start(["run", "recipes", "--", "sh", "-c", script], in: place.work.device)
        #expect(eventually { place.document("up") != nil })
        kill(running.process.processIdentifier, SIGTERM)
        let outcome = try running.wait()
        #expect(outcome.status == 9, "\(outcome)")
        #expect(place.document("caught") == "caught\n")
    }

    @Test func aProgramThatHasStoppedItselfIsEndedToo() throws {
        let place = try RunPlace()
        let script = "touch ~/Documents/up; kill -STOP $$"
        let running = try start(["run", "recipes", "--", "sh", "-c", script], in: place.work.device)
        #expect(eventually { place.document("up") != nil })
        let hasStopped = eventually {
            processes(["sh", "-c", script]).contains { text("/proc/\($0)/stat")?.contains(") T ") == true }
        }
        #expect(hasStopped)
        kill(running.process.processIdentifier, SIGTERM)
        let hasEnded = eventually { !running.process.isRunning }
        #expect(hasEnded)
        if !hasEnded { kill(running.process.processIdentifier, SIGKILL) }
        #expect(try running.wait().status == 143)
    }

    @Test func aSignalThatComesWhileTheProgramStartsIsNotLost() throws {
        let place = try RunPlace()
        func children(_ process: Int32) -> [Int32] {
            (text("/proc/\(process)/task/\(process)/children") ?? "").split(separator: " ").compactMap {
                Int32($0)
            }
        }
        for _ in 0..<20 {
            let running = try start(["run", "recipes", "--", "sleep", "3"], in: place.work.device)
            let command = running.process.processIdentifier
            // The sandbox's first process has just made the one that becomes the program.
            while running.process.isRunning {
                let firsts = children(command).flatMap(children).filter { !children($0).isEmpty }
                if firsts.contains(where: { text("/proc/\($0)/cmdline")?.contains("--json-status") == true })
                {
                    break
                }
            }
            kill(command, SIGTERM)
            let outcome = try running.wait()
            #expect(outcome.status == 143, "\(outcome)")
        }
    }

    @Test func itsOwnFailuresExit125() throws {
        let place = try RunPlace()
        for arguments in [
            ["run", "none", "--", "true"], ["run", "recipes", "--tool-home", "/a/b", "--", "true"],
        ] {
            let outcome = try apphome(arguments, in: place.work.device)
            #expect(outcome.status == 125 && outcome.errors.hasPrefix("apphome: error: "), "\(outcome)")
        }
        #expect(try place.work.run("run", "recipes", "--cwd", "/none", "--", "true").status == 125)
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func aMountedHomeIsShownWholeAndWithoutTheBundle() throws {
        let place = try RunPlace()
        let home = place.work.path + "/home"
        try place.mount(home)
        let script = """
            ls Recipes.app | wc -l; touch Recipes.app/x; echo covered $?
            echo a > tmp/a && python3 -c 'import os; os.rename("tmp/a", "Documents/a")'; echo moved $?
            ls $APPHOME_BUNDLE; dd if=/dev/zero of=$APPHOME_BUNDLE/Info.plist; echo bundle $?
            """
        let outcome = try place.work.run("run", "recipes", "--cwd", "home", "--", "sh", "-c", script)
        #expect(
            outcome.output == "0\ncovered 1\nmoved 0\nInfo.plist\nRecipes.plist\nbundle 1\n", "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: home + "/Documents/a"))
        #expect(FileManager.default.fileExists(atPath: home + "/Recipes.app/Info.plist"))
        #expect(mounts(below: place.work.path) == [home])
    }

    @Test func programsOfOneAppShareItsMountAndTheLastOneUnmounts() throws {
        let place = try RunPlace()
        let first = try place.waiting("one")
        let second = try place.waiting("two")
        #expect(mounts(below: place.work.path).count == 2)
        let info = try place.work.run("info", "recipes")
        #expect(info.output.contains("sh (pid \(first.process.processIdentifier))"), "\(info)")
        let home = try place.mountPoint()
        let refused = try place.work.run("mount", "recipes", home)
        #expect(refused.status == 1 && refused.errors.contains("mounted for sh (pid "), "\(refused)")
        for change in [["uninstall", "recipes", "--yes"], ["install", try place.bundle(), "--remount"]] {
            let busy = try apphome(change, in: place.work.device)
            #expect(busy.status == 1 && busy.errors.contains("runs as the app, which cannot"), "\(busy)")
        }
        try place.end("one", first)
        #expect(mounts(below: place.work.path).count == 2)
        try place.end("two", second)
        #expect(mounts(below: place.work.path) == [])
        #expect(try place.work.run("info", "recipes").output.contains("running                      no"))
    }

    /// The command waits for its turn to mount: there is no program yet.
    @Test func aSignalThatComesBeforeTheProgramReachesIt() throws {
        let place = try RunPlace()
        #expect(try place.work.run("run", "recipes", "--", "true").status == 0)
        let folder = place.work.device + "/run/homes/" + (place.container as NSString).lastPathComponent
        let held = open(folder, O_RDONLY | O_DIRECTORY)
        #expect(held >= 0 && flock(held, LOCK_EX) == 0)
        // Foundation starts programs with signals blocked, which would wait by themselves.
        let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let running = try start(
            ["-c", unblocked, program, "run", "recipes", "--", "sleep", "30"], in: place.work.device,
            program: "/usr/bin/python3")
        let number = running.process.processIdentifier
        let isWaiting = eventually {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/fd")) ?? []
            return files.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(number)/fd/" + $0))
                    == folder
            }
        }
        #expect(isWaiting)
        kill(number, SIGTERM)
        close(held)
        let outcome = try running.wait()
        #expect(outcome.status == 143, "\(outcome)")
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func aKilledCommandTakesItsProgramAndItsMountsWithIt() throws {
        let place = try RunPlace()
        let running = try place.waiting("one")
        kill(running.process.processIdentifier, SIGKILL)
        running.process.waitUntilExit()
        #expect(eventually { mounts(below: place.work.path).isEmpty })
        let home = place.work.path + "/home"
        #expect(try eventually { try place.work.run("mount", "recipes", home, "--no-sync").status == 0 })
    }

    @Test func theAppsGroupsAreSeenAndNoOthers() throws {
        let place = try RunPlace()
        for (app, group) in [("One", "group.a"), ("Two", "group.a"), ("Three", "group.b")] {
            #expect(try place.work.run("new", app, "--group", group).status == 0)
        }
        let container = "/private/var/mobile/Containers/Shared/AppGroup"
        let written = try place.work.run(
            "run", "One", "--", "sh", "-c", "cd \(container)/*-* && echo shared > file")
        #expect(written.status == 0, "\(written)")
        let read = try place.work.run("run", "Two", "--", "sh", "-c", "cat \(container)/*/file")
        #expect(read.output == "shared\n", "\(read)")
        let other = try place.work.run("run", "Three", "--", "sh", "-c", "ls \(container)/*/")
        #expect(other.status == 0 && !other.output.contains("file"), "\(other)")
        #expect(try place.work.run("run", "recipes", "--", "ls", container).status != 0)
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func aGroupThatAnAppHasClosedIsOpenToOthersAndToBackups() throws {
        let place = try Workplace()
        let run = try place.ordinaryUser()
        for app in ["Closing", "Other"] {
            #expect(try run(["new", app, "--group", "group.a"]).status == 0)
        }
        let container = "/private/var/mobile/Containers/Shared/AppGroup"
        let closing = ["run", "Closing", "--no-sync", "--", "sh", "-c", "chmod 0 \(container)/*"]
        #expect(try run(closing).status == 0)
        let backup = try run(["backup", "create", "--to", place.path + "/backup"])
        #expect(backup.status == 0, "\(backup)")
        #expect(try run(closing).status == 0)
        #expect(mounts(below: place.path) == [])
        let listing = ["run", "Other", "--no-sync", "--", "sh", "-c", "ls \(container)/*"]
        let outcome = try run(listing)
        #expect(outcome.output == "Library\n", "\(outcome)")
    }

    @Test func withoutASandboxTheHomesRulesHold() throws {
        let place = try RunPlace(ofCaller: true)
        let script = "pwd; touch ./x; touch ~/x; touch ~/Documents/a; exit 5"
        let outcome = try place.work.run("run", "recipes", "--unconfined", "--", "sh", "-c", script)
        #expect(outcome.status == 5 && outcome.errors.contains("not confined"), "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "Operation not permitted").count == 3, "\(outcome)")
        let killed = try place.work.run("run", "recipes", "--unconfined", "--", "sh", "-c", "kill -9 $$")
        #expect(killed.status == 137, "\(killed)")
        let missing = try place.work.run("run", "recipes", "--unconfined", "--", "nonesuch")
        #expect(missing.status == 127 && missing.errors.hasSuffix(" nonesuch: not found\n"), "\(missing)")
        #expect(mounts(below: place.work.path) == [])
    }

    @Test(.enabled(if: geteuid() == 0)) func anOrdinaryUserNeedsNoRights() throws {
        let place = try Workplace()
        #expect(chown(place.path, 1000, 1000) == 0)
        // The checkout may lie in a folder of root's alone.
        let program = place.path + "/apphome"
        try FileManager.default.copyItem(atPath: apphomeTests.program, toPath: program)
        let script = """
            export HOME=\(place.path) APPHOME_DEVICE=\(place.path)/device
            '\(program)' new Recipes
            '\(program)' run Recipes -- sh -c 'id -u; touch ~/Documents/a ~/x; ls ~'
            """
        let child = Foundation.Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        child.arguments = ["--reuid", "1000", "--regid", "1000", "--clear-groups", "bash", "-c", script]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        #expect(text.hasSuffix("1000\nDocuments\nLibrary\ntmp\n"), "\(text)")
        #expect(eventually { mounts(below: place.path).isEmpty })
    }
}

/// A device with an app that has a file in its bundle, and another app that has a document. Where root runs
/// the tests it is an ordinary user's: no program is run as root.
struct RunPlace: ~Copyable {
    let work: Workplace
    static let ownerID: uid_t = geteuid() == 0 ? 1000 : geteuid()
    /// What makes a command the owner's.
    static let asOwner =
        geteuid() == 0
        ? ["setpriv", "--reuid", "\(ownerID)", "--regid", "\(ownerID)", "--clear-groups", "--"] : []

    /// - Parameter ofCaller: the device is root's where root runs the tests.
    init(content: [String: Data] = [:], ofCaller: Bool = false) throws {
        let work = try Workplace()
        if geteuid() == 0, !ofCaller {
            try FileManager.default.createDirectory(atPath: work.device, withIntermediateDirectories: false)
            guard chown(work.device, Self.ownerID, Self.ownerID) == 0 else { throw POSIXError(.EPERM) }
        }
        try Self.fill(work.path, work.device, content)
        self.work = work
    }

    private static func fill(_ path: String, _ device: String, _ content: [String: Data]) throws {
        let folder = path + "/content"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        var files = content
        files["Recipes.plist"] = Data("<recipes/>\n".utf8)
        for (name, data) in files {
            try data.write(to: URL(fileURLWithPath: folder + "/" + name))
            chmod(folder + "/" + name, 0o755)
        }
        let made = try apphome("new", "Recipes", "--content", folder, in: device)
        #expect(made.status == 0, "\(made)")
        // The owner's own store, which is no test's, has what earlier tests left.
        #expect(try apphome("cloud", "account", "none", in: device).status == 0)
        _ = try apphome("new", "Other", "--share", in: device)
        try "secret".write(toFile: path + "/secret", atomically: false, encoding: .utf8)
        let put = try apphome("share", "put", "Other", path + "/secret", in: device)
        #expect(put.status == 0, "\(put)")
    }

    /// Where the app's data lie, behind every mount.
    var container: String {
        let folder = work.device + "/Containers/Data/Application/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let own = names.first { name in
            let metadata = folder + name + "/.com.apple.mobile_container_manager.metadata.plist"
            return FileManager.default.contents(atPath: metadata)?.range(of: Data("local.Recipes".utf8))
                != nil
        }
        return folder + (own ?? "none")
    }

    /// A copy of the app's bundle, to be installed.
    /// - Parameter executable: what its Info.plist names from now on.
    func bundle(executable: String) throws -> String {
        let bundle = try bundle()
        let list = URL(filePath: bundle + "/Info.plist")
        var keys = try #require(
            try PropertyListSerialization.propertyList(from: Data(contentsOf: list), format: nil)
                as? [String: Any])
        keys["CFBundleExecutable"] = executable
        try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0).write(to: list)
        return bundle
    }

    /// A copy of the app's bundle, to be installed.
    func bundle() throws -> String {
        let folder = work.device + "/Containers/Bundle/Application/"
        let bundles = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            folder + $0 + "/Recipes.app"
        }
        let own = try #require(bundles.first { FileManager.default.fileExists(atPath: $0) })
        try FileManager.default.copyItem(atPath: own, toPath: work.path + "/Recipes.app")
        return work.path + "/Recipes.app"
    }

    /// A folder that the device's owner may mount at.
    func mountPoint() throws -> String {
        let folder = work.path + "/home"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        guard chown(folder, Self.ownerID, geteuid() == 0 ? Self.ownerID : getegid()) == 0 else {
            throw POSIXError(.EPERM)
        }
        return folder
    }

    /// Mounts the app's home for its owner and for the tests.
    func mount(_ directory: String, _ options: String...) throws {
        let others = geteuid() == 0 ? ["--allow-other"] : []
        let arguments = ["mount", "recipes", directory, "--no-sync"] + others + options
        let mounted = try apphome(arguments, in: work.device)
        #expect(mounted.status == 0, "\(mounted)")
    }

    func document(_ name: String) -> String? { text(container + "/Documents/" + name) }

    /// A program that has started, and runs until `end`.
    func waiting(_ name: String) throws -> Running {
        let script = "touch ~/Documents/\(name); while [ -e ~/Documents/\(name) ]; do sleep 0.05; done"
        let running = try start(["run", "recipes", "--no-sync", "--", "sh", "-c", script], in: work.device)
        let path = container + "/Documents/" + name
        #expect(eventually { FileManager.default.fileExists(atPath: path) })
        return running
    }

    func end(_ name: String, _ running: Running) throws {
        // Behind the mount's back nothing is changed: another program of the app removes it.
        #expect(try work.run("run", "recipes", "--", "sh", "-c", "rm ~/Documents/\(name)").status == 0)
        #expect(try running.wait().status == 0)
    }
}
