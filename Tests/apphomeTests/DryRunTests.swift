import Foundation
import Testing

/// `--dry-run` of commands that take something away: what would go is told, and nothing does.
@Suite(.serialized) struct DryRunTests {
    @Test func anUninstallNamesThePartsAndTheAppStays() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share", "--group", "group.own", "--group", "group.shared")
        try place.run("new", "Other", "--group", "group.shared")
        try place.run("cloud", "account", "none")
        let home = place.path + "/m"
        #expect(try place.run("mount", "Notes", home).status == 0)
        try Data(count: 12_345).write(to: URL(filePath: home + "/Documents/a"))
        #expect(try place.run("unmount", home).status == 0)
        let told = try place.run("uninstall", "Notes", "--dry-run")
        #expect(told.status == 0, "\(told)")
        for words in ["bundle Notes.app", "Documents", "12 kB", "1 document (a) is on this device alone"] {
            #expect(told.output.contains(words), "\(words): \(told)")
        }
        struct Report: Decodable {
            struct Part: Decodable { let name: String, bytes: Int64 }
            let parts: [Part]
        }
        let printed = try place.run("uninstall", "Notes", "--dry-run", "--json")
        let parts = try JSONDecoder().decode(Report.self, from: printed.outputBytes).parts
        #expect(parts.first { $0.name == "Documents" }?.bytes == 12_345, "\(printed)")
        #expect(parts.contains { $0.name == "group group.own" }, "\(printed)")
        #expect(!parts.contains { $0.name == "group group.shared" }, "\(printed)")
        #expect(try place.run("info", "Notes").output.contains("12 kB"))
        #expect(try place.run("uninstall", "Notes", "--yes").status == 0)
    }

    @Test func aPurgeTellsWhatTheNextOneFrees() throws {
        let place = try Workplace()
        let home = place.path + "/m"
        try place.run("new", "Notes")
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        let deep = home + "/Library/Caches/a/b"
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        for path in [deep + "/c", home + "/tmp/t", home + "/Documents/d"] {
            try Data(count: 100_000).write(to: URL(filePath: path))
        }
        for options in [[], ["--app", "Notes"], ["--to-free", "1M"]] {
            let told = try apphome(["purge", "--dry-run", "--json"] + options, in: place.device)
            #expect(try bytes(told) >= 200_000 && bytes(told) < 300_000, "\(options): \(told)")
        }
        #expect(try place.run("purge", "--dry-run").output.contains("would free 2"))
        #expect(try names(deep) == ["c"] && names(home + "/tmp") == ["t"])
        let told = try place.run("purge", "--dry-run", "--json")
        #expect(try bytes(told) == bytes(try place.run("purge", "--json")))
        #expect(try names(home + "/Library/Caches") == [])
        let file = open(home + "/Documents/d", O_RDONLY)
        #expect(try place.run("purge", "--dry-run").output.contains("running, kept"))
        close(file)
    }

    private func bytes(_ outcome: Outcome) throws -> Int64 {
        struct Report: Decodable { let freedBytes: Int64 }
        return try JSONDecoder().decode([Report].self, from: outcome.outputBytes).reduce(0) {
            $0 + $1.freedBytes
        }
    }

    @Test func aCollectionNamesObjectsAndWritesNothing() throws {
        let devices = try TwoDevices()
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.first).status == 0)
        // What nobody needs, and so old that it may go from a folder, which machines date.
        let folder = devices.store + "/v1/c/00"
        let name = String(repeating: "0", count: 32) + "." + String(repeating: "1", count: 16)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(count: 5000).write(to: URL(filePath: folder + "/" + name))
        let old = Date(timeIntervalSinceNow: -30 * 86_400)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder + "/" + name)
        let before = try FileManager.default.subpathsOfDirectory(atPath: devices.store).sorted()
        let told = try apphome("cloud", "gc", "--dry-run", in: devices.first)
        #expect(told.status == 0 && told.output.contains("v1/c/00/\(name)  5.0 kB"), "\(told)")
        #expect(told.output.contains("1 of 1 objects would be removed, 5.0 kB freed"), "\(told)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: devices.store).sorted() == before)
        let printed = try apphome("cloud", "gc", "--dry-run", "--json", in: devices.first).object
        let names = try #require(printed["names"] as? [[String: Any]])
        #expect(names.first?["name"] as? String == "v1/c/00/\(name)")
        #expect(try apphome("cloud", "gc", in: devices.first).output.contains("1 of 1 objects removed"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/" + name))
    }
}
