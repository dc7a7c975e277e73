import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// The sharing view straight from a store, on a device that has neither the app nor the account.
@Suite(.serialized) struct StoreSharingTests {
    @Test func anEmptyDeviceShowsWhatTheStoreSharesAndFollowsIt() throws {
        let site = try AccountSite()
        try site.fill()
        let mounted = try site.ask("mount", "notes", site.view)
        #expect(mounted.status == 0, "\(mounted)")
        #expect(try names(site.view) == ["a", "folder"])
        #expect(text(site.view + "/a") == "first")
        #expect(text(site.view + "/.hidden") == nil && text(site.view + "/link") == nil)
        var status = stat()
        #expect(stat(site.view + "/folder", &status) == 0 && status.st_mode == S_IFDIR)
        #expect(failure { opendir(site.view + "/folder") == nil } == EACCES)
        #expect(failure { open(site.view + "/a", O_WRONLY) < 0 } == EROFS)
        #expect(failure { mkdir(site.view + "/new", 0o755) < 0 } == EROFS)
        try "second, longer".write(toFile: site.documents + "/a", atomically: true, encoding: .utf8)
        try "new".write(toFile: site.documents + "/b", atomically: true, encoding: .utf8)
        #expect(eventually { text(site.view + "/a") == "second, longer" && text(site.view + "/b") == "new" })
        let listed = try site.place.run("list")
        #expect(listed.output.contains("\(site.view) (share)"), "\(listed)")
        let unmounted = try site.place.run("unmount", site.view)
        #expect(unmounted.status == 0, "\(unmounted)")
        #expect(try site.place.run("cloud", "account", "show").output.contains(site.store) == false)
    }

    @Test func aStoreOnS3IsShownAsAFolderIs() throws {
        let server = try SeaweedProcess(folder: SeaweedProcess.temporaryPath())
        defer { try? server.stop() }
        let site = try AccountSite(on: server)
        try site.fill()
        #expect(try site.ask("mount", "Notes", site.view).status == 0)
        #expect(try names(site.view) == ["a", "folder"])
        #expect(text(site.view + "/a") == "first")
        try "second, longer".write(toFile: site.documents + "/a", atomically: true, encoding: .utf8)
        #expect(eventually { text(site.view + "/a") == "second, longer" })
        #expect(try site.ask("get", "Notes", "folder", site.place.path + "/copy").status == 0)
        #expect(text(site.place.path + "/copy/inside") == String(repeating: "inside ", count: 1_000_000))
        let refused = try site.ask("ls", "Closed")
        #expect(refused.status == 1 && refused.errors.contains("UIFileSharingEnabled"), "\(refused)")
        #expect(try site.place.run("unmount", site.view).status == 0)
    }

    @Test func anOpenedFileIsReadToItsEndAsItWas() throws {
        let site = try AccountSite()
        try site.fill()
        #expect(try site.ask("mount", "Notes", site.view).status == 0)
        let file = try #require(FileHandle(forReadingAtPath: site.view + "/a"))
        try "second".write(toFile: site.documents + "/a", atomically: true, encoding: .utf8)
        #expect(eventually { text(site.view + "/a") == "second" })
        #expect(try file.readToEnd() == Data("first".utf8))
        try file.close()
    }

    @Test func itemsAreListedAndCopiedOutOfTheStoreWhole() throws {
        let site = try AccountSite()
        try site.fill()
        let listed = try site.ask("ls", "Notes")
        let rows = listed.output.split(separator: "\n")
        #expect(rows.count == 2 && rows[0].hasSuffix(" a") && rows[1].hasSuffix(" folder/"), "\(listed)")
        #expect(!listed.output.contains("1970"), "\(listed)")
        let copied = try site.ask("get", "Notes", "folder", site.place.path + "/copy")
        #expect(copied.status == 0, "\(copied)")
        #expect(text(site.place.path + "/copy/inside") == String(repeating: "inside ", count: 1_000_000))
        let link = try FileManager.default.destinationOfSymbolicLink(
            atPath: site.place.path + "/copy/link")
        #expect(link == "../elsewhere")
        #expect(try site.ask("get", "Notes", "a", site.place.path + "/one").status == 0)
        let again = try site.ask("get", "Notes", "a", site.place.path + "/one")
        #expect(again.status == 1 && again.errors.contains("one is there already"), "\(again)")
        for name in ["link", ".hidden", "nothing", "../Library"] {
            let refused = try site.ask("get", "Notes", name, site.place.path + "/none")
            #expect(refused.status == 1 && refused.errors.contains("Notes shares no \(name)"), "\(refused)")
        }
    }

    @Test func theGateIsThatOfTheDevice() throws {
        let site = try AccountSite()
        try site.fill()
        for command in [["ls", "Closed"], ["mount", "Closed", site.view], ["get", "Closed", "a", "."]] {
            let refused = try site.ask(command)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("UIFileSharingEnabled"), "\(refused)")
            #expect(refused.errors.contains("InstallationLookupFailed"), "\(refused)")
        }
        let unknown = try site.ask("mount", "Nobody", site.view)
        #expect(unknown.status == 1 && unknown.errors.contains("ApplicationLookupFailed"), "\(unknown)")
        let nowhere = try site.place.run("share", "ls", "Notes", "--from", "file://" + site.place.path)
        #expect(
            nowhere.status == 1 && nowhere.errors.contains("the bucket or folder is not there"), "\(nowhere)")
    }
}

extension AccountSite {
    /// An app that shares, whose home stays mounted, and one that does not.
    fileprivate func fill() throws {
        _ = try apphome("new", "Notes", "--share", in: source)
        _ = try apphome("new", "Closed", in: source)
        #expect(try apphome("cloud", "account", "set", store, in: source).status == 0)
        #expect(try apphome("mount", "Notes", place.path + "/home", in: source).status == 0)
        let files = FileManager.default
        try files.createDirectory(atPath: documents + "/folder", withIntermediateDirectories: false)
        let long = String(repeating: "inside ", count: 1_000_000)
        for (name, text) in [("a", "first"), (".hidden", "x"), ("folder/inside", long)] {
            try text.write(toFile: documents + "/" + name, atomically: false, encoding: .utf8)
        }
        for link in ["/link", "/folder/link"] {
            try files.createSymbolicLink(atPath: documents + link, withDestinationPath: "../elsewhere")
        }
        for app in ["Notes", "Closed"] { try sync(app) }
    }

    /// A command of `share` on the other device.
    fileprivate func ask(_ arguments: String...) throws -> Outcome { try ask(arguments) }

    fileprivate func ask(_ arguments: [String]) throws -> Outcome {
        try apphome(["share"] + arguments + ["--from", store], in: place.device)
    }
}
