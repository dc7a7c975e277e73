import Foundation
import Posix
import TestKit
import Testing
import Wire

/// What programs of a desktop meet on a mount: watchers, and the trash.
@Suite(.serialized) struct WatcherTests {
    /// FUSE has no message by which a daemon makes the kernel tell of a new or changed item.
    @Test func watchersAreToldOfWhatProgramsDoAndWatchTellsOfTheRest() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share", "--files")
        try place.run("mount", "Notes", place.path + "/n", "--files", place.path + "/f", "--no-sync")
        let documents = place.path + "/n/Documents"
        let watched = try WatchedFolder(documents)
        for (name, words) in [("new", "1"), ("copied", "2")] {
            try words.write(toFile: place.path + "/" + name, atomically: false, encoding: .utf8)
        }
        #expect(try place.run("share", "put", "Notes", place.path + "/new").status == 0)
        #expect(try place.run("share", "put", "Notes", place.path + "/new", "--force").status == 0)
        #expect(try place.run("cp", place.path + "/copied", "Notes:Documents").status == 0)
        // Who looks sees them.
        #expect(try names(documents) == ["copied", "new"])
        #expect(try place.run("share", "rm", "Notes", "new").status == 0)
        try "4".write(toFile: place.path + "/f/Notes/other", atomically: false, encoding: .utf8)
        #expect(try names(documents) == ["copied", "other"])
        #expect(watched.changedNames() == [])

        try "3".write(toFile: documents + "/own", atomically: false, encoding: .utf8)
        #expect(watched.changedNames() == ["own"])

        let watch = try start(["watch", "Notes", "--since", "1h", "--json"], in: place.device)
        defer {
            // SIGTERM may be blocked in what a test starts.
            kill(watch.process.processIdentifier, SIGKILL)
            watch.process.waitUntilExit()
        }
        try place.run("share", "put", "Notes", place.path + "/new", "--inbox")
        let told = try watch.lines(upTo: "Documents/Inbox/new").map {
            "\($0["event"] ?? "") \($0["path"] ?? "")"
        }
        #expect(
            told == [
                "share-put Documents/new", "share-put Documents/new", "copied Documents/copied",
                "share-removed Documents/new", "share-put Documents/Inbox/new",
            ])
    }

    /// Each is a connection, and none keeps a command's place: an app's own tools may watch, too.
    @Test func asManyWatchAsMayAndCommandsAreAnsweredAllTheSame() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n", "--no-sync")
        let daemon = try #require(place.daemonProcessIDs.first)
        try Posix.Process.growDescriptorTable()
        var watchers: [RawClient] = []
        for _ in 0..<1024 {
            let watcher = try RawClient(device: place.device)
            #expect(try watcher.ask(.watch(app: "Notes", sinceSeconds: nil)) == .watching(knownSince: nil))
            watchers.append(watcher)
        }
        let refused = try place.run("watch", "Notes")
        #expect(refused.status == 1, "\(refused)")
        #expect(
            refused.errors.contains("1024 programs watch this device") && refused.errors.contains("end some"))
        let first = try RawClient(device: place.device)
        #expect(mkdir(place.path + "/n/refused", 0o755) == -1)
        #expect(try place.run("list").status == 0)
        for watcher in [watchers[0], watchers[1023]] {
            guard case .event(let event) = try watcher.next() else {
                Issue.record("no event")
                return
            }
            #expect(event.event == "refused" && event.path == "refused")
        }
        // Watchers hold the daemon, as all clients do, and let it go.
        first.hangUp()
        #expect(try place.run("unmount", place.path + "/n").status == 0)
        #expect(try place.run("list").status == 0)
        #expect(place.daemonProcessIDs == [daemon])
        watchers = []
        let hasEnded1 = place.waitForDaemonsEnd()
        #expect(hasEnded1)
    }

    @Test func findingsOutliveTheirDaemonUntilTheirAppGoes() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let home = place.path + "/n"
        func refuse() throws -> [RememberedFinding] {
            try place.run("mount", "Notes", home, "--no-sync")
            #expect(mkdir(home + "/refused", 0o755) == -1)
            let answer = try RawClient(device: place.device).ask(.findings(app: "Notes", after: nil))
            guard case .findings(let page) = answer else { throw POSIXError(.EPROTO) }
            return page.findings
        }
        #expect(try refuse().map(\.count) == [1])
        kill(try #require(place.daemonProcessIDs.first), SIGKILL)
        let isKilled = place.waitForDaemonsEnd()
        #expect(isKilled)
        #expect(try refuse().map(\.count) == [2])
        // In order: nobody has asked since the last one.
        #expect(mkdir(home + "/refused", 0o755) == -1)
        try place.run("unmount", home)
        let isEnded = place.waitForDaemonsEnd()
        #expect(isEnded)
        let found = try refuse()
        #expect(found.map(\.count) == [4] && found.map(\.code) == ["refused"])
        #expect(found.map(\.app) == ["local.Notes"] && found.map(\.path) == ["refused"])

        // The same daemon goes on.
        try place.run("new", "Other")
        try place.run("mount", "Other", place.path + "/o", "--no-sync")
        try place.run("unmount", home)
        try place.run("uninstall", "Notes", "--yes")
        try place.run("new", "Notes")
        #expect(try refuse().map(\.count) == [1])
        #expect(try RawClient(device: place.device).ask(.clearFindings(app: "Notes")) == .cleared(count: 1))
        #expect(try refuse().map(\.count) == [1])
        try place.run("unmount", home, place.path + "/o")
        let isIdle = place.waitForDaemonsEnd()
        #expect(isIdle)
        #expect(try place.run("device", "erase", place.device, "--yes").status == 0)
        #expect(try names(place.device) == ["run"])
    }

    /// Who puts something into the trash of a mount makes it at the top, and a home's top level is closed.
    @Test func aFileManagersTrashIsRefusedAndNothingIsDeleted() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--files")
        try place.run("mount", "Notes", place.path + "/n", "--files", place.path + "/f", "--no-sync")
        let top = try names(place.path + "/n")
        for document in ["/n/Documents/a", "/f/Notes/b"] {
            let path = place.path + document
            try "1".write(toFile: path, atomically: false, encoding: .utf8)
            let trash = try apphome(["trash", path], in: place.device, program: "/usr/bin/gio")
            #expect(trash.status == 1 && trash.errors.contains(".Trash-"), "\(trash)")
            #expect(text(path) == "1")
        }
        #expect(try names(place.path + "/n") == top)
        #expect(try names(place.path + "/f") == ["Notes"])
    }
}

extension Running {
    /// The objects that it prints, a line each, until one with this `path` has come; fewer where it ends.
    fileprivate func lines(upTo path: String) throws -> [[String: Any]] {
        var (lines, line): ([[String: Any]], Data) = ([], Data())
        while lines.last?["path"] as? String != path,
            let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty
        {
            if byte != Data("\n".utf8) {
                line += byte
                continue
            }
            lines.append(try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any]))
            line = Data()
        }
        return lines
    }
}
