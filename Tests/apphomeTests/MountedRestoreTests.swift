import Foundation
import Posix
import TestKit
import Testing

/// `apphome backup restore --remount`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MountedRestoreTests {
    @Test func anOpenHomeShowsWhatIsRestoredAndWhatIsTakenBack() throws {
        let place = try Workplace()
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.write("then", to: "m/Documents/d/e/b")
        try place.write("then", to: "m/Library/Preferences/p")
        try place.write("then", to: "m/Documents/gone")
        try place.backUp()
        let old = place.home()
        try place.write("now", to: "m/Documents/a")
        try place.write("now", to: "m/Documents/d/e/b")
        try place.write("new", to: "m/Documents/d/c")
        try FileManager.default.removeItem(atPath: place.path + "/m/Library/Preferences/p")
        try FileManager.default.removeItem(atPath: place.path + "/m/Documents/gone")
        // The kernel knows from now on that they are not there.
        #expect(place.read("m/Library/Preferences/p") == nil && place.read("m/Documents/gone") == nil)

        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes", "--remount")
        #expect(restored.status == 0, "\(restored)")
        #expect(place.home() != old && mounts(below: place.path).count == 1)
        for name in ["Documents/a", "Documents/d/e/b", "Documents/gone", "Library/Preferences/p"] {
            #expect(place.read("m/" + name) == "then", "\(name)")
        }
        #expect(place.read("m/Documents/d/c") == nil)
        // What is written goes to where the app's data is now.
        try place.write("later", to: "m/Documents/d/e/b")
        let path = place.home() + "/Documents/d/e/b"
        #expect(FileManager.default.contents(atPath: path) == Data("later".utf8))

        let undone = try place.run("backup", "restore", "--undo", "Notes", "--remount")
        #expect(undone.status == 0, "\(undone)")
        #expect(place.read("m/Documents/a") == "now" && place.read("m/Documents/d/c") == "new")
        #expect(place.read("m/Documents/d/e/b") == "now" && place.read("m/Library/Preferences/p") == nil)
        try place.unmount()
        #expect(FileManager.default.contents(atPath: old + "/Documents/a") == Data("now".utf8))
    }

    @Test func filesThatAreOpenKeepARestoreBack() throws {
        let place = try Workplace()
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.backUp()
        try place.write("now", to: "m/Documents/a")
        let open = try #require(FileHandle(forReadingAtPath: place.path + "/m/Documents/a"))
        let restore = ["backup", "restore", "--from", place.backups, "Notes", "--remount"]
        let refused = try apphome(restore, in: place.device)
        #expect(refused.status == 1 && refused.errors.contains("files of Notes are open"), "\(refused)")
        #expect(place.read("m/Documents/a") == "now")
        try open.close()
        let restored = try apphome(restore, in: place.device)
        #expect(restored.status == 0, "\(restored)")
        #expect(place.read("m/Documents/a") == "then")
    }

    @Test func aHomeThatSyncsGoesOnSyncing() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        try "old".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "old" })
        try devices.place.backUp()
        try "newer".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "newer" })
        let restored = try devices.place.run(
            "backup", "restore", "--from", devices.place.backups, "Notes", "--remount")
        #expect(restored.status == 0, "\(restored)")
        #expect(text(here + "/a") == "old")
        #expect(eventually { text(there + "/a") == "old" })
        try "after".write(toFile: here + "/b", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/b") == "after" })
    }
}

extension Workplace {
    /// Where the app's data lies.
    fileprivate func home() -> String {
        let info = try? JSONSerialization.jsonObject(with: Data(run("info", "Notes", "--json").output.utf8))
        return (info as? [String: Any])?["home"] as? String ?? ""
    }
}
