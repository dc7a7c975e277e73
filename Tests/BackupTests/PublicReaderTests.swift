import Backup
import Foundation
import Testing

@Suite struct PublicReaderTests {
    @Test(arguments: [nil, "secret"])
    func `A public reader lists a backup and extracts it byte for byte`(password: String?) throws {
        let scratch = try Scratch()
        let large = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 7)) }
        try scratch.write("home/Documents/a.txt", "hello")
        try scratch.write("home/Documents/Grüße/ä ö.bin", large, mode: 0o600)
        try scratch.write("home/Documents/empty", [])
        try scratch.write("home/Library/Preferences/org.example.recipes.plist", "p")
        try scratch.write("home/tmp/t", "no")
        try scratch.write("home/Library/Caches/c", "no")
        let report = try scratch.backUp([try scratch.domain("home")], password: password)
        #expect(report.files == 4)
        #expect(report.leftOut == [])

        let listed = try PublicReader.extract(
            scratch.file(scratch.backup), to: scratch.file("out"), password: password)
        let paths = Set(listed.compactMap { $0["path"] as? String })
        #expect(
            paths == [
                "", "Documents", "Documents/a.txt", "Documents/Grüße", "Documents/Grüße/ä ö.bin",
                "Documents/empty", "Library", "Library/Preferences",
                "Library/Preferences/org.example.recipes.plist",
            ])
        let domain = "out/AppDomain-org.example.recipes"
        #expect(try scratch.read("\(domain)/Documents/a.txt") == Array("hello".utf8))
        #expect(try scratch.read("\(domain)/Documents/Grüße/ä ö.bin") == large)
        #expect(try scratch.read("\(domain)/Documents/empty") == [])
        #expect(listed.last?["is_encrypted"] as? Bool == (password != nil))
        #expect(listed.last?["installed_apps"] as? [String] == ["org.example.recipes"])
    }
}
