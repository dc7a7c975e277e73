import CLinux
import Foundation
import Glibc
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
        #expect(modified(place.path + "/m") == modified(old))
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
        for name in ["", "/Documents", "/Library"] {
            #expect(modified(place.path + "/m" + name) == modified(place.home() + name), "\(name)")
        }
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
        #expect(
            refused.status == 1 && refused.errors.contains("files of Notes are open (Documents/a)"),
            "\(refused)")
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

extension MountedRestoreTests {
    @Test func theSharingViewAndTheGroupsViewsGoOverToo() throws {
        let place = try Workplace()
        let group = "group.local.Notes"
        #expect(try place.run("new", "Notes", "--share", "--group", group).status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        try place.mount()
        let path = try place.run("group", "path", "Notes", group)
        let main = path.output.trimmingCharacters(in: .newlines)
        #expect(path.status == 0 && symlink(main, place.path + "/g") == 0, "\(path)")
        #expect(try place.run("group", "mount", "Notes", group, place.path + "/v").status == 0)
        #expect(try place.run("share", "mount", "Notes", place.path + "/s").status == 0)
        try place.write("then", to: "m/Documents/a")
        try place.write("then", to: "m/Documents/gone")
        try place.write("then", to: "g/letter")
        try place.write("then", to: "g/d/deep")
        try place.write("then", to: "g/gone")
        try place.backUp()
        let old = (home: place.home(), group: place.groupContainer())
        for name in ["m/Documents/a", "m/Documents/new", "g/letter", "g/d/deep", "g/d/new", "g/new"] {
            try place.write("now", to: name)
        }
        for name in ["m/Documents/gone", "g/gone"] {
            try FileManager.default.removeItem(atPath: place.path + "/" + name)
        }
        try place.expect("now", lost: "gone", has: "new")

        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes", "--remount")
        #expect(restored.status == 0 && restored.output.contains("1 group"), "\(restored)")
        #expect(place.home() != old.home && place.groupContainer() != old.group)
        try place.expect("then", lost: "new", has: "gone")
        #expect(mounts(below: place.path).count == 4)

        // What is written through each is the new container's, and seen through the others.
        try place.write("through the home", to: "m/Documents/b")
        try place.write("from beside", to: "v/b")
        #expect(place.read("s/b") == "through the home" && place.read("g/b") == "from beside")
        for (path, text) in [
            (place.home() + "/Documents/b", "through the home"),
            (place.groupContainer() + "/b", "from beside"),
        ] {
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8), "\(path)")
        }
        let undone = try place.run("backup", "restore", "--undo", "Notes", "--remount")
        #expect(undone.status == 0, "\(undone)")
        try place.expect("now", lost: "gone", has: "new")
        #expect(place.read("v/b") == nil && place.read("s/b") == nil)
        // The app may be mounted again.
        #expect(try place.run("share", "mount", "Notes", place.path + "/again").status == 0)
        #expect(place.read("again/a") == "now")
    }

    @Test func aFileThatIsOpenInTheGroupKeepsARestoreBack() throws {
        let place = try Workplace()
        let group = "group.local.Notes"
        #expect(try place.run("new", "Notes", "--group", group).status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        let path = try place.run("group", "path", "Notes", group)
        let main = path.output.trimmingCharacters(in: .newlines)
        #expect(path.status == 0 && symlink(main, place.path + "/g") == 0, "\(path)")
        try place.write("then", to: "g/letter")
        try place.backUp()
        try place.write("now", to: "g/letter")
        #expect(try place.run("group", "mount", "Notes", group, place.path + "/v").status == 0)
        let without = try place.run("backup", "restore", "--from", place.backups, "Notes")
        #expect(without.status == 1 && without.errors.contains(place.path + "/v"), "\(without)")
        let open = try #require(FileHandle(forReadingAtPath: main + "/letter"))
        let refused = try place.run("backup", "restore", "--from", place.backups, "Notes", "--remount")
        #expect(
            refused.status == 1 && refused.errors.contains("files of its group are open (letter)"),
            "\(refused)")
        #expect(place.read("g/letter") == "now")
        try open.close()
        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes", "--remount")
        #expect(restored.status == 0 && place.read("g/letter") == "then", "\(restored)")
    }

    @Test func aProgramThatRunsKeepsARestoreBackThoughItHasNoFileOpen() throws {
        let place = try RunPlace()
        #expect(try place.work.run("cloud", "account", "none").status == 0)
        let backups = place.work.path + "/backups"
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        let running = try place.waiting("one")
        #expect(chown(backups, RunPlace.ownerID, RunPlace.ownerID) == 0)
        #expect(try place.work.run("backup", "create", "--to", backups).status == 0)
        let refused = try place.work.run("backup", "restore", "--from", backups, "recipes", "--remount")
        #expect(refused.status == 1 && refused.errors.contains("is running"), "\(refused)")
        try place.end("one", running)
        #expect(try place.work.run("backup", "restore", "--from", backups, "recipes").status == 0)
    }

    @Test func aRunThatBeginsMeanwhileWaitsAndSeesWhatHasCome() throws {
        let place = try RunPlace()
        let work = place.work.path
        #expect(try place.work.run("cloud", "account", "none").status == 0)
        try place.mount(work + "/m")
        try place.work.write("then", to: "m/Documents/a")
        #expect(try place.work.run("backup", "create", "--to", place.work.backups).status == 0)
        var outcomes: (restored: Outcome, ran: Outcome)?
        // A restore waits two seconds for open files: on a busy machine not long enough for the rest.
        for _ in 0..<5 where outcomes == nil {
            try place.work.write("now", to: "m/Documents/a")
            let restore = ["backup", "restore", "--from", place.work.backups, "recipes", "--remount"]
            let open = try #require(FileHandle(forReadingAtPath: work + "/m/Documents/a"))
            let restoring = try start(restore, in: place.work.device)
            #expect(
                try eventually {
                    let other = try place.work.run("mount", "recipes", work + "/other")
                    return other.errors.contains("just being restored") || !restoring.process.isRunning
                })
            let script = "cat ~/Documents/a; echo; basename ~; ls -d ~/../*"
            let before = place.container
            let running = try start(["run", "recipes", "--", "sh", "-c", script], in: place.work.device)
            #expect(eventually { running.isConnected || !running.process.isRunning })
            // What was asked later is answered: it waits.
            #expect(try place.work.run("list").status == 0)
            try open.close()
            let (restored, ran) = (try restoring.wait(), try running.wait())
            guard restored.status == 0 || !restored.errors.contains("are open") else { continue }
            #expect(place.container != before)
            outcomes = (restored, ran)
        }
        let (restored, ran) = try #require(outcomes)
        #expect(restored.status == 0, "\(restored)")
        let container = (place.container as NSString).lastPathComponent
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.output.hasPrefix("then\n\(container)\n"), "\(ran)")
    }
}

/// In nanoseconds; 0 for what is not there.
private func modified(_ path: String) -> Int {
    (try? modificationNanoseconds(of: path)) ?? 0
}

extension Running {
    /// Whether it has asked the daemon for something.
    fileprivate var isConnected: Bool {
        let folder = "/proc/\(process.processIdentifier)/fd/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name))?
                .hasPrefix("socket:") ?? false
        }
    }
}

extension Workplace {
    /// Through the home, the sharing view, the group and its second view.
    fileprivate func expect(_ text: String, lost: String, has: String) throws {
        for name in ["m/Documents/a", "s/a", "g/letter", "v/letter", "g/d/deep", "v/d/deep"] {
            #expect(read(name) == text, "\(name)")
        }
        for folder in ["m/Documents", "s", "g", "v"] {
            #expect(read("\(folder)/\(lost)") == nil, "\(folder)")
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
            #expect(!names.contains(lost) && names.contains(has), "\(folder): \(names)")
            #expect(read("\(folder)/\(has)") == text, "\(folder)")
        }
        #expect((read("g/d/new") != nil) == (has == "new") && (read("v/d/new") != nil) == (has == "new"))
    }

    /// Where the device's only group lies.
    fileprivate func groupContainer() -> String {
        let folder = device + "/Containers/Shared/AppGroup"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return folder + "/" + (names.first ?? "none")
    }

    /// Where the app's data lies.
    fileprivate func home() -> String {
        let info = try? JSONSerialization.jsonObject(with: Data(run("info", "Notes", "--json").output.utf8))
        return (info as? [String: Any])?["home"] as? String ?? ""
    }
}
