import Foundation
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
        _ = try run("unmount", home)
        #expect(mounts(below: place.path) == [])
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
