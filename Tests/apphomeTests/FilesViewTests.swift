import CLinux
import Foundation
import Testing

/// What the Files app shows, beside homes and while apps come and go.
@Suite(.serialized) struct FilesViewTests {
    /// F_OFD_SETLK.
    private static let openFileLock: Int32 = 37

    @Test func appsThatOfferTheirDocumentsComeAndGo() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Quiet").status == 0)
        let files = try Self.mountFiles(place)
        #expect(try names(files) == [])
        #expect(try place.run("new", "Notes", "--files").status == 0)
        #expect(try names(files) == ["Notes"])
        #expect(try place.run("new", "Other", "--files", "--id", "org.example.b").status == 0)
        #expect(try names(files) == ["Notes", "Other"])
        try "one".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
        // A working directory and an open file in an app that goes keep it from nothing.
        let inside = open(files + "/Notes", O_RDONLY | O_DIRECTORY)
        let file = open(files + "/Notes/a", O_RDONLY)
        defer { for descriptor in [inside, file] { close(descriptor) } }
        let removed = try place.run("uninstall", "Notes", "--yes")
        #expect(removed.status == 0, "\(removed)")
        #expect(try names(files) == ["Other"])
        #expect(openat(inside, "a", O_RDONLY) == -1 && (errno == ENOENT || errno == ESTALE))
        var byte: UInt8 = 0
        #expect(pread(file, &byte, 1, 0) == 1 && byte == UInt8(ascii: "o"))
        #expect(try place.run("new", "Notes", "--files").status == 0)
        #expect(try names(files + "/Notes") == [])
        #expect(try place.run("unmount", "--lazy", files).status == 0)
    }

    @Test func appsOfOneNameAreNumberedAndNoNameIsAPath() throws {
        let place = try Workplace()
        for (number, name) in ["Notes", "Notes", "a/b", ".hidden"].enumerated() {
            let folder = "\(place.path)/\(number)/App\(number).app"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let keys: [String: Any] = [
                "CFBundleIdentifier": "org.example.a\(number)", "CFBundleDisplayName": name,
                "CFBundleExecutable": "App", "LSSupportsOpeningDocumentsInPlace": true,
            ]
            let list = try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
            try list.write(to: URL(filePath: folder + "/Info.plist"))
            try "".write(toFile: folder + "/App", atomically: false, encoding: .utf8)
            let installed = try place.run("install", folder)
            #expect(installed.status == 0, "\(installed)")
        }
        let files = try Self.mountFiles(place)
        #expect(try names(files) == ["Notes", "Notes 2", "_hidden", "a:b"])
        #expect(mkdir(files + "/x", 0o755) == -1 && errno == EPERM)
        #expect(rmdir(files + "/Notes") == -1 && errno == EPERM)
        #expect(rename(files + "/Notes", files + "/n") == -1 && errno == EPERM)
        try "one".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
        #expect(rename(files + "/Notes/a", files + "/Notes 2/a") == -1 && errno == EXDEV)
        #expect(link(files + "/Notes/a", files + "/Notes 2/a") == -1 && errno == EXDEV)
    }

    @Test(arguments: ["auto", "splice"])
    func whatTheHomeHasOpenHasNoNameOnceFilesHasRemovedIt(data: String) throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let files = try Self.mountFiles(place)
        let home = place.path + "/home"
        let documents = home + "/Documents"
        #expect(try place.run("mount", "Notes", home, "--no-sync", "--data", data).status == 0)
        for name in ["removed", "replaced", "other"] {
            try name.write(toFile: documents + "/" + name, atomically: false, encoding: .utf8)
        }
        #expect(mkdir(documents + "/directory", 0o755) == 0)
        let open = ["removed", "replaced", "directory"].map { Glibc.open(documents + "/" + $0, O_RDONLY) }
        defer { for file in open { close(file) } }
        // The kernel has something to believe.
        for file in open { #expect(try #require(links(file)) >= 1) }
        #expect(unlink(files + "/Notes/removed") == 0)
        #expect(rename(files + "/Notes/other", files + "/Notes/replaced") == 0)
        #expect(rmdir(files + "/Notes/directory") == 0)
        #expect(open.map(links) == [0, 0, 0])
    }

    private func links(_ file: Int32) -> Int? {
        var status = stat()
        return fstat(file, &status) == 0 ? Int(status.st_nlink) : nil
    }

    @Test func nothingIsLockedThereAndAnOpenFileMakesNoAppRun() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let files = try Self.mountFiles(place)
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        let database = home + "/Documents/db"
        let made = try Self.execute("create table t (a)", database, place)
        #expect(made.status == 0, "\(made)")
        let before = FileManager.default.contents(atPath: database)
        let refused = try Self.execute("insert into t values (1)", files + "/Notes/db", place)
        #expect(refused.errors.contains("database is locked"), "\(refused)")
        #expect(try names(home + "/Documents") == ["db"])
        #expect(FileManager.default.contents(atPath: database) == before)
        let file = open(files + "/Notes/db", O_RDWR)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        #expect(fcntl(file, F_SETLK, &lock) == -1 && errno == ENOLCK)
        #expect(fcntl(file, Self.openFileLock, &lock) == -1 && errno == ENOLCK)
        #expect(flock(file, LOCK_EX | LOCK_NB) == -1 && errno == ENOLCK)
        #expect(try place.run("info", "Notes", "--json").output.contains("\"running\" : false"))
    }

    @Test func whatAHomeIsMountedWithIsNotTheFilesViewsMatter() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let files = try Self.mountFiles(place)
        try "one".write(toFile: files + "/Notes/Letter", atomically: false, encoding: .utf8)
        #expect(access(files + "/Notes/letter", F_OK) == -1)
        let home = place.path + "/home"
        let mounted = try place.run("mount", "Notes", home, "--no-sync", "--names", "simulator")
        #expect(mounted.status == 0, "\(mounted)")
        #expect(text(home + "/Documents/letter") == "one")
        #expect(text(files + "/Notes/LETTER") == "one")
        #expect(try place.run("unmount", home).status == 0)
        #expect(access(files + "/Notes/letter", F_OK) == -1)
        #expect(text(files + "/Notes/Letter") == "one")
    }

    @Test func aRestoreAndAnUpgradeAreSeenThere() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let files = try Self.mountFiles(place)
        try "then".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
        try place.backUp()
        try "now".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
        let restored = try place.run("backup", "restore", "--from", place.backups, "Notes")
        #expect(restored.status == 0, "\(restored)")
        #expect(text(files + "/Notes/a") == "then")
        try "later".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        #expect(text(home + "/Documents/a") == "later")
    }

    private static func mountFiles(_ place: borrowing Workplace) throws -> String {
        let files = place.path + "/files"
        let mounted = try place.run("files", "mount", files)
        #expect(mounted.status == 0, "\(mounted)")
        return files
    }

    private static func execute(
        _ statement: String, _ database: String, _ place: borrowing Workplace
    ) throws -> Outcome {
        let program = "import sqlite3; sqlite3.connect('\(database)').execute('\(statement)')"
        return try apphome(["-c", program], in: place.device, program: "/usr/bin/python3")
    }
}
