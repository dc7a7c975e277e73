import CLinux
import CloudSync
import Databases
import Foundation
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@testable import SyncContent
@testable import SyncLog

/// Databases under a live mount: read as a unit, never replaced under an open one or beside a stale log.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct HomeDiskDatabaseTests {
    private static let path = LocalPath("d.sqlite")

    /// Leaves a row in the log alone.
    private static let loggedRow = """
        PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
        CREATE TABLE t(a); INSERT INTO t VALUES('mine');
        """

    /// A database's bytes with that many rows.
    private func bytes(rows: Int, _ word: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        _ = try SQLiteProgram.run(
            """
            PRAGMA journal_mode=WAL; CREATE TABLE t(a);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT '\(word) ' || i FROM n;
            """, on: folder.path + "/d")
        return [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/d")))
    }

    private func place(
        _ bytes: [UInt8], _ fixture: borrowing HomeDiskFixture, displacing: Fingerprint?, as name: String
    ) throws {
        let staged = try fixture.disk.stage(as: name)
        try staged.append(bytes)
        _ = try fixture.disk.place(
            staged, at: Self.path, attributes: Attributes(mode: 0o644, modified: 1), displacing: displacing)
    }

    private func answers(_ statements: String, _ fixture: borrowing HomeDiskFixture) throws -> [String] {
        try SQLiteProgram.run(statements, on: fixture.documents + "/d.sqlite")
    }

    private func read(_ fixture: borrowing HomeDiskFixture, _ fingerprint: Fingerprint) throws -> (
        [UInt8], Fingerprint
    ) {
        var bytes: [UInt8] = []
        let answer = try fixture.disk.read(Self.path, expecting: fingerprint) { bytes += $0 }
        return (bytes, answer)
    }

    /// Tries again while the kernel has not told yet that nobody has the database any more: of a process that
    /// was killed, or of the helper.
    private func onceUnused<R>(_ body: () throws -> R) throws -> R {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do { return try body() } catch LocalError.inUse where ContinuousClock.now < deadline {
                usleep(20_000)
            }
        }
    }

    @Test func anOpenDatabaseIsReadAsACopyAtMostEveryHalfMinute() throws {
        let fixture = try HomeDiskFixture(hasDatabases: true)
        let app = try SQLiteProgram(fixture.documents + "/d.sqlite")
        try app.run("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1);")
        #expect(try fixture.changes().paths.contains(Self.path))
        let item = try fixture.item("d.sqlite")
        #expect(!item.isBeingWritten)
        let (bytes, answer) = try read(fixture, item.fingerprint)
        #expect(answer == item.fingerprint)
        #expect(DatabaseFile.isDatabase(header: bytes))
        // In parts, of the same copy, whatever the app does.
        try app.run("INSERT INTO t VALUES(2);")
        #expect(
            try fixture.disk.read(Self.path, 100..<300, expecting: answer) == Array(bytes[100..<300]))
        let changed = try fixture.item("d.sqlite")
        #expect(changed.isBeingWritten && changed.fingerprint != answer)
        #expect(throws: LocalError.inUse) { try read(fixture, changed.fingerprint) }
        var told = 0
        for _ in 0..<8 {
            fixture.clock.move(seconds: 8)
            if fixture.disk.takeChanges().paths.contains(Self.path) { told += 1 }
        }
        #expect(told >= 1)
        #expect(try !fixture.item("d.sqlite").isBeingWritten)
        _ = try read(fixture, changed.fingerprint)
        app.quit()
        // Its log is checked in by the last close: other times, the same bytes as the copy's.
        #expect(try fixture.changes().paths.contains(Self.path))
        let (closed, _) = try read(fixture, try fixture.item("d.sqlite").fingerprint)
        #expect(closed.count >= bytes.count)
        #expect(access(fixture.documents + "/d.sqlite-wal", F_OK) == -1)
    }

    @Test func anOpenDatabaseIsNotReplacedMovedOrRemoved() throws {
        let fixture = try HomeDiskFixture(hasDatabases: true)
        let app = try SQLiteProgram(fixture.documents + "/d.sqlite")
        try app.run("CREATE TABLE t(a);")
        fixture.mounted.waitForLastRequest()
        let expected = try fixture.item("d.sqlite").fingerprint
        let remote = try bytes(rows: 10, "remote")
        #expect(throws: LocalError.inUse) {
            try place(remote, fixture, displacing: expected, as: "1")
        }
        #expect(throws: LocalError.inUse) {
            try fixture.disk.move(Self.path, to: LocalPath("e"), expecting: expected)
        }
        #expect(throws: LocalError.inUse) {
            try fixture.disk.remove(Self.path, expecting: expected, displacedAs: "2")
        }
        #expect(try app.run("INSERT INTO t VALUES(1); SELECT count(*) FROM t;") == ["1"])
        app.quit()
        fixture.mounted.waitForLastRequest()
        _ = fixture.disk.takeChanges()
        fixture.clock.move(seconds: 1)
        // Told, so that who was refused comes again.
        #expect(fixture.disk.takeChanges().paths.contains(Self.path) || fixture.disk.wakeAt == nil)
        try place(remote, fixture, displacing: try fixture.item("d.sqlite").fingerprint, as: "3")
        #expect(try answers("SELECT count(*) FROM t; PRAGMA integrity_check;", fixture) == ["10", "ok"])
    }

    @Test(arguments: [true, false]) func aStaleLogNeverMeetsARemoteVersion(holds: Bool) throws {
        let rules = SafetyRules(removed: holds ? [] : [.staleLogsAreRemoved])
        let fixture = try HomeDiskFixture(rules: rules, hasDatabases: true)
        let app = try SQLiteProgram(fixture.documents + "/d.sqlite")
        try app.run(Self.loggedRow)
        app.kill()
        fixture.mounted.waitForLastRequest()
        let remote = try bytes(rows: 15_000, "remote")
        let check = "SELECT count(*) FROM t; PRAGMA integrity_check;"
        guard holds else {
            // What the directory says of the file alone is what a disk without the rule compares.
            let main = try fixture.backingFingerprint("d.sqlite")
            try place(remote, fixture, displacing: main, as: "1")
            #expect(try answers(check, fixture) != ["15000", "ok"])
            return
        }
        let before = try fixture.item("d.sqlite").fingerprint
        // The log is checked in first: then there is something new to compare.
        #expect(throws: LocalError.changed) {
            try onceUnused { try place(remote, fixture, displacing: before, as: "1") }
        }
        #expect(access(fixture.backing + "/d.sqlite-wal", F_OK) == -1)
        // Killed here, the old one is whole.
        let now = try fixture.item("d.sqlite").fingerprint
        let (old, _) = try onceUnused { try read(fixture, now) }
        try onceUnused { try place(remote, fixture, displacing: now, as: "2") }
        #expect(try answers(check, fixture) == ["15000", "ok"])
        // Killed there, the new one is; and what it displaced waits in staging.
        let displaced = try fixture.disk.takeDisplaced()
        #expect(displaced.map(\.name) == ["2"])
        var bytes: [UInt8] = []
        try fixture.disk.readDisplaced(displaced[0]) { bytes += $0 }
        #expect(bytes == old)
    }

    @Test func aNewDatabaseDoesNotInheritALogThatLaysThere() throws {
        let fixture = try HomeDiskFixture(hasDatabases: true)
        let app = try SQLiteProgram(fixture.documents + "/d.sqlite")
        try app.run(Self.loggedRow)
        app.kill()
        #expect(unlink(fixture.documents + "/d.sqlite") == 0)
        fixture.mounted.waitForLastRequest()
        try place(try bytes(rows: 20, "remote"), fixture, displacing: nil, as: "1")
        #expect(try answers("SELECT count(*) FROM t; PRAGMA integrity_check;", fixture) == ["20", "ok"])
    }
}
