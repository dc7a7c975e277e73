import Foundation
import TestKit
import Testing

/// `apphome snapshot` and `apphome diff`.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SnapshotTests {
    private struct Site: ~Copyable {
        let place: Workplace
        let home: String

        init(_ place: consuming Workplace) {
            home = place.path + "/home"
            self.place = place
        }

        static func make(group: String? = nil) throws -> Site {
            let site = Site(try Workplace())
            let groups = group.map { ["--group", $0] } ?? []
            #expect(try apphome(["new", "Notes"] + groups, in: site.place.device).status == 0)
            #expect(try site.place.run("mount", "Notes", site.home, "--no-sync").status == 0)
            return site
        }

        func write(_ text: String, _ path: String) throws {
            let url = URL(filePath: home + "/" + path)
            try Data(text.utf8).write(to: url)
        }

        /// What `diff` prints since the snapshot.
        func changes(since name: String) throws -> [String] {
            let found = try place.run("diff", "Notes", name)
            #expect(found.status == 0, "\(found)")
            return found.output.split(separator: "\n").map(String.init)
        }

        func snapshot(_ name: String) throws {
            let taken = try place.run("snapshot", "Notes", name)
            #expect(taken.status == 0 && taken.errors == "", "\(taken)")
        }

        func database(_ statements: String) throws {
            let program = try SQLiteProgram(home + "/Documents/notes.sqlite")
            #expect(try program.run(statements) == [])
        }
    }

    private func fill(_ site: borrowing Site) throws {
        try site.database(
            """
            CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, done INTEGER);
            CREATE TABLE tags (name TEXT PRIMARY KEY, color BLOB) WITHOUT ROWID;
            INSERT INTO notes VALUES (1, 'plums', 0), (2, 'pears', 0), (3, 'figs', 0);
            INSERT INTO tags VALUES ('Fruit', x'00'), ('fruit', x'01');
            """)
        let write = try site.place.run("defaults", "write", "Notes", "volume", "-float", "0.5")
        #expect(write.status == 0, "\(write)")
        for name in ["kept", "edited", "old", "gone", "flagged"] { try site.write(name, "Documents/\(name)") }
        // Whatever mask this process has after other tests.
        #expect(chmod(site.home + "/Documents/kept", 0o644) == 0)
        #expect(mkdir(site.home + "/Documents/folder", 0o755) == 0)
        try site.write("in", "Documents/folder/in")
    }

    @Test func aRunIsNamedExactly() throws {
        let site = try Site.make()
        try fill(site)
        try site.snapshot("before")
        #expect(try site.changes(since: "before") == [])
        // What an app does.
        try site.database(
            """
            INSERT INTO notes VALUES (4, 'it''s', NULL);
            UPDATE notes SET title = 'Pears' WHERE id = 2;
            DELETE FROM notes WHERE id = 3;
            UPDATE tags SET color = x'02' WHERE name = 'fruit';
            """)
        #expect(try site.place.run("defaults", "write", "Notes", "volume", "-float", "0.7").status == 0)
        #expect(try site.place.run("defaults", "write", "Notes", "recent", "-array", "a").status == 0)
        try site.write("more", "Documents/new")
        try site.write("Edited", "Documents/edited")
        #expect(rename(site.home + "/Documents/old", site.home + "/Documents/renamed") == 0)
        #expect(rename(site.home + "/Documents/folder", site.home + "/Documents/moved") == 0)
        #expect(unlink(site.home + "/Documents/gone") == 0)
        #expect(chmod(site.home + "/Documents/kept", 0o600) == 0)
        #expect(try site.place.run("skip-backup", "set", site.home + "/Documents/flagged").status == 0)
        let expected = [
            "changed  Documents/edited: content", "changed  Documents/flagged: skip-backup set",
            "deleted  Documents/gone: 4 B", "changed  Documents/kept: mode 644 -> 600",
            "renamed  Documents/moved: was Documents/folder", "added    Documents/new: 4 B",
            "changed  Documents/notes.sqlite: content",
            "  notes: 1 row inserted, 1 row changed, 1 row deleted",
            "    id=2: title 'pears' -> 'Pears'", "    - id=3 done=0 title='figs'",
            "    + id=4 done=NULL title='it''s'",
            "  tags: 1 row changed", "    name='fruit': color x'01' -> x'02'",
            "renamed  Documents/renamed: was Documents/old",
            "changed  Library/Preferences/local.Notes.plist: content (62 B -> 78 B)",
            "  + recent: ( a )", "  volume: 0.5 -> 0.7",
        ]
        let found = try site.changes(since: "before")
        #expect(found == expected)
        // The same between two that are kept, and as an exit status.
        try site.snapshot("after")
        let kept = try site.place.run("diff", "Notes", "before", "after", "--exit-code")
        #expect(
            kept.status == 1 && kept.output.split(separator: "\n").map(String.init) == expected, "\(kept)")
        let same = try site.place.run("diff", "Notes", "after", "--exit-code")
        #expect(same.status == 0 && same.output == "", "\(same)")
    }

    @Test func aDatabaseWhoseRowsAreTheSameSaysSo() throws {
        let site = try Site.make()
        try fill(site)
        try site.snapshot("before")
        try site.database("VACUUM")
        #expect(
            try site.changes(since: "before") == ["changed  Documents/notes.sqlite: its file alone, no row"])
    }

    /// It is open, and what it wrote last lies in its log.
    @Test func aDatabaseInUseIsComparedWithItsLog() throws {
        let site = try Site.make()
        let app = try SQLiteProgram(site.home + "/Documents/used.sqlite")
        try app.run("PRAGMA journal_mode = WAL")
        #expect(try app.run("CREATE TABLE t (a); INSERT INTO t VALUES (1)") == [])
        try site.snapshot("before")
        #expect(try app.run("INSERT INTO t VALUES (2)") == [])
        let expected = [
            "changed  Documents/used.sqlite: content", "  t: 1 row inserted", "    + rowid=2 a=2",
        ]
        #expect(try site.changes(since: "before") == expected)
    }

    @Test func snapshotsAreListedAndDeleted() throws {
        let site = try Site.make()
        try site.snapshot("one")
        let again = try site.place.run("snapshot", "Notes", "one")
        #expect(again.status == 1 && again.errors.contains("--delete one"), "\(again)")
        for name in ["../one", ".one", "a/b", ""] {
            let refused = try site.place.run("snapshot", "Notes", name)
            #expect(refused.status == 1 && refused.errors.contains("no name of a snapshot"), "\(refused)")
        }
        try site.snapshot("two")
        let listed = try site.place.run("snapshot", "Notes", "--list")
        let listing = listed.output.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(listing == ["one", "two"], "\(listed)")
        #expect(try site.place.run("snapshot", "Notes", "--delete", "one").status == 0)
        let missing = try site.place.run("diff", "Notes", "one")
        #expect(missing.status == 1 && missing.errors.contains("has no snapshot one"), "\(missing)")
        #expect(try site.place.run("unmount", site.home).status == 0)
        let folder = site.place.device + "/Snapshots/local.Notes"
        #expect(try names(folder) == ["two"] && names(site.place.device + "/Staging") == [])
        #expect(try site.place.run("uninstall", "Notes", "--yes").status == 0)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func whatIsInAGroupIsNamedWithIt() throws {
        let site = try Site.make(group: "group.local.shared")
        try site.snapshot("before")
        let group = try site.place.run("group", "path", "Notes", "group.local.shared")
        let path = group.output.trimmingCharacters(in: .newlines)
        try Data("x".utf8).write(to: URL(filePath: path + "/Library/shared"))
        #expect(
            try site.changes(since: "before") == ["added    [group.local.shared] Library/shared: 1 B"],
            "\(group)")
    }
}
