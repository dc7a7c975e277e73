import Foundation
import Posix
import TestKit
import Testing

@testable import Doctor

/// Paths of containers in databases, whose apps may use them meanwhile.
@Suite struct DatabaseSearchTests {
    private let name = "Library/notes.sqlite"

    private func report(_ patient: borrowing Patient) -> DatabaseReport { patient.databases.search(name) }

    private func places(_ report: DatabaseReport) -> [String] {
        report.matches.map { match in
            "\(match.table).\(match.column) \(match.row.map { "\($0)" } ?? "-") x\(match.count)"
        }.sorted()
    }

    @Test func everyTableIsSearchedInEveryEncoding() throws {
        for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
            let patient = try Patient()
            try patient.database(
                name,
                """
                PRAGMA encoding='\(encoding)'; CREATE TABLE "a ""b"(rowid, "c d" TEXT, n);
                INSERT INTO "a ""b" VALUES('x', 'fine', 7), ('y', '/ü/\(Patient.current)/a', NULL);
                INSERT INTO "a ""b" VALUES('z', '\(Patient.current)', 7), ('z', '\(Patient.foreign)', 7);
                CREATE TABLE w(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;
                INSERT INTO w VALUES('k', CAST('\(Patient.former)' AS BLOB));
                CREATE TABLE o(rowid, oid, _rowid_); INSERT INTO o VALUES(1, 2, '\(Patient.current)');
                CREATE TABLE gone(v); INSERT INTO gone VALUES('\(Patient.current)'); DELETE FROM gone;
                CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT i FROM n;
                """)
            let report = report(patient)
            #expect(report.outcome == .examined)
            #expect(places(report) == ["a \"b.c d 2 x2", "o._rowid_ - x1", "w.v - x1"], "\(encoding)")
        }
    }

    /// Texts are cut where a page ends, and values are read in parts.
    @Test func aLongValueIsSearchedToItsEnd() throws {
        let patient = try Patient()
        try patient.database(
            name,
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO t SELECT i, printf('%.*c', 4020 + i, '.') || '\(Patient.current)', 1 FROM n;
            INSERT INTO t VALUES(-5, 1, zeroblob(3000000) || CAST('\(Patient.former)' AS BLOB));
            INSERT INTO t VALUES(100, printf('%.*c', 3000000, '.') || '\(Patient.former)', NULL);
            """)
        let report = report(patient)
        #expect(report.outcome == .examined)
        #expect(places(report) == ["t.b 1 x60", "t.b 100 x1", "t.c -5 x1"])
    }

    @Test func whatADatabaseHasDeletedIsNotFoundInItsPages() throws {
        let patient = try Patient()
        try patient.database(
            name,
            """
            PRAGMA secure_delete=OFF; CREATE TABLE t(a); INSERT INTO t VALUES('\(Patient.current)'), ('x');
            DELETE FROM t WHERE a <> 'x';
            """)
        let bytes = try Data(contentsOf: URL(filePath: patient.path(name)))
        try #require(bytes.firstRange(of: Data(Patient.current.utf8)) != nil)
        #expect(try patient.codes() == [:])
    }

    /// With the lock that keeps everybody else out, and nothing written yet.
    @Test func anAppThatHasItLockedKeepsNothingBackAndIsKeptFromNothing() throws {
        let patient = try Patient()
        try patient.database(
            name,
            """
            CREATE TABLE t(a); INSERT INTO t VALUES('\(Patient.current)');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO t SELECT randomblob(400) FROM n;
            """)
        let app = try SQLiteProgram(patient.path(name))
        // Each page that is spilled would wait for the disk.
        try app.run("PRAGMA synchronous=OFF; PRAGMA busy_timeout=0; PRAGMA cache_size=5; BEGIN EXCLUSIVE;")
        #expect(places(report(patient)) == ["t.a 1 x1"])
        // Spilled into the file, which is of no moment until its journal is gone.
        try app.run("UPDATE t SET a = randomblob(500) WHERE rowid > 1;")
        #expect(report(patient).outcome == .inTransaction)
        #expect(try app.run("COMMIT; SELECT count(*) FROM t;") == ["2001"])
        let after = report(patient)
        #expect(after.outcome == .examined && places(after) == ["t.a 1 x1"])
    }

    /// It waits for no lock, as an app does not by itself: where one were taken, a statement would fail.
    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func anAppThatWritesAllTheTimeNeverMeetsALock(mode: String) throws {
        let patient = try Patient()
        try patient.database(
            name,
            """
            PRAGMA journal_mode=\(mode); CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, hex(randomblob(100)) FROM n;
            INSERT INTO t VALUES(30000, '\(Patient.current)');
            """)
        let app = try SQLiteProgram(patient.path(name))
        try app.run("PRAGMA busy_timeout=0;")
        let path = patient.path(name)
        let reports = Lock<[DatabaseReport]>([])
        let reader = Joined(
            try NativeThread(name: "reader") {
                for _ in 0..<2 {
                    let report = Self.search(path, retries: 15)
                    reports.withLock { $0.append(report) }
                }
            })
        var said: Set<String> = []
        while reports.withLock(\.count) < 2 {
            // The second is spilled, and taken back.
            said.formUnion(
                try app.run(
                    """
                    UPDATE t SET b = b || 'x' WHERE a = abs(random() % 5000);
                    PRAGMA cache_size=5; BEGIN; UPDATE t SET b = 'no' WHERE a % 50 = 0; ROLLBACK;
                    """))
        }
        reader.join()
        #expect(said == [], "\(mode)")
        for report in reports.withLock({ $0 }) {
            // In the middle of a change it says so, and never finds what is not there.
            #expect([.examined, .changing, .inTransaction].contains(report.outcome), "\(report)")
            if report.outcome == .examined { #expect(places(report) == ["t.b 30000 x1"]) }
        }
        if mode == "WAL" { #expect(reports.withLock { $0.allSatisfy { $0.outcome == .examined } }) }
        #expect(try app.run("PRAGMA integrity_check;") == ["ok"])
    }

    private static func search(_ path: String, retries: Int) -> DatabaseReport {
        do {
            var search = try DatabaseSearch(
                path, ContainerSearch(known: Patient.book.ids), until: Deadline(seconds: 60), retries: retries
            )
            return search.run()
        } catch {
            return DatabaseReport(.failed)
        }
    }

    @Test func whatIsInTheLogAloneIsFound() throws {
        let patient = try Patient()
        let app = try SQLiteProgram(patient.path(name))
        try app.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a);")
        try app.run("INSERT INTO t VALUES('\(Patient.current)');")
        #expect(places(report(patient)) == ["t.a 1 x1"])
        // A crash leaves log and index.
        app.kill()
        #expect(places(report(patient)) == ["t.a 1 x1"])
        #expect(unlink(patient.path(name) + "-shm") == 0)
        let report = report(patient)
        #expect(report.outcome == .examined && places(report) == ["t.a 1 x1"])
        #expect(access(patient.path(name) + "-shm", F_OK) == -1)
    }

    /// SQLite can read the others, and says of this one alone that it cannot.
    @Test func aTableThatOnlyItsAppCanReadHidesNoOther() throws {
        let patient = try Patient()
        try patient.database(
            name,
            """
            CREATE TABLE a(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE TABLE b(v);
            INSERT INTO b VALUES('\(Patient.current)'); PRAGMA writable_schema=ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'TEXT COLLATE app') WHERE name = 'a';
            """)
        let report = report(patient)
        #expect(report.outcome == .examined && places(report) == ["b.v 1 x1"] && report.unread == ["a"])
        #expect(try patient.codes()["UNEXAMINED"] == [name])
    }

    @Test func onceTheTimeOfARunIsSpentDatabasesAreNotLookedAt() throws {
        let patient = try Patient()
        try patient.database(name, "CREATE TABLE t(a); INSERT INTO t VALUES('\(Patient.current)');")
        let time = DatabaseTime(seconds: 10)
        let share = try #require(time.share(of: patient.path(name)))
        #expect(share.seconds > 10 && share.seconds < 11)
        time.spend(9, of: share)
        #expect(time.share(of: patient.path(name))?.seconds ?? 0 < 2)
        time.spend(2, of: share)
        let databases = DatabaseSearchProcess(
            program: "/bin/false", known: Patient.book.ids, home: patient.mounted.home, time: time)
        #expect(databases.search(name) == DatabaseReport(.outOfTime))
    }

    @Test func whatNoDatabaseIsSaysSo() throws {
        let patient = try Patient()
        #expect(report(patient).outcome == .unreadable)
        #expect(mkfifo(patient.path(name), 0o600) == 0)
        #expect(report(patient).outcome == .unreadable)
    }
}
