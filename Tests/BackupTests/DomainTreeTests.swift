import Backup
import CLinux
import Foundation
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

@Suite struct DomainTreeTests {
    private func listed(_ tree: DomainTree) throws -> (paths: [String], leftOut: [LeftOutItem]) {
        var paths: [String] = []
        var leftOut: [LeftOutItem] = []
        try tree.walk(visit: { paths.append($0.path) }, leaveOut: { leftOut.append($0) })
        return (paths.sorted(), leftOut)
    }

    @Test(arguments: [Errno.ioError, .permissionDenied, .notPermitted, .noSuchFileOrDirectory])
    func `What the visitor throws ends the walk, and is not taken for an item that cannot be read`(
        error: Errno
    ) throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/folder/a")
        let tree = try scratch.domain("home")
        for place in ["Documents/folder", "Documents/folder/a"] {
            var leftOut: [LeftOutItem] = []
            #expect(throws: error) {
                try tree.walk(
                    visit: { if $0.path == place { throw error } }, leaveOut: { leftOut.append($0) })
            }
            #expect(leftOut == [])
        }
    }

    private func flag(_ scratch: Scratch, _ name: String) {
        let path = scratch.file(name)
        #expect(
            setAttribute("user.com.apple.metadata:com_apple_backup_excludeItem", SkipBackup.value, of: path)
                == nil)
    }

    @Test func `A backup has Documents, Library and nothing of what iOS leaves out`() throws {
        let scratch = try Scratch()
        let taken = [
            "Documents/a", "Documents/Caches/c", "Library/Preferences/p", "Library/Application Support/s",
            "Library/Cookies/k",
        ]
        let left = [
            "tmp/t", "Library/Caches/c", "Library/SyncedPreferences/p", "Library/SplashBoard/s",
            "Library/Saved Application State/s", "SystemData/d", "Recipes.app/Info.plist", "Other/o",
            ".com.apple.mobile_container_manager.metadata.plist", "Library/Preferences/p.plist.aB3xY9z",
        ]
        for path in taken + left { try scratch.write("home/\(path)") }
        let found = try listed(try scratch.domain("home"))
        #expect(found.paths.filter { path in taken.contains(path) } == taken.sorted())
        #expect(found.paths.filter { left.contains($0) } == [])
        #expect(found.paths.first == "")
        #expect(found.leftOut == [])
    }

    @Test func `A flagged directory hides all below it, and itself`() throws {
        let scratch = try Scratch()
        for path in ["Documents/shown/a", "Documents/hidden/b", "Documents/hidden/deep/c", "Documents/d"] {
            try scratch.write("home/\(path)")
        }
        flag(scratch, "home/Documents/hidden")
        flag(scratch, "home/Documents/d")
        #expect(
            setAttribute("user.com.apple.MobileBackup", [0], of: scratch.file("home/Documents/hidden/b"))
                == nil)
        #expect(
            setAttribute("user.com.apple.MobileBackup", [0], of: scratch.file("home/Documents/shown/a"))
                == nil)
        #expect(
            try listed(try scratch.domain("home")).paths == [
                "", "Documents", "Documents/shown", "Documents/shown/a",
            ])
    }

    @Test func `A flag set through one of two hard links keeps both out`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/one")
        try scratch.directory("home/Library")
        try FileManager.default.linkItem(
            atPath: scratch.file("home/Documents/one"), toPath: scratch.file("home/Library/two"))
        flag(scratch, "home/Library/two")
        #expect(try listed(try scratch.domain("home")).paths == ["", "Documents", "Library"])
    }

    @Test func `A group's container goes in whole but for its own record`() throws {
        let scratch = try Scratch()
        for path in ["any/a", "Library/Caches/c", ".com.apple.mobile_container_manager.metadata.plist"] {
            try scratch.write("group/\(path)")
        }
        let found = try listed(try scratch.domain("group", "AppDomainGroup-group.example", .group))
        #expect(found.paths == ["", "Library", "any", "any/a"])
    }

    @Test func `What a person should know of is named: pipes, long paths, names that are no text`() throws {
        let scratch = try Scratch()
        try scratch.directory("home/Documents")
        _ = run(["/usr/bin/mkfifo", scratch.file("home/Documents/pipe")])
        let part = String(repeating: "d", count: 250)
        let deep = "Documents/\(part)/\(part)/\(part)/\(part)"
        _ = run([
            "/usr/bin/python3", "-c",
            """
            import os, sys
            os.chdir(sys.argv[1])
            for part in sys.argv[2].split('/'):
                os.makedirs(part, exist_ok=True)
                os.chdir(part)
            os.chdir(sys.argv[1])
            open(b'Documents/\\xff\\xfe', 'w')
            """, scratch.file("home"), deep,
        ])
        let reasons = try listed(try scratch.domain("home")).leftOut.map(\.reason.rawValue).sorted()
        #expect(reasons == ["nameNotUTF8", "pathTooLong", "unsupportedKind"])
    }

    @Test func `A database and its log go in as one file, by the copy that is asked for`() throws {
        let scratch = try Scratch()
        try scratch.directory("home/Library")
        // The process ends without closing: its log stays.
        let made = run([
            "/usr/bin/python3", "-c",
            """
            import os, sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute('PRAGMA journal_mode=WAL')
            database.execute('CREATE TABLE t(x)')
            database.commit()
            os._exit(0)
            """, scratch.file("home/Library/notes.db"),
        ])
        #expect(made.status == 0)
        try scratch.write("home/Library/other-wal", "no log of any database")
        let whole = "the copy"
        let tree = try scratch.domain("home") { path, target in
            #expect(path == "Library/notes.db")
            return whole.utf8.withContiguousStorageIfAvailable {
                lx_pwrite(target, $0.baseAddress, UInt64($0.count), 0)
            } == Int64(whole.utf8.count)
        }
        #expect(try listed(tree).paths == ["", "Library", "Library/notes.db", "Library/other-wal"])
        let busy = try scratch.domain("home", copyDatabase: { _, _ in false })
        let report = try scratch.backUp([busy])
        #expect(report.leftOut.map(\.reason) == [.databaseBusy])
        try scratch.restore(scratch.backup, tree.domain, to: "as found")
        for part in ["notes.db", "notes.db-wal"] {
            #expect(try scratch.read("as found/Library/\(part)") == scratch.read("home/Library/\(part)"))
        }
        try scratch.backUp([tree])
        // It has a log: never taken for unchanged.
        #expect(try scratch.backUp([tree]).unchangedFiles == 1)
        try scratch.restore(scratch.backup, tree.domain)
        #expect(try scratch.read("restored/Library/notes.db") == Array(whole.utf8))
    }
}
