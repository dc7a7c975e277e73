import Backup
import Foundation
import Posix
import TestKit
import Testing

@Suite struct HostileBackupTests {
    /// What a restore of `backup` is refused with.
    private func refusal(
        of backup: ForeignBackup, password: String? = nil, limitBytes: Int64 = 1 << 40,
        _ change: (Scratch) throws -> Void = { _ in }
    ) throws -> BackupError? {
        let scratch = try Scratch()
        try backup.write(to: scratch.file("foreign"))
        try change(scratch)
        var refusal: BackupError?
        do {
            try scratch.restore("foreign", to: "inner/restored", password: password, limitBytes: limitBytes)
        } catch let error as BackupError { refusal = error }
        // Whatever happened, nothing was made outside.
        #expect(!scratch.exists("escaped"))
        #expect(!scratch.exists("inner/escaped"))
        if let refusal { #expect(!refusal.message.contains("\n")) }
        return refusal
    }

    @Test(arguments: [
        "Documents/../../escaped", "../escaped", "/tmp/escaped", "Documents//a", "Documents/./a",
        "Documents/",
        "Documents/a/..",
    ])
    func `A path that leads out, or is not in its simplest form, is refused`(path: String) throws {
        var backup = ForeignBackup()
        backup.file(path)
        #expect(try refusal(of: backup)?.kind == .damaged)
    }

    @Test func `A link, then a file through it, is refused`() throws {
        var backup = ForeignBackup()
        backup.link("Documents", to: "../..")
        backup.file("Documents/escaped")
        #expect(try refusal(of: backup)?.kind == .damaged)
        var other = ForeignBackup()
        other.directory("Documents")
        other.file("Documents/out/escaped")
        other.link("Documents/out", to: "../../..")
        #expect(try refusal(of: other)?.kind == .damaged)
    }

    @Test func `Two items at one path are refused`() throws {
        var backup = ForeignBackup()
        backup.file("Documents/a", "1")
        backup.file("Documents/a", "2")
        backup.more["noprimary"] = true
        #expect(try refusal(of: backup)?.kind == .damaged)
        var other = ForeignBackup()
        other.directory("Documents/a")
        other.file("Documents/a")
        other.more["noprimary"] = true
        #expect(try refusal(of: other)?.kind == .damaged)
    }

    @Test(arguments: ["../../../../../../etc/passwd", "ABCDEF", "", String(repeating: "0", count: 40)])
    func `An identifier that is not that of its path is refused`(identifier: String) throws {
        var backup = ForeignBackup()
        backup.file("Documents/a", "x", ["id": identifier, "blob": NSNull()])
        #expect(try refusal(of: backup)?.kind == .damaged)
    }

    @Test func `Sizes and digests that are not true are refused`() throws {
        for lie: [String: Any] in [
            ["size": 2], ["size": 0], ["size": 1 << 40], ["size": -1],
            ["digest": String(repeating: "ab", count: 20)], ["blob": NSNull()], ["blob": "7878"],
        ] {
            var backup = ForeignBackup()
            backup.file("Documents/a", "x", lie)
            #expect(try refusal(of: backup)?.kind == .damaged, "\(lie)")
        }
    }

    @Test func `An encrypted blob that was cut off or altered is refused`() throws {
        for blob in ["", String(repeating: "00", count: 16), String(repeating: "00", count: 15), "0011"] {
            var backup = ForeignBackup()
            backup.password = "secret"
            backup.file("Documents/a", "hello", ["blob": blob])
            #expect(try refusal(of: backup, password: "secret")?.kind == .damaged)
        }
    }

    @Test func `More content than there is room for is refused before anything is written`() throws {
        var backup = ForeignBackup()
        backup.file("Documents/a", "0123456789")
        backup.file("Documents/b", "0123456789")
        #expect(try refusal(of: backup, limitBytes: 19)?.kind == .noRoom)
        #expect(try refusal(of: backup, limitBytes: 20) == nil)
    }

    @Test func `A blob that is a link or a folder is not read`() throws {
        var backup = ForeignBackup()
        backup.file("Documents/a", "x")
        let error = try refusal(of: backup) { scratch in
            let blobs = run(["/usr/bin/find", scratch.file("foreign"), "-mindepth", "2", "-type", "f"]).output
            let blob = try #require(blobs.split(separator: "\n").first.map(String.init))
            try scratch.write("x", "x")
            _ = run(["/bin/ln", "-sf", scratch.file("x"), blob])
        }
        #expect(error?.kind == .damaged)
    }

    @Test func `The wrong password, none, and an empty one are told apart`() throws {
        var backup = ForeignBackup()
        backup.password = "secret"
        backup.file("Documents/a")
        #expect(try refusal(of: backup, password: "Secret")?.kind == .wrongPassword)
        #expect(try refusal(of: backup, password: "")?.kind == .wrongPassword)
        #expect(try refusal(of: backup)?.kind == .passwordNeeded)
        #expect(try refusal(of: backup, password: "secret") == nil)
    }

    @Test(arguments: [["DPIC": 0x8000_0000], ["DPIC": 50_000_000], ["ITER": 0xFFFF_FFFF], ["DPIC": 0]])
    func `A keybag that asks for too much work, or for none, is refused at once`(change: [String: Int]) throws
    {
        var backup = ForeignBackup()
        backup.password = "secret"
        backup.more["keybag"] = change
        backup.file("Documents/a")
        #expect(try refusal(of: backup, password: "secret")?.kind == .damaged)
    }

    @Test func `A list that is no database, or no list, is refused`() throws {
        var backup = ForeignBackup()
        backup.file("Documents/a")
        let noDatabase = try refusal(of: backup) {
            try $0.write("foreign/Manifest.db", "no database at all, this")
        }
        #expect(noDatabase?.kind == .damaged)
        let cutOff = try refusal(of: backup) { scratch in
            try scratch.write(
                "foreign/Manifest.db", Array(try scratch.read("foreign/Manifest.db").prefix(5000)))
        }
        #expect(cutOff?.kind == .damaged)
        let link = try refusal(of: backup) { scratch in
            _ = run([
                "/bin/sh", "-c", "cd '\(scratch.file("foreign"))' && mv Manifest.db m && ln -s m Manifest.db",
            ])
        }
        #expect(link != nil)
        backup.more["extra"] = """
            ALTER TABLE Files RENAME TO F; CREATE VIEW Files AS SELECT * FROM F;
            """
        #expect(try refusal(of: backup)?.kind == .notABackup)
    }

    @Test(arguments: ["", "00", "62706c6973743030", "62706c6973743030d1"])
    func `A record that is none is refused`(record: String) throws {
        var backup = ForeignBackup()
        backup.file("Documents/a", "x", ["record": record])
        #expect(try refusal(of: backup)?.kind == .damaged)
    }

    @Test func `A folder without a backup, and property lists made to do harm, are refused`() throws {
        var backup = ForeignBackup()
        backup.file("Documents/a")
        let none = try refusal(of: backup) { _ = run(["/bin/rm", $0.file("foreign/Manifest.plist")]) }
        #expect(none?.kind == .notABackup)
        let huge = try refusal(of: backup) {
            _ = run(["/usr/bin/truncate", "-s", "1G", $0.file("foreign/Manifest.plist")])
        }
        #expect(huge?.kind == .damaged)
        #expect(huge?.message.contains("Manifest.plist is larger than") == true)
        for (name, kind) in [
            ("Manifest.plist", BackupError.Kind.damaged), ("Status.plist", .damaged),
            ("Manifest.db", .notABackup),
        ] {
            let pipe = try refusal(of: backup) {
                let path = $0.file("foreign/" + name)
                _ = run(["/bin/sh", "-c", "rm -f '\(path)' && mkfifo '\(path)'"])
            }
            #expect(pipe?.kind == kind, "\(name): \(pipe?.message ?? "read")")
        }
        let deep =
            String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        let nested = try refusal(of: backup) {
            try $0.write("foreign/Manifest.plist", "<plist version=\"1.0\">\(deep)</plist>")
        }
        #expect(nested?.kind == .damaged)
    }

    @Test func `A domain that is a system's, and one that is not there, are refused`() throws {
        let scratch = try Scratch()
        var backup = ForeignBackup()
        backup.file("Documents/a")
        try backup.write(to: scratch.file("foreign"))
        #expect(throws: BackupError.self) { try scratch.restore("foreign", "HomeDomain") }
        #expect(throws: BackupError.self) { try scratch.restore("foreign", "AppDomain-org.example.none") }
    }
}
