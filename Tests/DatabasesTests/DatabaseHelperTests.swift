import CLinux
import Databases
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

/// Copies of databases that an app has open, by a helper process, through a real mount.
@Suite struct DatabaseHelperTests {
    private let helper = DatabaseHelper(
        program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path)

    /// Rows enough that a transaction does not fit in a small cache.
    private static let fill = """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT i, randomblob(400) FROM n;
        """

    private func copy(_ path: String, to target: String) throws -> DatabaseOutcome {
        let file = try Descriptor(target, flags: lx_o_rdwr | lx_o_creat | lx_o_trunc, mode: 0o600)
        return helper.copy(path, to: file.raw)
    }

    private func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test(arguments: [true, false])
    func aCopyDuringAnAppsTransactionHarmsNeither(throughMount: Bool) throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        let name = "/Documents/d.sqlite"
        let app = try SQLiteProgram(mounted.home + name)
        let backing = mounted.container + name
        try app.run("PRAGMA journal_mode=DELETE; PRAGMA cache_size=5;" + Self.fill)
        // Reserved, and nothing of it in the file: what was committed is read.
        #expect(try app.run("BEGIN IMMEDIATE; INSERT INTO t VALUES(9000, 'x');") == [])
        if throughMount {
            #expect(try copy(mounted.home + name, to: folder.path + "/early") == .done)
            #expect(try count(folder.path + "/early") == ["2000"])
        }
        // Spilled into the file, which only the journal makes whole again.
        #expect(try app.run("UPDATE t SET b = randomblob(500);") == [])
        #expect(access(backing + "-journal", F_OK) == 0)
        let outcome = try copy(throughMount ? mounted.home + name : backing, to: folder.path + "/late")
        if throughMount {
            #expect(outcome == .busy)
            #expect(access(backing + "-journal", F_OK) == 0)
            #expect(try app.run("COMMIT; PRAGMA integrity_check; SELECT count(*) FROM t;") == ["ok", "2001"])
            #expect(try copy(mounted.home + name, to: folder.path + "/late") == .done)
            #expect(try count(folder.path + "/late") == ["2001"])
        } else {
            // By the backing path the journal of a transaction under way looks like a dead program's.
            #expect(access(backing + "-journal", F_OK) == -1)
            let answers = try app.run("COMMIT; PRAGMA integrity_check; SELECT count(*) FROM t;")
            #expect(answers != ["ok", "2001"])
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func rootsHelperForAUserHasThatUsersRights() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/d.sqlite"
        try SQLiteProgram(path).run("PRAGMA journal_mode=DELETE; CREATE TABLE t(a);")
        #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o600) == 0)
        let helper = DatabaseHelper(
            program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path,
            rights: UserRights(userID: 4711, groupID: 4711))
        let target = try Descriptor(folder.path + "/copy", flags: lx_o_rdwr | lx_o_creat, mode: 0o600)
        #expect(helper.copy(path, to: target.raw) == .unreadable)
        #expect(chown(folder.path, 4711, 4711) == 0 && chown(path, 4711, 4711) == 0)
        #expect(helper.copy(path, to: target.raw) == .done)
        #expect(try count(folder.path + "/copy") == ["0"])
    }

    /// By whom it runs as; the clock that would end it is stopped too.
    @Test func whatIsStoppedIsEndedInTime() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/stopped"
        try write("#!/bin/sh\nkill -STOP $$\n", to: program)
        #expect(chmod(program, 0o755) == 0)
        let helper = DatabaseHelper(program: program, limitSeconds: 0.5)
        let target = try Descriptor(folder.path + "/copy", flags: lx_o_rdwr | lx_o_creat, mode: 0o600)
        let start = ContinuousClock.now
        #expect(helper.copy(folder.path + "/d", to: target.raw) == .failed)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    /// It holds locks that the app waits for.
    @Test func whatSyncStartsHasAnOrdinaryPriority() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/priority"
        try write("#!/bin/sh\nnice >&3\n", to: program)
        #expect(chmod(program, 0o755) == 0)
        let helper = DatabaseHelper(program: program)
        let copy = folder.path + "/copy"
        let target = try Descriptor(copy, flags: lx_o_rdwr | lx_o_creat, mode: 0o600)
        let ordinary = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        let (raw, database) = (target.raw, folder.path + "/d")
        Joined(
            try NativeThread(name: "low") {
                NativeThread.yieldToOthers()
                _ = helper.copy(database, to: raw)
            }
        ).join()
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "\(ordinary)\n")
    }

    @Test func whatAnAppInWALModeCommittedIsInTheCopyAndInItsDatabaseAfterAKill() throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        let path = mounted.documents + "/d.sqlite"
        let backing = mounted.container + "/Documents/d.sqlite"
        let app = try SQLiteProgram(path)
        try app.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;" + Self.fill)
        for row in 0..<50 { try app.run("INSERT INTO t VALUES(\(row + 5000), 'acknowledged');") }
        // Spilled frames of a transaction that has not committed.
        try app.run("PRAGMA cache_size=5; BEGIN; UPDATE t SET b = randomblob(500) WHERE a < 1000;")
        let before = (try data(backing), try data(backing + "-wal"))
        #expect(try copy(path, to: folder.path + "/copy") == .done)
        #expect(try data(backing) == before.0)
        #expect(try data(backing + "-wal") == before.1)
        #expect(try count(folder.path + "/copy") == ["2050"])
        try app.run("ROLLBACK;")
        app.kill()
        let again = try SQLiteProgram.run(
            "SELECT count(*) FROM t; PRAGMA integrity_check; PRAGMA wal_checkpoint(TRUNCATE);", on: path)
        #expect(again == ["2050", "ok", "0|0|0"])
        // Byte for byte what the file is once its log is checked in.
        #expect(access(backing + "-wal", F_OK) == -1)
        let copied = try data(folder.path + "/copy")
        let recovered = try data(backing)
        #expect(copied == recovered)
    }

    @Test func aLogThatIsBeingCheckedInAndBegunAnewIsCopiedWhole() throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        let path = mounted.documents + "/d.sqlite"
        let app = try SQLiteProgram(path)
        let sum = "SELECT sum(length(hex(b))) + count(*) FROM t"
        try app.run("PRAGMA journal_mode=WAL;" + Self.fill + "CREATE TABLE s AS \(sum);")
        let copies = folder.path
        let helper = helper
        let outcomes = Lock<[DatabaseOutcome]>([])
        let copier = Joined(
            try NativeThread(name: "copier") {
                for round in 0..<6 {
                    let flags = lx_o_rdwr | lx_o_creat
                    let file = lx_openat(lx_at_fdcwd, copies + "/\(round)", flags, 0o600)
                    let outcome = helper.copy(path, to: file)
                    _ = lx_close(file)
                    outcomes.withLock { $0.append(outcome) }
                }
            })
        // Both tables change in each transaction, so that a torn copy shows.
        while outcomes.withLock(\.count) < 6 {
            try app.run(
                """
                BEGIN; UPDATE t SET b = randomblob(400) WHERE a % 7 = abs(random() % 7);
                DELETE FROM s; INSERT INTO s \(sum); COMMIT;
                """)
        }
        copier.join()
        let all = outcomes.withLock { $0 }
        #expect(all.allSatisfy { $0 == .done })
        for round in 0..<6 {
            let answer = try SQLiteProgram.run(
                "PRAGMA integrity_check; SELECT (\(sum)) - (SELECT * FROM s);",
                on: folder.path + "/\(round)")
            #expect(answer == ["ok", "0"])
        }
    }

    @Test func whatIsNoDatabaseIsSaidSo() throws {
        let folder = try TemporaryFolder()
        try write("SQLite format 3\0 and then nothing that makes sense", to: folder.path + "/d")
        #expect(try copy(folder.path + "/d", to: folder.path + "/copy") == .unreadable)
        #expect(try copy(folder.path + "/absent", to: folder.path + "/copy") == .unreadable)
        #expect(access(folder.path + "/absent", F_OK) == -1)
    }

    /// What it names is a place in the app's sandbox, and SQLite would remove it here.
    @Test(arguments: [true, false]) func aJournalThatNamesAnotherIsLeftToItsApp(isThere: Bool) throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        let path = mounted.documents + "/d.sqlite"
        let app = try SQLiteProgram(path)
        try app.run("PRAGMA journal_mode=DELETE; PRAGMA cache_size=5;" + Self.fill)
        try app.run("BEGIN; UPDATE t SET b = randomblob(500);")
        app.kill()
        let other = folder.path + "/other"
        if isThere { try write("of nobody here", to: other) }
        let journal = try Descriptor(path + "-journal", flags: lx_o_wronly | lx_o_append)
        try journal.writeAll(Self.naming(other))
        let before = (try data(path), try data(path + "-journal"))
        #expect(try copy(path, to: folder.path + "/copy") == .busy)
        #expect(helper.checkpoint(path) == .busy)
        #expect(access(other, F_OK) == (isThere ? 0 : -1))
        #expect(try data(path) == before.0 && data(path + "-journal") == before.1)
    }

    /// The end of a journal that belongs to another one (SQLite's file format, "The Rollback Journal").
    private static func naming(_ other: String) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        let sum = other.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
        return number((1 << 30) / 4096 + 1) + Array(other.utf8) + number(UInt32(other.utf8.count))
            + number(sum) + [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    }

    @Test func noLinkInItsPathLeadsElsewhere() throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        _ = try SQLiteProgram.run(Self.fill, on: folder.path + "/d.sqlite")
        let documents = mounted.documents
        #expect(symlink(folder.path, documents + "/folder") == 0)
        #expect(symlink(folder.path + "/d.sqlite", documents + "/d.sqlite") == 0)
        for path in ["/folder/d.sqlite", "/d.sqlite"] {
            #expect(try copy(documents + path, to: folder.path + "/copy") == .unreadable)
        }
    }

    @Test(arguments: ["DELETE", "WAL"]) func aFIFOBesideItKeepsNobodyWaiting(mode: String) throws {
        let mounted = try MountedHome()
        let folder = try TemporaryFolder()
        let path = mounted.documents + "/d.sqlite"
        _ = try SQLiteProgram.run("PRAGMA journal_mode=\(mode);" + Self.fill, on: path)
        #expect(mkfifo(path + (mode == "WAL" ? "-wal" : "-journal"), 0o600) == 0)
        let helper = DatabaseHelper(
            program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path, limitSeconds: 10)
        let target = try Descriptor(folder.path + "/copy", flags: lx_o_rdwr | lx_o_creat, mode: 0o600)
        #expect(helper.copy(path, to: target.raw) == .unreadable)
    }

    @Test func whoUnmountsKeepsTheHelperAwayForAWhile() throws {
        let folder = try TemporaryFolder()
        _ = try SQLiteProgram.run(Self.fill, on: folder.path + "/d")
        helper.interrupt()
        #expect(try copy(folder.path + "/d", to: folder.path + "/copy") == .busy)
        helper.interrupt(forSeconds: 0)
        #expect(try copy(folder.path + "/d", to: folder.path + "/copy") == .done)
    }

    private func count(_ path: String) throws -> [String] {
        try SQLiteProgram.run("SELECT count(*) FROM t; PRAGMA integrity_check;", on: path).dropLast()
            .map { $0 }
    }
}
