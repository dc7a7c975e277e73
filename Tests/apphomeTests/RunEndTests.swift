import Foundation
import TestKit
import Testing

/// What a program leaves when it ends, and what is told of it then.
@Suite(.serialized) struct RunEndTests {
    @Test func whatWasMountedForAProgramGoesWithItAndWhatAPersonMountedStays() throws {
        let place = try Workplace()
        let user = try place.ordinaryUser()
        func run(_ arguments: String...) throws -> String {
            let outcome = try user(arguments)
            #expect(outcome.status == 0, "\(outcome)")
            return outcome.output
        }
        for app in ["One", "Two"] { _ = try run("new", app, "--group", "group.a") }
        let (home, group) = (place.path + "/two", place.device + "/run/groups/group.a")
        // A person's home does not keep what a program had.
        _ = try run("mount", "Two", home, "--no-sync")
        _ = try run("run", "Two", "--", "true")
        #expect(mounts(below: place.path) == [home])
        // What a person asked for outlasts programs, and goes with the last home of the group's apps.
        #expect(try run("group", "path", "One", "group.a") == group + "\n")
        _ = try run("run", "One", "--no-sync", "--", "true")
        #expect(mounts(below: place.path) == [home, group])
        // Another app's home is none of the group's matter.
        _ = try run("new", "Other")
        _ = try run("mount", "Other", place.path + "/other", "--no-sync")
        _ = try run("unmount", "Other")
        #expect(mounts(below: place.path) == [home, group])
        _ = try run("unmount", home)
        #expect(mounts(below: place.path) == [])
    }

    @Test func aGroupStaysMountedForAProgramThoughTheAppThatItWasMountedForIsGone() throws {
        let place = try Workplace()
        let user = try place.ordinaryUser()
        for app in ["One", "Two", "Three"] {
            #expect(try user(["new", app, "--group", "group.a"]).status == 0)
        }
        // The first to run has the group mounted; the second uses it, the first goes.
        let first = try start(as: place, ["run", "One", "--no-sync", "--", "sleep", "60"])
        let group = place.device + "/run/groups/group.a"
        #expect(eventually { mounts(below: place.path).contains(group) })
        let script = "read line; cd /private/var/mobile/Containers/Shared/AppGroup/*-* && echo > letter"
        let second = try start(as: place, ["run", "Two", "--no-sync", "--", "sh", "-c", script])
        #expect(try eventually { try user(["info", "Two", "--json"]).output.contains("\"running\" : true") })
        first.terminate()
        first.waitUntilExit()
        #expect(try user(["uninstall", "One", "--yes"]).status == 0)
        #expect(try user(["run", "Three", "--no-sync", "--", "true"]).status == 0)
        #expect(mounts(below: place.path).contains(group))
        try (second.standardInput as? Pipe)?.fileHandleForWriting.write(contentsOf: Data("on\n".utf8))
        second.waitUntilExit()
        #expect(second.terminationStatus == 0)
        #expect(mounts(below: place.path) == [])
    }

    /// Starts a command as the ordinary user, with a pipe for its input.
    private func start(as place: borrowing Workplace, _ arguments: [String]) throws -> Foundation.Process {
        let process = Foundation.Process()
        let isRoot = geteuid() == 0
        let identity = ["--reuid", "1000", "--regid", "1000", "--clear-groups", place.path + "/apphome"]
        process.executableURL = URL(filePath: isRoot ? "/usr/bin/setpriv" : program)
        process.arguments = (isRoot ? identity : []) + arguments
        process.environment = [
            "HOME": place.device + "-home", "APPHOME_DEVICE": place.device, "PATH": "/usr/bin:/bin",
        ]
        process.standardInput = Pipe()
        try process.run()
        return process
    }

    @Test func aReportSaysWhatTheHomeRefusedAndWhatOnlyCaseTellsApart() throws {
        let place = try RunPlace()
        let script = "touch ~/x; echo a > ~/Documents/Letter; cat ~/Documents/letter; echo out"
        let outcome = try place.work.run("run", "recipes", "--report", "--", "sh", "-c", script)
        #expect(outcome.status == 0 && outcome.output == "out\n", "\(outcome)")
        let report = outcome.errors.components(separatedBy: "apphome: report: ").last ?? ""
        #expect(report.hasPrefix("1 case-near-miss, 1 refused\n"), "\(outcome)")
        #expect(report.contains("Documents/letter") && report.contains("create"), "\(outcome)")
        let next = try place.work.run("run", "recipes", "--report", "--", "true")
        #expect(next.errors.contains("report: nothing was refused"), "\(next)")
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func aReportSaysWhatTheProgramLeftOutsideOfItsHome() throws {
        let place = try RunPlace()
        let script =
            "ls -l /proc/self/fd | wc -l; for i in $(seq 120); do : > /tmp/f$i; done; mkdir -p /dev/shm/d/e"
        let outcome = try place.work.run("run", "recipes", "--report", "--", "sh", "-c", script)
        // Its own three, and the one that lists them, below a heading: none of the sandbox's.
        #expect(outcome.status == 0 && outcome.output == "5\n", "\(outcome)")
        let lines = (outcome.errors.components(separatedBy: "apphome: report: ").last ?? "").split(
            separator: "\n")
        #expect(lines.first == "102 outside-home", "\(outcome)")
        #expect(lines.contains { $0.hasSuffix("  /tmp/f1  0 B left outside of the home") }, "\(outcome)")
        #expect(lines.contains { $0.hasSuffix("  /tmp  20 more items left in it, not named") })
        #expect(lines.contains { $0.hasSuffix("  /dev/shm  1 more item left in it, not named") })
        let ended = try place.work.run(
            "run", "recipes", "--report", "--timeout", "1", "--", "sh", "-c", "echo > /tmp/x; sleep 60")
        #expect(ended.status == 124 && ended.errors.contains("  /tmp/x  1 B left"), "\(ended)")
        #expect(mounts(below: place.work.path) == [])
    }

    @Test func aProgramEndsWhenItsTimeIsOver() throws {
        let place = try RunPlace()
        for script in ["sleep 60", "trap '' TERM; while :; do sleep 1; done"] {
            let outcome = try place.work.run("run", "recipes", "--timeout", "0.5", "--", "sh", "-c", script)
            #expect(outcome.status == 124, "\(outcome)")
            #expect(mounts(below: place.work.path) == [])
        }
        let quick = try place.work.run("run", "recipes", "--timeout", "30", "--", "sh", "-c", "exit 7")
        #expect(quick.status == 7, "\(quick)")
    }
}
