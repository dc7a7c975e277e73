import Backup
import Foundation
import Posix
import TestKit
import Testing

@Suite struct RestoreTests {
    private func sampleHome(_ scratch: Scratch) throws {
        try scratch.write("home/Documents/a.txt", "hello", mode: 0o640)
        try scratch.write("home/Documents/deep/er/b", [UInt8](repeating: 7, count: 300_000))
        try scratch.write("home/Documents/empty", [])
        try scratch.directory("home/Library/Application Support/none")
        try scratch.write("home/Documents/sealed/inner/c", "c", mode: 0o400)
        for (path, target) in [("Documents/link", "a.txt"), ("Documents/away", "/etc/passwd")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.file("home/\(path)"), withDestinationPath: target)
        }
        #expect(
            setAttribute("user.com.apple.tag", [1, 2, 3], of: scratch.file("home/Documents/a.txt")) == nil)
        #expect(setAttribute("user.com.apple.tag", [9], of: scratch.file("home/Documents/deep")) == nil)
        #expect(setAttribute("user.apphome.mark", [9], of: scratch.file("home/Documents/a.txt")) == nil)
        for (path, seconds) in [
            ("deep/er/b", 1_500_000_000), ("deep/er", 1_400_000_000), ("deep", 1_300_000_000),
        ] {
            _ = run(["/bin/touch", "-h", "-d", "@\(seconds)", scratch.file("home/Documents/\(path)")])
        }
        _ = run([
            "/bin/chmod", "0500", scratch.file("home/Documents/sealed/inner"),
            scratch.file("home/Documents/sealed"),
        ])
    }

    @Test(arguments: [nil, "päss"])
    func `What was backed up is restored with modes, times, links and attributes`(password: String?) throws {
        let scratch = try Scratch()
        try sampleHome(scratch)
        let domain = "AppDomain-org.example.recipes"
        try scratch.backUp([try scratch.domain("home", domain)], password: password)
        try scratch.restore(scratch.backup, domain, password: password)
        _ = removeAttribute("user.apphome.mark", of: scratch.file("home/Documents/a.txt"))
        #expect(scratch.tree("restored") == scratch.tree("home"))
        #expect(scratch.tree("home").count == 14)
    }

    @Test(arguments: [nil, "secret"], ["ios17", "ios27"])
    func `A backup of another maker is restored to the tree that it describes`(
        password: String?, index: String
    ) throws {
        let scratch = try Scratch()
        var backup = ForeignBackup()
        backup.password = password
        backup.more["index"] = index
        backup.directory("")
        // Children before their parents, and parents that are not listed.
        backup.file(
            "Documents/one/two/a.txt", "hello", ["mode": 0o600, "modified": 1_234_567_890, "digest": true])
        backup.file("Documents/big", "0123456789abcdef", ["repeat": 40_000])
        backup.file("Documents/empty", "")
        backup.file("Documents/no blob", "", ["blob": NSNull()])
        backup.file("Documents/Grüße \u{1F600}", "u", ["attributes": ["com.apple.x": "0102", "odd": "00"]])
        backup.directory("Documents", ["mode": 0o700, "modified": 1_111_111_111])
        backup.link("Documents/link", to: "/private/var/mobile/x")
        backup.directory("Library/Preferences")
        backup.file("Library/Caches/c", "left out")
        backup.file("Library/SplashBoard/s", "left out")
        try backup.write(to: scratch.file("foreign"))
        let report = try scratch.restore("foreign", password: password)
        #expect(report.files == 5)
        let tree = scratch.tree("restored")
        let made = scratch.file("restored/Documents")
        #expect(try scratch.read("restored/Documents/one/two/a.txt") == Array("hello".utf8))
        #expect(try scratch.read("restored/Documents/big").count == 640_000)
        #expect(tree.contains { $0.hasPrefix("Documents/one/two/a.txt 0o100600 1234567890 ") })
        #expect(tree.contains { $0.hasPrefix("Documents 0o40700 1111111111 ") })
        #expect(tree.contains { $0.hasPrefix("Documents/link 0o120777 1700000000 /private/var/mobile/x") })
        #expect(tree.contains { $0.hasPrefix("Library/Preferences 0o40755 ") })
        #expect(attribute("user.com.apple.x", of: made + "/Grüße \u{1F600}") == [1, 2])
        #expect(!scratch.exists("restored/Library/Caches"))
        #expect(!scratch.exists("restored/Library/SplashBoard"))
        // Its folder is as it was: nothing made beside Manifest.db.
        #expect(
            try names(in: scratch.file("foreign")).filter { $0.hasPrefix("Manifest.db") } == ["Manifest.db"])
    }

    @Test func `An attribute that no file here can have is named, and keeps nothing else back`() throws {
        let scratch = try Scratch()
        var backup = ForeignBackup()
        // More than Linux allows, and about what ext4 has room for.
        let attributes = [
            "com.apple.huge": String(repeating: "ab", count: 70_000), "odd": "00", "com.apple.x": "01",
            "com.apple.large": String(repeating: "cd", count: 5_000),
        ]
        backup.file("Documents/a", "one", ["attributes": attributes])
        try backup.write(to: scratch.file("foreign"))
        let report = try scratch.restore("foreign")
        #expect(try scratch.read("restored/Documents/a") == Array("one".utf8))
        #expect(attribute("user.com.apple.x", of: scratch.file("restored/Documents/a")) == [1])
        let names = attributeNames(of: scratch.file("restored/Documents/a"))
        let isLarge = names.contains("user.com.apple.large")
        #expect(report.leftOut.count == (isLarge ? 2 : 3), "\(report.leftOut)")
        #expect(report.leftOut.first.contains("Documents/a (com.apple.huge)"))
        #expect(report.leftOut.first.contains("Documents/a (odd)"))
    }
}
