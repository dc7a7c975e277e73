import Foundation
import TestKit
import Testing

/// `apphome backup list --files` and `backup verify`, of backups that share no code with the product.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackupLookTests {
    private static let domain = "AppDomain-org.example.notes"

    private func file(_ path: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["domain": Self.domain, "path": path, "kind": "file", "text": "one"].merging(more) { $1 }
    }

    private func make(_ items: [[String: Any]], password: String? = nil, _ place: borrowing Workplace) throws
        -> String
    {
        try BackupProgram.make(items, in: place.path + "/phone", password: password)
        return place.path + "/phone"
    }

    @Test(arguments: [nil, "secret"]) func everyItemIsListed(password: String?) throws {
        let place = try Workplace()
        let link: [String: Any] = [
            "domain": "HomeDomain", "path": "a,b\"c", "kind": "link", "target": "x|y", "mode": 0o777,
        ]
        let phone = try make([file("Documents/a", ["mode": 0o640]), link], password: password, place)
        var list = ["backup", "list", phone, "--files"]
        if password != nil { list += ["--password-file", try place.passwordFile()] }
        let csv = try apphome(list + ["--csv", "--sha256"], in: place.device)
        let hash = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        let times = "2023-11-14T22:13:20Z,2023-11-14T22:13:21Z,2020-09-13T12:26:40Z"
        let id = "2a79d92f5d0448d183d4a545242ea8b3de7ceb76"
        let lines = csv.output.split(separator: "\n").map(String.init)
        #expect(csv.status == 0 && lines.count == 3, "\(csv)")
        #expect(lines.first?.hasPrefix("domain,path,fileID,kind,size,mode,user,group,modified") == true)
        let row = lines.first { $0.hasPrefix(Self.domain) } ?? ""
        #expect(
            row.hasPrefix("\(Self.domain),Documents/a,\(id),file,") && row.hasSuffix(",0,,\(hash)"), "\(row)")
        #expect(row.contains(",3,0640,501,501,\(times),3,"), "\(row)")
        #expect(
            lines.contains { $0.contains("HomeDomain,\"a,b\"\"c\",") && $0.contains(",symlink,") }, "\(lines)"
        )
        let timeline = try apphome(list + ["--timeline"], in: place.device)
        let body =
            "0|\(Self.domain)/Documents/a|0|-rw-r-----|501|501|3|1700000000|1700000000"
            + "|1700000001|1600000000"
        #expect(timeline.output.split(separator: "\n").contains(body[...]), "\(timeline)")
        #expect(timeline.output.contains("a,b\"c -> x\\|y|"), "\(timeline)")
    }

    @Test func aBackupThatIsWholeIsSaidToBe() throws {
        let place = try Workplace()
        let phone = try make([file("Documents/a", ["digest": true])], password: "secret", place)
        let found = try place.run("backup", "verify", phone, "--password-file", try place.passwordFile())
        #expect(found.status == 0 && found.output == "1 file, 3 B: whole\n", "\(found)")
    }

    @Test func whatIsNotWholeIsNamed() throws {
        let place = try Workplace()
        let phone = try make(
            [
                file("Documents/whole", ["digest": true]),
                file("Documents/other", ["digest": String(repeating: "ab", count: 20)]),
                file("Documents/lost", ["blob": NSNull()]), file("Documents/short", ["size": 9]),
                file("Documents/../out"),
            ], place)
        let orphan = String(repeating: "0", count: 40)
        try FileManager.default.createDirectory(
            atPath: phone + "/00", withIntermediateDirectories: true)
        try place.write("x", to: "phone/00/\(orphan)")
        try place.write("x", to: "phone/00/note.txt")
        try place.write("x", to: "phone/virus.exe")
        let found = try place.run("backup", "verify", phone)
        #expect(found.status == 3, "\(found)")
        let lines = found.output.split(separator: "\n").map(String.init)
        for line in [
            "blob: \(Self.domain)/Documents/other is not what was backed up",
            "blob: the content of \(Self.domain)/Documents/lost is missing",
            "blob: \(Self.domain)/Documents/short is shorter than the backup says",
            "row: \(Self.domain)/Documents/../out has a path that no item can have",
            "orphan: \(orphan) is a blob that the list does not name",
            "foreign: 00/note.txt is nothing that a backup has",
            "foreign: virus.exe is nothing that a backup has", "4 files, 3 B: 7 problems",
        ] { #expect(lines.contains(line), "\(line): \(lines)") }
        // The blob of a row that is refused is no orphan.
        #expect(lines.count == 8, "\(lines)")
        // Listing goes on past it.
        let listed = try place.run("backup", "list", phone)
        #expect(listed.status == 3 && listed.output.contains("org.example.notes  -  4 files"), "\(listed)")
    }

    /// With what each says without its password.
    @Test func aFolderIsListedPastWhatCannotBeLookedInto() throws {
        let place = try Workplace()
        let names = ["0", "1", "2"].map { place.path + "/all/" + String(repeating: $0, count: 40) }
        try FileManager.default.createDirectory(
            atPath: place.path + "/all", withIntermediateDirectories: true)
        try BackupProgram.make([file("a")], in: names[0], password: "one")
        try BackupProgram.make([file("a")], in: names[1])
        try BackupProgram.make([file("a")], in: names[2])
        let listed = try place.run("backup", "list", place.path + "/all")
        #expect(listed.status == 0 && listed.output.split(separator: "\n").count == 5, "\(listed)")
        #expect(listed.output.contains("encrypted  1 blob, 16 B  this backup is encrypted"), "\(listed)")
        // Of a database half is no database.
        let list = FileManager.default.contents(atPath: names[2] + "/Manifest.db") ?? Data()
        try Data(repeating: 7, count: list.count).write(to: URL(fileURLWithPath: names[2] + "/Manifest.db"))
        let damaged = try place.run("backup", "list", place.path + "/all", "--json")
        #expect(damaged.status == 3 && damaged.errors.contains(names[2]), "\(damaged)")
        #expect(damaged.output.contains("org.example.notes") && damaged.output.contains("\"problem\""))
    }

    @Test(arguments: [nil, "secret"]) func whatIsNamedIsTakenOutAndNothingElse(password: String?) throws {
        let place = try Workplace()
        let directory: [String: Any] = [
            "domain": Self.domain, "path": "Documents", "kind": "directory", "mode": 0o750,
        ]
        let link: [String: Any] = [
            "domain": Self.domain, "path": "Documents/out", "kind": "link", "target": "../../../..",
        ]
        let phone = try make(
            [
                file("Documents/a", ["mode": 0o640, "attributes": ["com.apple.x": "01"]]),
                file("Documents/d/b", ["text": "two"]), file("Library/c"), directory, link,
                file("Documents/out/escaped"), file("Documents/lost", ["size": 9]),
                file("Documents/" + String(repeating: "長", count: 100)),
            ], password: password, place)
        let more = password == nil ? [] : ["--password-file", try place.passwordFile()]
        func run(_ words: [String]) throws -> Outcome {
            try apphome(["backup"] + words + more, in: place.device)
        }
        let id = "org.example.notes"
        let listed = try run(["ls", phone, id, "Documents/"])
        #expect(listed.status == 0 && listed.output.contains("-rw-r-----  3 B  2023-11-14T22:13:20Z  a\n"))
        #expect(
            listed.output.contains("out -> ../../../..") && !listed.output.contains("Library"), "\(listed)")
        let taken = try run(["extract", phone, id, "Documents", "--to", place.path + "/out"])
        // What is in another item's way, the blob that is too short, the name that is too long.
        #expect(taken.status == 3 && taken.errors.split(separator: "\n").count == 4, "\(taken)")
        #expect(place.read("out/Documents/a") == "one" && place.read("out/Documents/d/b") == "two")
        let names = try FileManager.default.subpathsOfDirectory(atPath: place.path + "/out").sorted()
        let kept = ["Documents", "Documents/a", "Documents/d", "Documents/d/b", "Documents/out"]
        #expect(names.filter { !$0.hasPrefix("Documents/out/") } == kept, "\(names)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/escaped"))
        let none = try run(["extract", phone, id, "Documents/none", "--to", place.path + "/none"])
        #expect(none.status == 1 && !FileManager.default.fileExists(atPath: place.path + "/none"), "\(none)")
        let filled = try run(["extract", phone, id, "--to", place.path + "/out"])
        #expect(filled.status == 1 && filled.errors.contains("is not empty"), "\(filled)")
        let unknown = try run(["ls", phone, "org.nobody"])
        #expect(unknown.status == 1 && unknown.errors.contains("has nothing of org.nobody"), "\(unknown)")
    }
}
