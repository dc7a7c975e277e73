import CLinux
import Foundation
import TestKit
import Testing

/// `share put`, `get` and `rm` as a person uses them.
@Suite(.serialized) struct ShareCommandTests {
    @Test(arguments: [[], ["--inbox"]])
    func aLinkIsPutUnderTheNameThatWasTypedWithTheContentOfItsTarget(_ options: [String]) throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        try place.run("mount", "Notes", place.path + "/n")
        try "text".write(toFile: place.path + "/target", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/link.txt", withDestinationPath: "target")
        let put = try apphome(
            ["share", "put", "Notes", place.path + "/link.txt"] + options, in: place.device)
        #expect(put.status == 0, "\(put)")
        let folder = place.path + "/n/Documents/" + (options.isEmpty ? "" : "Inbox/")
        #expect(text(folder + "link.txt") == "text")
        #expect(!FileManager.default.fileExists(atPath: folder + "target"))
    }

    @Test func aNameThatIsTakenIsReplacedWithForceOnly() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        let file = place.path + "/a"
        for words in ["old", "new"] {
            try words.write(toFile: file, atomically: false, encoding: .utf8)
            let put = try place.run("share", "put", "Notes", file)
            if words == "old" { #expect(put.status == 0, "\(put)") }
            if words == "new" { #expect(put.status == 1 && put.errors.contains("--force"), "\(put)") }
        }
        #expect(try place.run("share", "get", "Notes", "a", "-").output == "old")
        #expect(try place.run("share", "put", "Notes", file, "--as", "b").status == 0)
        #expect(try place.run("share", "put", "Notes", file, "--force").status == 0)
        #expect(try place.run("share", "get", "Notes", "a", "-").output == "new")

        try "mine".write(toFile: file, atomically: false, encoding: .utf8)
        let get = try place.run("share", "get", "Notes", "a", place.path)
        #expect(get.status == 1 && get.errors.contains("--force"), "\(get)")
        #expect(text(file) == "mine")
        #expect(try place.run("share", "get", "Notes", "a", place.path, "--force").status == 0)
        #expect(text(file) == "new")
        #expect(try names(place.path).filter { $0.hasPrefix(".") } == [])
    }

    @Test func standardInputIsPutUnderANameAndAFileWrittenToStandardOutput() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        let script = """
            export APPHOME_DEVICE="$1" HOME="$1-home"
            seq 200000 | "$2" share put Notes - --as numbers && "$2" share get Notes numbers - | head -n 3
            "$2" share get Notes numbers - | cksum; seq 200000 | cksum
            """
        let arguments = ["-c", script, "sh", place.device, program]
        let shell = try start(arguments, in: place.device, program: "/bin/sh")
        let lines = try shell.wait().output.split(separator: "\n")
        #expect(lines.prefix(3) == ["1", "2", "3"])
        #expect(lines.count == 5 && lines[3] == lines[4], "\(lines)")
        let nameless = try place.run("share", "put", "Notes", "-")
        #expect(nameless.status == 64 && nameless.errors.contains("--as NAME"), "\(nameless)")
        #expect(try place.run("share", "ls", "Notes").output.split(separator: "\n").count == 1)
    }

    @Test func aFolderIsPutWholeAndTakesThePlaceOfAnotherAtOnce() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        try place.run("mount", "Notes", place.path + "/n")
        let (folder, shown) = (place.path + "/Photos", place.path + "/n/Documents/Photos")
        try FileManager.default.createDirectory(
            atPath: folder + "/2026/May", withIntermediateDirectories: true)
        try "may".write(toFile: folder + "/2026/May/a", atomically: false, encoding: .utf8)
        #expect(symlink("2026/May/a", folder + "/newest") == 0 && mkfifo(folder + "/fifo", 0o600) == 0)

        let refused = try place.run("share", "put", "Notes", folder)
        #expect(refused.status == 1 && refused.errors.contains("-r"), "\(refused)")
        let put = try place.run("share", "put", "Notes", "-r", folder)
        #expect(put.status == 0 && put.output.contains("left out: 1 item"), "\(put)")
        #expect(text(shown + "/newest") == "may")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shown + "/newest") == "2026/May/a")
        #expect(try names(shown) == ["2026", "newest"])

        #expect(rename(folder + "/2026", folder + "/2027") == 0)
        let taken = try place.run("share", "put", "Notes", "-r", folder)
        #expect(taken.status == 1 && taken.errors.contains("--force"), "\(taken)")
        #expect(try names(shown) == ["2026", "newest"])
        #expect(try place.run("share", "put", "Notes", "-r", "--force", folder).status == 0)
        #expect(try names(shown) == ["2027", "newest"])
        #expect(text(shown + "/2027/May/a") == "may")
        let left = try FileManager.default.subpathsOfDirectory(atPath: place.device)
        #expect(left.filter { $0.hasSuffix("/2026") } == [])
    }

    @Test func whatAPersonRemovesFromAnAppThatIsNotMountedIsDeletedInTheCloudToo() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        try FileManager.default.createDirectory(
            atPath: devices.here + "/Folder", withIntermediateDirectories: false)
        for number in 0..<20 {
            try "\(number)".write(
                toFile: devices.here + "/Folder/\(number)", atomically: false, encoding: .utf8)
        }
        #expect(eventually { (try? names(devices.there + "/Folder").count) == 20 })
        try devices.unmountBoth()
        let removed = try apphome("share", "rm", "Notes", "Folder", in: devices.first)
        #expect(removed.status == 0, "\(removed)")
        try devices.mountBoth()
        #expect(try eventually { try names(devices.there) == [] })
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: devices.first)
        #expect(synced.status == 0, "\(synced)")
    }
}
