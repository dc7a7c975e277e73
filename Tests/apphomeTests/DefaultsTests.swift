import CLinux
import Foundation
import Testing

/// `apphome defaults` on a real home, mounted and not.
@Suite(.serialized) struct DefaultsTests {
    private let path = "/Library/Preferences/local.Notes.plist"

    private func content(_ file: String) throws -> NSDictionary? {
        try FileManager.default.contents(atPath: file).map {
            try #require(
                try PropertyListSerialization.propertyList(from: $0, format: nil) as? NSDictionary)
        }
    }

    @Test func aMountedHomeShowsTheChangeWhenTheCommandReturns() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        #expect(!FileManager.default.fileExists(atPath: home + path))
        #expect(try place.run("defaults", "write", "Notes", "count", "-int", "-3").status == 0)
        #expect(try content(home + path) == ["count": -3])
        // The kernel now believes what it knows of the file.
        for number in 1...20 {
            #expect(try place.run("defaults", "write", "Notes", "count", "-int", "\(number)").status == 0)
            #expect(try content(home + path) == ["count": number])
        }
        #expect(try place.run("defaults", "read", "Notes", "count").output == "20\n")
        #expect(try place.run("defaults", "delete", "Notes", "count").status == 0)
        #expect(try content(home + path) == [:])
        let missing = try place.run("defaults", "read", "Notes", "count")
        #expect(missing.status == 1 && missing.errors.contains("Notes has no preference count"), "\(missing)")
        #expect(try place.run("unmount", home).status == 0)
        #expect(
            try place.run("defaults", "write", "Notes", "list", "-array", "a", "-bool", "yes").status == 0)
        let shown = try place.run("defaults", "read", "Notes", "--json")
        #expect(
            try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? NSDictionary
                == ["list": ["a", true]])
    }

    @Test func whatLiesThereIsKeptOrTheFileIsLeftAlone() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        let xml = try PropertyListSerialization.data(
            fromPropertyList: ["real": 1.0, "yes": true] as [String: Any], format: .xml, options: 0)
        try xml.write(to: URL(fileURLWithPath: home + path))
        #expect(chmod(home + path, 0o640) == 0)
        #expect(try place.run("defaults", "write", "Notes", "new", "-string", "x y").status == 0)
        #expect(try content(home + path) == ["real": 1.0, "yes": true, "new": "x y"])
        var status = stat()
        #expect(stat(home + path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        for hostile in [Data("bplist00".utf8) + Data(repeating: 0xC0, count: 40), Data("no list".utf8)] {
            try hostile.write(to: URL(fileURLWithPath: home + path))
            let refused = try place.run("defaults", "write", "Notes", "a", "1")
            #expect(refused.status == 1 && refused.errors.contains("Library/Preferences/"), "\(refused)")
            #expect(FileManager.default.contents(atPath: home + path) == hostile)
        }
        #expect(truncate(home + path, 1 << 30) == 0)
        #expect(try place.run("defaults", "read", "Notes").status == 1)
        #expect(unlink(home + path) == 0 && symlink("/etc/passwd", home + path) == 0)
        #expect(try place.run("defaults", "read", "Notes").status == 1)
    }
}
