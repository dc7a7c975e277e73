import Foundation
import TestKit
import Testing

/// What `backup` does with care: damaged files, sparse ones, an archive, a record of the backup, a password.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackupCareTests {
    private static let domain = "AppDomain-org.example.notes"

    private func file(_ path: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["domain": Self.domain, "path": path, "kind": "file", "text": "one"].merging(more) { $1 }
    }

    private func phone(
        _ items: [[String: Any]], _ place: borrowing Workplace, password: String? = nil
    ) throws -> String {
        try BackupProgram.make(items, in: place.path + "/phone", password: password)
        return place.path + "/phone"
    }

    /// Of the placeholder that a restore makes.
    private func restoredFile(_ name: String, _ place: borrowing Workplace) throws -> String {
        let data = place.device + "/Containers/Data/Application"
        return "\(data)/\(try #require(try names(data).first))/\(name)"
    }

    @Test func aSalvageLosesWhatIsDamagedAndNotItsApp() throws {
        let place = try Workplace()
        let long = String(repeating: "長", count: 100)
        let phone = try phone(
            [
                file("Documents/whole"), file("Documents/lost", ["blob": NSNull()]),
                file("Documents/short", ["size": 9]), file("Documents/../out"),
                ["domain": Self.domain, "path": "Documents/\(long)", "kind": "link", "target": "whole"],
            ], place)
        #expect(try place.run("device", "create", place.device).status == 0)
        let refused = try place.run("backup", "restore", "--from", phone)
        #expect(refused.status == 1, "\(refused)")
        let planned = try place.run("backup", "restore", "--from", phone, "--salvage", "--dry-run")
        #expect(planned.output.contains("would restore org.example.notes"), "\(planned)")
        #expect(try place.run("list").output == "")
        let salvaged = try place.run("backup", "restore", "--from", phone, "--salvage")
        #expect(salvaged.status == 3 && salvaged.output.contains(": 1 file\n"), "\(salvaged)")
        for text in [
            "Documents/lost is missing", "Documents/short is shorter than", "Documents/../out has a path",
            "has a name that no disk here can hold", "org.example.notes: 4 items of the backup lost",
        ] { #expect(salvaged.errors.contains(text), "\(text): \(salvaged)") }
        let documents = try restoredFile("Documents", place)
        #expect(try names(documents) == ["whole"])
    }

    @Test func appsThatAreGoneLeaveTheNextBackupWhereThatIsWanted() throws {
        let place = try Workplace()
        for app in ["Notes", "Other", "Third"] { #expect(try place.run("new", app).status == 0) }
        func backUp(_ more: String...) throws -> Outcome {
            try apphome(["backup", "create", "--to", place.path + "/b"] + more, in: place.device)
        }
        #expect(try backUp().status == 0)
        #expect(try place.run("uninstall", "Other", "--yes").status == 0)
        // Counted is what was asked for, listed what is there.
        let one = try backUp("Notes")
        #expect(one.output.hasPrefix("backed up Notes: 0 files"), "\(one)")
        func listed() throws -> [String] {
            let list = try place.run("backup", "list", place.path + "/b").output
            return ["local.Notes", "local.Other", "local.Third"].filter { list.contains($0) }
        }
        #expect(try listed() == ["local.Notes", "local.Other", "local.Third"])
        let pruned = try backUp("Notes", "--prune")
        #expect(pruned.output.contains("1 domain of apps that are gone left it"), "\(pruned)")
        #expect(try listed() == ["local.Notes", "local.Third"])
        let refused = try apphome("backup", "create", "--cloud", "--prune", in: place.device)
        #expect(refused.status == 64, "\(refused)")
    }

    @Test func zerosTakeNoRoomAndLibraryKeepsItsTime() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/m", "--no-sync").status == 0)
        let sparse = place.path + "/m/Documents/sparse"
        #expect(FileManager.default.createFile(atPath: sparse, contents: Data("begin".utf8)))
        #expect(truncate(sparse, 8 << 20) == 0)
        let time = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes(
            [.modificationDate: time], ofItemAtPath: place.path + "/m/Library")
        #expect(try place.run("backup", "create", "--to", place.path + "/b").status == 0)
        #expect(try place.run("unmount", place.path + "/m").status == 0)
        #expect(try place.run("backup", "restore", "--from", place.path + "/b", "Notes").status == 0)
        var status = stat()
        #expect(stat(try restoredFile("Documents/sparse", place), &status) == 0)
        #expect(status.st_size == 8 << 20 && status.st_blocks * 512 < 1 << 20, "\(status.st_blocks)")
        #expect(stat(try restoredFile("Library", place), &status) == 0)
        #expect(status.st_mtim.tv_sec == 1_000_000_000)
    }

    @Test func anArchiveHasTheDevicesPaths() throws {
        let place = try Workplace()
        let items = [
            file("Documents/näme", ["mode": 0o640]), file("Documents/lost", ["blob": NSNull()]),
        ]
        let phone = try phone(items, place)
        let made = try place.run(
            "backup", "extract", phone, "org.example.notes", "--tar", place.path + "/a.tar")
        #expect(made.status == 3 && made.errors.contains("Documents/lost is missing"), "\(made)")
        let listed = try apphome(["-tvf", place.path + "/a.tar"], in: place.device, program: "/usr/bin/tar")
        let path = "private/var/mobile/Containers/Data/Application/org.example.notes/Documents/"
        #expect(listed.status == 0 && listed.errors == "", "\(listed)")
        #expect(listed.output.contains("-rw-r-----") && listed.output.contains(path), "\(listed)")
        #expect(!listed.output.contains("lost"), "\(listed)")
        let taken = ["-xf", place.path + "/a.tar", "-C", place.path]
        #expect(try apphome(taken, in: place.device, program: "/usr/bin/tar").status == 0)
        #expect(try String(contentsOfFile: "\(place.path)/\(path)näme", encoding: .utf8) == "one")
    }

    @Test func aProofSaysWhetherTheBackupIsWhatItWas() throws {
        let place = try Workplace()
        let phone = try phone([file("Documents/a")], place)
        let (proof, mount) = (place.path + "/proof", place.path + "/m")
        #expect(try place.run("backup", "mount", phone, mount, "--proof", proof).status == 0)
        #expect(try place.run("unmount", mount).status == 0)
        let end = "nothing has changed\n"
        #expect(eventually { text(proof)?.hasSuffix(end) == true }, "\(text(proof) ?? "")")
        let again = try place.run("backup", "mount", phone, mount, "--proof", proof)
        #expect(again.status == 1 && again.errors.contains("not written over"), "\(again)")
        let inside = try place.run("backup", "mount", phone, mount, "--proof", phone + "/proof")
        #expect(inside.status == 1 && inside.errors.contains("lies in the backup"), "\(inside)")
        let other = place.path + "/other"
        #expect(try place.run("backup", "mount", phone, mount, "--proof", other).status == 0)
        try "x".write(toFile: phone + "/Status.plist", atomically: false, encoding: .utf8)
        #expect(try place.run("unmount", mount).status == 0)
        #expect(eventually { text(other)?.hasSuffix("compare with \(other).unmounted\n") == true })
        #expect(text(other + ".unmounted")?.contains("Status.plist") == true)
    }

    @Test func anotherPasswordOpensTheBackupAndTheOldOneDoesNot() throws {
        let place = try Workplace()
        let phone = try phone([file("Documents/a", ["digest": true])], place, password: "secret")
        let old = try place.passwordFile()
        let new = place.path + "/new-password"
        try "other\n".write(toFile: new, atomically: true, encoding: .utf8)
        let wrong = try place.run(
            "backup", "password", phone, "--password-file", new, "--new-password-file", old)
        #expect(wrong.status == 1 && wrong.errors.contains("wrong password"), "\(wrong)")
        let changed = try place.run(
            "backup", "password", phone, "--password-file", old, "--new-password-file", new)
        #expect(changed.status == 0, "\(changed)")
        #expect(try place.run("backup", "verify", phone, "--password-file", new).status == 0)
        let closed = try place.run("backup", "verify", phone, "--password-file", old)
        #expect(closed.status == 1 && closed.errors.contains("wrong password"), "\(closed)")
    }

    @Test func aPublicReaderOpensTheBackupWithItsOtherPassword() throws {
        let place = try Workplace()
        let (old, new) = (try place.passwordFile(), place.path + "/new-password")
        try "other\n".write(toFile: new, atomically: true, encoding: .utf8)
        #expect(try place.run("new", "Notes").status == 0)
        let backups = place.path + "/b"
        let made = try place.run("backup", "create", "--to", backups, "--encrypt", "--password-file", old)
        #expect(made.status == 0, "\(made)")
        let changed = try place.run(
            "backup", "password", backups, "--password-file", old, "--new-password-file", new)
        #expect(changed.status == 0, "\(changed)")
        let backup = "\(backups)/\(try #require(try names(backups).first))"
        let items = try BackupProgram.extract(backup, to: place.path + "/out", password: "other")
        #expect(items.contains("AppDomain-local.Notes/Documents"), "\(items)")
    }
}
