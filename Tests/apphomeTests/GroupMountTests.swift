import Foundation
import Posix
import Testing

/// A group's container, where its apps find it and beside that.
@Suite(.serialized) struct GroupMountTests {
    private static let group = "group.org.example"

    @Test func appsOfOneGroupFindOneContainerAndSeeEachOthersChanges() throws {
        let place = try Workplace()
        let first = try Self.path(place, "Notes", makingApp: true)
        #expect(first == place.device + "/run/groups/" + Self.group)
        #expect(try Self.path(place, "Ledger", makingApp: true) == first)
        try "dear".write(toFile: first + "/letter", atomically: false, encoding: .utf8)
        let library = try FileManager.default.contentsOfDirectory(atPath: first + "/Library")
        #expect(library.sorted() == ["Caches", "Preferences"])
        let top = try FileManager.default.contentsOfDirectory(atPath: first)
        #expect(top.sorted() == ["Library", "letter"], "the container's identity is the system's")
        #expect(try place.run("unmount", first).status == 0)
        #expect(try Self.path(place, "Ledger") == first)
        #expect(FileManager.default.contents(atPath: first + "/letter") == Data("dear".utf8))
    }

    @Test func aSecondViewShowsChangesBothWaysAtOnceAndLocksNothing() throws {
        let place = try Workplace()
        let main = try Self.path(place, "Notes", makingApp: true)
        let beside = place.path + "/beside"
        let mounted = try place.run("group", "mount", "Notes", Self.group, beside)
        #expect(mounted.status == 0, "\(mounted)")
        for (here, there) in [(main, beside), (beside, main)] {
            #expect(!FileManager.default.fileExists(atPath: there + "/a"))
            try "one".write(toFile: here + "/a", atomically: false, encoding: .utf8)
            #expect(FileManager.default.contents(atPath: there + "/a") == Data("one".utf8))
            try "other".write(toFile: here + "/a", atomically: false, encoding: .utf8)
            #expect(FileManager.default.contents(atPath: there + "/a") == Data("other".utf8))
            #expect(rename(here + "/a", here + "/b") == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: there).sorted() == ["Library", "b"])
            #expect(unlink(there + "/b") == 0)
        }
        #expect(Self.lockError(main + "/lock") == 0)
        #expect(Self.lockError(beside + "/lock") == ENOLCK)
    }

    @Test func aGroupsTopLevelIsADirectoryLikeAnyOther() throws {
        let place = try Workplace()
        let path = try Self.path(place, "Notes", makingApp: true)
        for number in 0..<600 { #expect(mknod("\(path)/file\(number)", S_IFREG | 0o644, 0) == 0) }
        // Names that go while they are read: each is given once, and none is left out.
        let directory = try #require(opendir(path))
        var removed = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix("file") {
                #expect(unlink("\(path)/\(name)") == 0, "\(name)")
                removed += 1
            }
        }
        closedir(directory)
        #expect(removed == 600)
        // No name there is the daemon's.
        #expect(mkdir(path + "/Work", 0o755) == 0)
        try "mine".write(toFile: path + "/Work/letter", atomically: false, encoding: .utf8)
        #expect(rename(path + "/Work", path + "/.staging") == 0)
        #expect(FileManager.default.contents(atPath: path + "/.staging/letter") == Data("mine".utf8))
        #expect(open(path + "/.staging", O_RDONLY | O_CREAT, 0o644) == -1 && errno == EISDIR)
        let top = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(top.sorted() == [".staging", "Library"])
        #expect(try place.run("unmount", path).status == 0)
        #expect(try Self.path(place, "Notes") == path)
        #expect(FileManager.default.contents(atPath: path + "/.staging/letter") == Data("mine".utf8))
    }

    @Test func theDevicesOwnMountOfAGroupShowsWhatIsRestoredAndAPersonsKeepsItBack() throws {
        let place = try Workplace()
        let path = try Self.path(place, "Notes", makingApp: true)
        try "then".write(toFile: path + "/letter", atomically: false, encoding: .utf8)
        try place.backUp()
        try "now".write(toFile: path + "/letter", atomically: false, encoding: .utf8)
        let restore = ["backup", "restore", "--from", place.backups, "Notes"]
        let beside = place.path + "/beside"
        #expect(try place.run("group", "mount", "Notes", Self.group, beside).status == 0)
        let refused = try apphome(restore, in: place.device)
        #expect(refused.status == 1 && refused.errors.contains("mounted at " + beside), "\(refused)")
        #expect(refused.errors.contains("--remount"), "\(refused)")
        #expect(FileManager.default.contents(atPath: path + "/letter") == Data("now".utf8))
        #expect(try place.run("unmount", beside).status == 0)
        // A file that is open in it keeps it back as well.
        let open = try #require(FileHandle(forReadingAtPath: path + "/letter"))
        let busy = try apphome(restore, in: place.device)
        #expect(busy.status == 1 && busy.errors.contains("files of its group are open"), "\(busy)")
        try open.close()
        let restored = try apphome(restore, in: place.device)
        #expect(restored.status == 0, "\(restored)")
        #expect(FileManager.default.contents(atPath: path + "/letter") == Data("then".utf8))
    }

    @Test func anAppWithoutTheEntitlementGetsNull() throws {
        let place = try Workplace()
        _ = try place.run("new", "Notes")
        let refused = try place.run("group", "path", "Notes", Self.group)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.output.hasPrefix("null: com.apple.security.application-groups"), "\(refused)")
        let mount = try place.run("group", "mount", "Notes", Self.group, place.path + "/g")
        #expect(mount.status == 1 && mount.errors.contains("does not name"), "\(mount)")
    }

    @Test func theContainerGoesWithItsLastOwnerAndNotBefore() throws {
        let place = try Workplace()
        let path = try Self.path(place, "Notes", makingApp: true)
        _ = try Self.path(place, "Ledger", makingApp: true)
        try "dear".write(toFile: path + "/letter", atomically: false, encoding: .utf8)
        #expect(try place.run("uninstall", "Notes", "--yes").status == 0)
        #expect(FileManager.default.contents(atPath: path + "/letter") == Data("dear".utf8))
        #expect(try place.run("list").output.contains("Notes") == false)
        let handle = try #require(FileHandle(forReadingAtPath: path + "/letter"))
        let refused = try place.run("uninstall", "Ledger", "--yes")
        #expect(refused.status == 1 && refused.errors.contains(path), "\(refused)")
        try handle.close()
        let removed = try place.run("uninstall", "Ledger", "--yes")
        #expect(removed.status == 0, "\(removed)")
        #expect(mounts(below: place.path).isEmpty)
        let left = place.device + "/Containers/Shared/AppGroup"
        #expect(try FileManager.default.contentsOfDirectory(atPath: left) == [])
    }

    @Test func infoNamesTheGroupsAndWhereTheyAreMounted() throws {
        let place = try Workplace()
        let path = try Self.path(place, "Notes", makingApp: true)
        let values = try place.run("info", "Notes", "--json").object
        #expect(values["groups"] as? [String] == [Self.group])
        let mounts = try #require(values["mounts"] as? [[String: Any]])
        #expect(mounts.map { $0["dir"] as? String } == [path])
        #expect(mounts.map { $0["kind"] as? String } == ["group"])
    }

    private static func path(
        _ place: borrowing Workplace, _ app: String, makingApp: Bool = false
    ) throws -> String {
        if makingApp {
            let made = try place.run("new", app, "--group", group)
            #expect(made.status == 0, "\(made)")
        }
        let answer = try place.run("group", "path", app, group)
        #expect(answer.status == 0, "\(answer)")
        return answer.output.trimmingCharacters(in: .newlines)
    }

    /// What flock(2) answers on a file there.
    private static func lockError(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    }
}
