import Foundation
import TestKit
import Testing

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
