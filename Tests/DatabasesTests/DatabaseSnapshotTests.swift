import Glibc
import Posix
import TestKit
import Testing

@testable import Databases

/// What is read of a database without a lock, while its app goes on.
@Suite struct DatabaseSnapshotTests: ~Copyable {
    private let folder: TemporaryFolder
    private let path: String
    private let app: SQLiteProgram
    private let site: DatabaseSite

    init() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/app.sqlite"
        let app = try SQLiteProgram(path)
        try app.run(
            """
            PRAGMA busy_timeout=0; PRAGMA page_size=512; PRAGMA journal_mode=WAL;
            PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO t SELECT i, printf('%.100c', 'a') FROM n; PRAGMA wal_checkpoint;
            """)
        site = try DatabaseSite(path)
        (self.path, self.app) = (path, app)
        self.folder = folder
    }

    private func open(_ snapshot: DatabaseSnapshot) throws -> Connection {
        try Connection(lookingAt: snapshot, until: Deadline(seconds: 60))
    }

    private func names() throws -> [String] {
        try DirectoryEntries.names(in: Descriptor(folder.path, flags: O_DIRECTORY)).map(\.nameText).sorted()
    }

    /// An app may move or copy its file after that.
    @Test func anAppThatClosesMeanwhileLeavesNoLogBehind() throws {
        try app.run("INSERT INTO t VALUES(1000, 'late');")
        let snapshot = try DatabaseSnapshot(of: site)
        let connection = try open(snapshot)
        let rows = try connection.prepare("SELECT a FROM t ORDER BY a DESC")
        let isFirst = try rows.step()
        #expect(isFirst && rows.integer(0) == 1000)
        app.quit()
        #expect(try names() == ["app.sqlite"])
        #expect(try !snapshot.isWhole(asOf: DatabaseSnapshot(of: site)))
        while try rows.step() {}
        // As a file alone.
        #expect(rename(path, folder.path + "/moved") == 0)
        #expect(try SQLiteProgram.run("SELECT count(*) FROM t;", on: folder.path + "/moved") == ["201"])
    }

    /// Its files went between the look at them and the reading.
    @Test func nothingIsEverMadeBesideADatabase() throws {
        try app.run("INSERT INTO t VALUES(1000, 'late');")
        let snapshot = try DatabaseSnapshot(of: site)
        app.quit()
        #expect(throws: Never.self) { try open(snapshot).run("SELECT sum(length(b)) FROM t") }
        #expect(throws: SQLiteError.self) { try open(snapshot).run("INSERT INTO t VALUES(2000, 'x')") }
        #expect(try names() == ["app.sqlite"])
    }

    @Test func whatACommitHasNotTouchedIsStillOfOneMoment() throws {
        try app.run("UPDATE t SET b = printf('%.100c', 'x') WHERE a = 200;")
        let snapshot = try DatabaseSnapshot(of: site)
        let connection = try open(snapshot)
        try connection.run("SELECT b FROM t WHERE a < 50")
        #expect(try snapshot.isSame(as: DatabaseSnapshot(of: site)))
        try app.run("UPDATE t SET b = printf('%.100c', 'y') WHERE a = 150;")
        var now = try DatabaseSnapshot(of: site, after: snapshot)
        #expect(!snapshot.isSame(as: now) && snapshot.isWhole(asOf: now))
        try app.run("UPDATE t SET b = printf('%.100c', 'z') WHERE a = 20;")
        now = try DatabaseSnapshot(of: site, after: now)
        #expect(!snapshot.isWhole(asOf: now))
        let text = try open(now).prepare(
            "SELECT group_concat(substr(b, 1, 1)) FROM t WHERE a IN (20, 150, 200)")
        let isThere = try text.step()
        #expect(isThere && text.text(0) == "z,y,x")
        // What comes into the file then is in the log already. The next commit begins another log.
        try app.run("PRAGMA wal_checkpoint;")
        #expect(try now.isSame(as: DatabaseSnapshot(of: site)))
        try app.run("UPDATE t SET b = 'w' WHERE a = 1;")
        #expect(try !now.isWhole(asOf: DatabaseSnapshot(of: site, after: now)))
    }

    /// Its frames stay in the log, and the next transaction's overwrite them there.
    @Test func whatIsRolledBackInTheLogIsNotRead() throws {
        let before = try DatabaseSnapshot(of: site)
        try app.run("PRAGMA cache_size=1; BEGIN; UPDATE t SET b = printf('%.100c', 'b'); ")
        let meanwhile = try DatabaseSnapshot(of: site, after: before)
        try app.run("ROLLBACK; UPDATE t SET b = 'c' WHERE a = 7;")
        let after = try DatabaseSnapshot(of: site, after: meanwhile)
        for (snapshot, count) in [(meanwhile, 0), (after, 1)] {
            let rows = try open(snapshot).prepare(
                "SELECT count(*), sum(b LIKE 'b%') FROM t WHERE b NOT LIKE 'a%'")
            let isThere = try rows.step()
            #expect(isThere && rows.integer(0) == Int64(count) && rows.integer(1) ?? 0 == 0)
        }
    }

    @Test func aHugeSchemaIsNotRead() throws {
        try app.run(
            """
            PRAGMA writable_schema=ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            WHERE i < 16000) INSERT INTO sqlite_schema SELECT 'table', 't' || i, 't' || i, 2,
            'CREATE TABLE t' || i || '(a)' FROM n;
            """)
        do {
            _ = try open(DatabaseSnapshot(of: site))
            Issue.record("it was read")
        } catch let error as SQLiteError {
            #expect(error.isTooLarge)
        }
    }

    @Test func whatTakesTooLongEnds() throws {
        let connection = try Connection(
            lookingAt: DatabaseSnapshot(of: site), until: Deadline(seconds: 0.1))
        do {
            try connection.run(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
            Issue.record("it has an end")
        } catch { #expect(error.isInterrupt) }
    }
}
