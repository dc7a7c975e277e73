import Foundation
import Glibc
import Posix
import TestKit
import Testing

/// `apphome backup create` and `list`, with apps that run.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BackupCommandTests {
    @Test(arguments: [false, true])
    func aPublicReaderFindsInABackupWhatTheContractSaysAndNothingElse(encrypted: Bool) throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--group", "group.shared")
        try place.run("new", "Ledger")
        try place.run("mount", "Notes", place.path + "/m", "--no-sync")
        try place.write("kept", to: "m/Documents/d/a")
        try place.write("kept too", to: "m/Library/Application Support/b")
        try place.write("no", to: "m/Library/Caches/c")
        try place.write("no", to: "m/tmp/t")
        try place.write("no", to: "m/Documents/flagged/below/f")
        #expect(try place.run("skip-backup", "set", place.path + "/m/Documents/flagged").status == 0)
        var arguments = ["backup", "create", "--to", place.backups, "--json"]
        if encrypted { arguments += ["--encrypt", "--password-file", try place.passwordFile()] }
        let made = try apphome(arguments, in: place.device)
        #expect(made.status == 0 && made.output.contains("\"files\" : 2"), "\(made)")
        #expect(made.output.contains("\"flagged\" : 1"), "\(made)")
        let items = try BackupProgram.extract(
            place.backup(), to: place.path + "/out", password: encrypted ? "secret" : nil)
        let notes = "AppDomain-local.Notes"
        #expect(
            items == [
                "\(notes)/", "\(notes)/Documents", "\(notes)/Documents/d", "\(notes)/Documents/d/a",
                "\(notes)/Library", "\(notes)/Library/Preferences", "\(notes)/Library/Application Support",
                "\(notes)/Library/Application Support/b", "AppDomain-local.Ledger/",
                "AppDomain-local.Ledger/Documents", "AppDomain-local.Ledger/Library",
                "AppDomain-local.Ledger/Library/Preferences", "AppDomainGroup-group.shared/",
                "AppDomainGroup-group.shared/Library", "AppDomainGroup-group.shared/Library/Preferences",
            ])
        #expect(place.read("out/\(notes)/Documents/d/a") == "kept")
        let listed = try apphome(
            ["backup", "list", place.backups, "--json"]
                + (encrypted ? ["--password-file", place.path + "/password"] : []), in: place.device)
        #expect(listed.output.contains("\"identifier\" : \"group.shared\""), "\(listed)")
    }

    @Test func anEncryptedBackupIsNotListedWithoutItsPassword() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let file = try place.passwordFile()
        #expect(
            try place.run(
                "backup", "create", "--to", place.backups, "--encrypt", "--password-file", file
            ).status == 0)
        try place.write("wrong", to: "wrong")
        let wrong = try place.run(
            "backup", "list", place.backups, "--password-file", place.path + "/wrong")
        #expect(wrong.status == 1 && wrong.errors.contains("password"), "\(wrong)")
        #expect(wrong.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func aDatabaseThatIsWrittenMeanwhileIsInTheBackupAsOneSoundFile(mode: String) throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/m", "--no-sync")
        let database = place.path + "/m/Documents/d.sqlite"
        _ = try SQLiteProgram.run("PRAGMA journal_mode=\(mode); CREATE TABLE t (x, y);", on: database)
        let writer = try DatabaseWriter(database, stop: place.path + "/stop")
        var last = 0
        for round in 0..<Self.rounds {
            #expect(eventually { (try? writer.rows()) ?? 0 > last })
            let made = try place.run("backup", "create", "--to", place.backups, "--json")
            #expect(made.status == 0 && made.output.contains("\"leftOutCount\" : 0"), "\(made)")
            let blob = try blob(of: "AppDomain-local.Notes", "Documents/d.sqlite", in: place.backup())
            let copy = place.path + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: blob, toPath: copy)
            let found = try SQLiteProgram.run("PRAGMA integrity_check; SELECT max(rowid) FROM t;", on: copy)
            #expect(found.first == "ok", "round \(round): \(found)")
            let count = Int(found.last ?? "") ?? 0
            #expect(count >= last, "round \(round)")
            last = count
        }
        writer.end()
        #expect(last > 0)
        let beside = try SQLiteProgram.run(
            "SELECT count(*) FROM Files WHERE relativePath LIKE '%d.sqlite-%';",
            on: place.backup() + "/Manifest.db")
        #expect(beside == ["0"])
        let check = try SQLiteProgram.run("PRAGMA integrity_check;", on: database)
        #expect(check == ["ok"])
    }

    /// More by a variable, for a long run.
    private static var rounds: Int {
        getenv("APPHOME_BACKUP_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 5
    }

    private func blob(of domain: String, _ path: String, in backup: String) throws -> String {
        let rows = try SQLiteProgram.run(
            "SELECT fileID FROM Files WHERE domain = '\(domain)' AND relativePath = '\(path)';",
            on: backup + "/Manifest.db")
        let id = try #require(rows.first)
        return "\(backup)/\(id.prefix(2))/\(id)"
    }

    @Test func theGateRefusesABackupThatIsTooLargeWithStatusThreeAndWritesNothing() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/m", "--no-sync")
        try place.write(String(repeating: "x", count: 5000), to: "m/Documents/large")
        let dry = try place.run("backup", "create", "--dry-run", "--max-size", "4K", "--json")
        #expect(dry.status == 3 && dry.output.contains("Documents/large"), "\(dry)")
        #expect(try place.run("backup", "create", "--dry-run", "--max-size", "6K").status == 0)
        let refused = try place.run("backup", "create", "--to", place.backups, "--max-size", "4K")
        #expect(refused.status == 3 && !FileManager.default.fileExists(atPath: place.backups), "\(refused)")
    }

    @Test func aBackupIntoTheDeviceOrItsMountsIsRefused() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/m", "--no-sync")
        for target in [place.path + "/m/Documents/backups", place.device + "/backups"] {
            let refused = try place.run("backup", "create", "--to", target)
            #expect(refused.status == 1 && refused.errors.contains("another folder"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }
}

/// A program that writes rows into a database without pause, in transactions of some.
private final class DatabaseWriter {
    private let process = Foundation.Process()
    private let database: String
    /// It ends when this file is there.
    private let stop: String

    init(_ database: String, stop: String) throws {
        self.database = database
        self.stop = stop
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let row = "INSERT INTO t VALUES (random(), randomblob(900));"
        // It does not grow for ever, so that a hundred backups of it take minutes.
        let trim = "DELETE FROM t WHERE rowid < (SELECT max(rowid) FROM t) - 1000;"
        let work = "BEGIN;" + String(repeating: row, count: 20) + trim + "COMMIT;"
        let loop = "while test ! -e '\(stop)'; do echo '\(work)'; done"
        process.arguments = ["-c", "{ echo '.timeout 10000'; \(loop); } | sqlite3 '\(database)'"]
        try process.run()
    }

    func rows() throws -> Int {
        let found = try SQLiteProgram.run(".timeout 5000\nSELECT max(rowid) FROM t;", on: database)
        return Int(found.last ?? "") ?? 0
    }

    func end() {
        _ = FileManager.default.createFile(atPath: stop, contents: nil)
        process.waitUntilExit()
    }

    deinit { end() }
}
