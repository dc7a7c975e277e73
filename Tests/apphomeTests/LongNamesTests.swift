import Foundation
import TestKit
import Testing

/// Names that iOS takes and no disk here does, on their way through backups, homes and sync.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LongNamesTests {
    private static let domain = "AppDomain-local.Notes"
    private let directory = String(repeating: "長", count: 90)
    private let file = String(repeating: "名", count: 200) + ".txt"

    @Test func aRestoreKeepsThemAndTheNextBackupHasThemAgain() throws {
        let place = try Workplace()
        let path = "Documents/\(directory)/\(file)"
        try BackupProgram.make(
            [
                [
                    "domain": Self.domain, "path": "Documents/\(directory)", "kind": "directory",
                    "mode": 0o755,
                ],
                [
                    "domain": Self.domain, "path": path, "kind": "file", "text": "one", "mode": 0o444,
                    "modified": 1_600_000_000,
                ],
            ], in: place.path + "/phone")
        #expect(try place.run("new", "Notes").status == 0)
        let restored = try place.run("backup", "restore", "--from", place.path + "/phone", "Notes")
        #expect(restored.status == 0, "\(restored)")
        #expect(try place.run("mount", "Notes", place.path + "/m", "--no-sync").status == 0)
        #expect(place.read("m/\(path)") == "one")
        #expect(try names(place.path + "/m/Documents") == [directory])
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/m/\(path)")
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_600_000_000))
        #expect(try place.run("backup", "create", "--to", place.path + "/again").status == 0)
        let listed = try place.run("backup", "list", place.path + "/again", "--files", "--json")
        #expect(listed.output.contains(path), "\(listed.output.prefix(500))")
        #expect(!listed.output.contains("apphome-long-name"))
        // A container that is replaced keeps what the backup lacks, under the same names.
        #expect(rename(place.path + "/m/\(path)", place.path + "/m/Documents/\(file)") == 0)
        #expect(try place.run("unmount", place.path + "/m").status == 0)
        let second = try place.run(
            "backup", "restore", "--from", place.path + "/phone", "Notes")
        #expect(second.status == 0, "\(second)")
        #expect(try place.run("mount", "Notes", place.path + "/m", "--no-sync").status == 0)
        #expect(place.read("m/\(path)") == "one" && place.read("m/Documents/\(file)") == nil)
        #expect(try place.run("unmount", place.path + "/m").status == 0)
    }

    @Test func theySyncUnderTheirOwnNames() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        try FileManager.default.createDirectory(
            atPath: here + "/" + directory, withIntermediateDirectories: false)
        try Data("one".utf8).write(to: URL(fileURLWithPath: "\(here)/\(directory)/\(file)"))
        #expect(eventually { text("\(there)/\(directory)/\(file)") == "one" })
        #expect(eventually { (try? names(there).contains(directory)) == true })
        #expect(eventually { (try? names("\(there)/\(directory)")) == [file] })
        #expect(rename("\(there)/\(directory)/\(file)", "\(there)/a") == 0)
        #expect(eventually { text(here + "/a") == "one" })
        #expect(rename("\(here)/a", "\(here)/\(file)") == 0)
        #expect(eventually { (try? names(there).contains(file)) == true })
        try FileManager.default.removeItem(atPath: "\(there)/\(file)")
        #expect(eventually { !FileManager.default.fileExists(atPath: "\(here)/\(file)") })
    }
}
