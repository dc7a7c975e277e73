import Foundation
import Testing

/// `apphome doctor`, through the program.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DoctorCommandTests {
    private struct Report: Decodable {
        struct App: Decodable {
            struct Item: Decodable { let code: String, path: String, detail: String }
            let name: String
            let findings: [Item]
        }
        let apps: [App]
        let errors: Int
    }

    private func report(_ outcome: Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: outcome.outputBytes)
    }

    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func dataContainer(_ place: borrowing Workplace) throws -> String {
        try #require(try names(place.device + "/Containers/Data/Application").first)
    }

    /// The device of the whole story: a path is stored, an update makes it a dead one, and it is mended.
    @Test func aPathThatIsStoredIsFoundBeforeAndAfterAnUpdateAndNotOnceItIsMended() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--share", "--files").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        #expect(try place.run("doctor", "Notes").output == "Notes: nothing found; 0 files looked at\n")
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        let container = try dataContainer(place)
        let path = "/private/var/mobile/Containers/Data/Application/\(container)/Documents/a.txt"
        try write(path, home + "/Documents/last.txt")
        let found = try place.run("doctor", "Notes")
        #expect(found.status == 3)
        let line =
            "  Documents/last.txt: at byte 48 (UTF-8): \(container), the data container of local.Notes\n"
        #expect(found.output.contains("error CONTAINER-PATH: the path of a container is stored\n" + line))
        #expect(found.output.hasSuffix("Notes: 1 error, 0 warnings, 0 notes; 1 file looked at\n"))
        #expect(try place.run("new", "Notes", "--share", "--files", "--replace").status == 0)
        #expect(try dataContainer(place) != container)
        // The UUID alone: no path says that it is a container's.
        try write(container, home + "/Documents/last.txt")
        let again = try place.run("doctor", "Notes", "--json")
        #expect(again.status == 3, "\(again)")
        let item = try #require(try report(again).apps.first?.findings.first)
        #expect(item.code == "CONTAINER-PATH" && item.detail.contains("that was, before an upgrade"))
        try write("Documents/a.txt", home + "/Documents/last.txt")
        let mended = try place.run("doctor", "--json")
        #expect(try mended.status == 0 && report(mended).apps.map(\.findings.count) == [0], "\(mended)")
    }

    @Test func theExitStatusFollowsFailOn() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--share", "--files").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        #expect(try place.run("doctor", "Notes", "--fail-on", "note").status == 0)
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        // A note, and by another size a warning.
        try write("x", home + "/tmp/letter.pdf")
        try write("xyz", home + "/Documents/b")
        for (arguments, status) in [
            (["--fail-on", "note"], 3), (["--fail-on", "warning"], 0), ([], 0),
            (["--fail-on", "warning", "--large", "3"], 3), (["--large", "3"], 0),
        ] as [([String], Int32)] {
            let outcome = try apphome(["doctor", "Notes"] + arguments, in: place.device)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
        }
        #expect(try place.run("doctor", "Notes", "--fail-on", "never").status == 64)
    }

    @Test func whatItMountsItUnmountsAndATerminalObeysNoName() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--group", "group.org.example").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        let group = place.path + "/group"
        #expect(try place.run("group", "mount", "Notes", "group.org.example", group).status == 0)
        let container = try dataContainer(place)
        try write(container, group + "/new\n\u{1b}[2Jline")
        #expect(try place.run("unmount", group).status == 0)
        let found = try place.run("doctor")
        #expect(found.status == 3, "\(found)")
        #expect(found.output.contains("\n  group.org.example/new\\u{A}\\u{1B}[2Jline: at byte 0"), "\(found)")
        #expect(!found.output.contains("\u{1b}"))
        #expect(mounts(below: place.path) == [])
        let json = try place.run("doctor", "--json")
        #expect(try report(json).apps[0].findings[0].path == "group.org.example/new\n\u{1b}[2Jline")
        #expect(mounts(below: place.path) == [])
    }

    @Test func aBundleThatWasChangedBehindTheMountIsNamed() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--share", "--files").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        let bundles = place.device + "/Containers/Bundle/Application/"
        let bundle = bundles + (try #require(try names(bundles).first)) + "/Notes.app"
        chmod(bundle, 0o755)
        try write("x", bundle + "/added")
        let found = try place.run("doctor", "Notes")
        #expect(found.status == 3 && found.output.contains("\n  Notes.app/added: added\n"), "\(found)")
    }

    @Test func anAppThatCannotBeLookedAtTakesNoReportFromTheOthers() throws {
        let place = try Workplace()
        for app in ["Broken", "Notes"] {
            #expect(try place.run("new", app, "--share", "--files").status == 0)
        }
        #expect(try place.run("cloud", "account", "none").status == 0)
        let bundles = place.device + "/Containers/Bundle/Application/"
        let isBroken = { access(bundles + $0 + "/Broken.app", F_OK) == 0 }
        let broken = try #require(try names(bundles).first(where: isBroken))
        #expect(rename(bundles + broken + "/Broken.app", place.path + "/away") == 0)
        let all = try place.run("doctor")
        #expect(all.status == 1 && all.output == "Notes: nothing found; 0 files looked at\n", "\(all)")
        #expect(all.errors.hasPrefix("apphome: error: local.Broken: "), "\(all)")
        #expect(try place.run("doctor", "Broken").status == 1)
    }

    @Test func codesAreExplained() throws {
        let place = try Workplace()
        let page = try place.run("doctor", "--explain", "re-creatable")
        #expect(page.status == 0 && page.output.hasPrefix("RE-CREATABLE (warning): "), "\(page)")
        let list = try place.run("doctor", "--explain")
        #expect(list.status == 0 && list.output.contains("CONTAINER-PATH"), "\(list)")
        #expect(try place.run("doctor", "--explain", "X").status == 64)
        #expect(try place.run("doctor", "Notes").errors.contains("no device"))
    }
}
