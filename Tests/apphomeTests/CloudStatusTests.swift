import Foundation
import TestKit
import Testing

/// `apphome cloud status`, and what is said where a device is signed out.
@Suite(.serialized) struct CloudStatusTests {
    @Test func theStatusIsShownWheneverItChanges() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("cloud", "account", "set", "file://\(place.path)/store")
        try place.run("mount", "Notes", place.path + "/m")
        let live = try start(["cloud", "status", "--live", "--json"], in: place.device)
        defer {
            kill(live.process.processIdentifier, SIGKILL)
            live.process.waitUntilExit()
        }
        #expect(live.output(upTo: "\n").contains("\"documents\":0"))
        try "1".write(toFile: place.path + "/m/Documents/a", atomically: false, encoding: .utf8)
        #expect(live.output(upTo: "\"documents\":1").contains("\n"))
        let both = try place.run("cloud", "status", "--live", "--check")
        #expect(both.status == 64 && both.errors.contains("give one of them"), "\(both)")
    }

    @Test func theStatusSaysNothingThatNobodyKnows() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        let unknown = try place.run("cloud", "status", "Nots")
        #expect(unknown.status == 1 && unknown.errors.contains("no app Nots"), "\(unknown)")
        let out = try place.run("cloud", "ls", "Notes")
        #expect(out.errors.contains("sign in with: apphome cloud account set URL"), "\(out)")
        #expect(try place.run("cloud", "account", "set", "file://\(place.path)/store").status == 0)
        try "dear".write(toFile: place.path + "/letter", atomically: false, encoding: .utf8)
        #expect(try place.run("cp", place.path + "/letter", "Notes:Documents/").status == 0)
        #expect(try place.run("cloud", "sync", "Notes", "--wait").status == 0)
        #expect(try place.run("cloud", "status").output.contains(", 4 B of 5.0 GB used"))
        // Seconds ago some bytes went, and none does now.
        #expect(try place.run("mount", "Notes", place.path + "/m").status == 0)
        try "dearest".write(toFile: place.path + "/m/Documents/a", atomically: false, encoding: .utf8)
        #expect(try eventually { try place.run("cloud", "status").output.contains("Notes: idle, 2 items") })
        let idle = try place.run("cloud", "status")
        #expect(!idle.output.contains(" B/s"), "\(idle)")
        #expect(try place.run("unmount", place.path + "/m").status == 0)
        #expect(try place.run("uninstall", "Notes", "--yes").status == 0)
        // The documents stay in the store, and no app is here that knows of them.
        let status = try place.run("cloud", "status")
        #expect(status.status == 0 && !status.output.contains("used"), "\(status)")
    }
}
