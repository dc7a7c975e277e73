import Foundation
import Testing
import Wire

@testable import Doctor
@testable import apphome

/// What programs did, as findings of `apphome doctor`: each mistake by a program on a real mount, and beside
/// it a program that does the same right.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DoctorEventTests {
    private struct Report: Decodable {
        struct App: Decodable {
            struct Item: Decodable { let code: String, path: String, detail: String, program: String? }
            let findings: [Item]
        }
        let apps: [App]
    }

    private func findings(_ place: borrowing RunPlace) throws -> [Report.App.Item] {
        let outcome = try place.work.run("doctor", "recipes", "--json", "--fail-on", "note")
        let report = try JSONDecoder().decode(Report.self, from: outcome.outputBytes)
        let found = report.apps.flatMap(\.findings)
        #expect(outcome.status == (found.isEmpty ? 0 : 3), "\(outcome)")
        return found
    }

    private func run(_ place: borrowing RunPlace, _ script: String) throws {
        let outcome = try place.work.run("run", "recipes", "--cwd", "home", "--", "sh", "-c", script)
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// As a program does who saves and does not flag again.
    private let flag = "setfattr -n com.apple.MobileBackup -v 0x01 Documents/flagged"
    private let save = "echo new > Documents/draft; mv Documents/draft Documents/flagged"

    @Test func whatAProgramDidIsFoundUntilItIsCleared() throws {
        let place = try RunPlace()
        try run(
            place,
            """
            echo x > Documents/README.txt; for i in 1 2 3; do cat Documents/readme.txt; done
            head -c 1 Documents/readme.txt; echo x > top; echo x > "$APPHOME_BUNDLE/Recipes.plist"
            mkdir "$(printf 'Documents/\\377')"; echo x > /tmp/left; mkdir /var/tmp/d
            touch /tmp/d/f /dev/shm/x
            echo old > Documents/flagged; \(flag); \(save); true
            """)
        let found = try findings(place)
        let lines = found.map { "\($0.code) \($0.path) \($0.program ?? "-")" }
        #expect(
            Set(lines) == [
                "CASE-NEAR-MISS Documents/readme.txt cat", "CASE-NEAR-MISS Documents/readme.txt head",
                "REFUSED top sh", "REFUSED Recipes.app/Recipes.plist sh", "REFUSED Documents/\u{fffd} mkdir",
                "OUTSIDE-HOME /tmp/left sh", "OUTSIDE-HOME /tmp/d sh", "OUTSIDE-HOME /dev/shm/x sh",
                "FLAG-LOST Documents/flagged mv",
            ])
        #expect(lines.count == Set(lines).count, "\(lines)")
        let detail = { (program: String) in found.first { $0.program == program }?.detail ?? "" }
        #expect(
            detail("cat").hasPrefix("not found; README.txt is there, and only case differs (cat, 3 times, 20")
        )
        #expect(detail("mkdir").contains(": EILSEQ: a name is UTF-8"), "\(found)")
        #expect(found.contains { $0.detail.hasPrefix("create: EPERM: an app changes nothing at the top") })
        // It has happened, whatever is there now.
        try run(place, "mv Documents/README.txt Documents/readme.txt; rm Documents/flagged")
        let still = try findings(place)
        #expect(still.contains { $0.code == "CASE-NEAR-MISS" && $0.program == "cat" }, "\(still)")
        let cleared = try place.work.run("doctor", "--clear", "Recipes")
        #expect(
            cleared.status == 0 && cleared.output == "\(still.count) remembered findings cleared\n",
            "\(cleared)")
        #expect(try findings(place).isEmpty)
    }

    @Test func whoDoesItRightHasNoFinding() throws {
        let place = try RunPlace()
        try run(
            place,
            """
            echo x > Documents/README.txt; cat Documents/README.txt; cat Documents/none
            test -e Documents/None
            cat "$APPHOME_BUNDLE/Recipes.plist"; mkdir -p "Library/Application Support"; mkdir -p Documents
            cp "$APPHOME_BUNDLE/Recipes.plist" "Library/Application Support"
            echo x > "Library/Application Support/Recipes.plist"; rm -r "Library/Application Support"
            echo x > "$TMPDIR/a"; rm "$TMPDIR/a"; echo x > /tmp/gone; rm /tmp/gone
            echo x > "$XDG_CACHE_HOME/a"
            rm "$XDG_CACHE_HOME/a"; echo old > Documents/flagged; \(flag); \(save); \(flag)
            mkdir Documents/d; rmdir Documents/d; touch Documents/a; mv Documents/a Documents/b
            """)
        #expect(try findings(place).map { "\($0.code) \($0.path)" } == [])
        // What tools try at the top and beside modules, and do without.
        try run(place, "touch .bash_history; mkdir \"$APPHOME_BUNDLE/__pycache__\"; true")
        #expect(try findings(place).map { "\($0.code) \($0.path)" } == [])
        let cleared = try place.work.run("doctor", "--clear")
        #expect(cleared.output == "2 remembered findings cleared\n", "\(cleared)")
    }

    @Test func inTheNamesOfASimulatorWhatCaseSavedIsFound() throws {
        let place = try RunPlace()
        #expect(try place.work.run("device", "set", "names", "simulator").status == 0)
        try run(place, "echo x > Documents/README.txt; cat Documents/README.txt")
        #expect(try findings(place).isEmpty)
        try run(place, "cat Documents/readme.txt")
        let found = try findings(place)
        #expect(
            found.map { "\($0.code) \($0.path) \($0.program ?? "-")" } == [
                "CASE-SAVED Documents/readme.txt cat"
            ])
        #expect(found.first?.detail.contains("a device would not find it") == true)
    }

    @Test func aGroupThatTheAppIsNotInIsFoundWhereItIsAskedFor() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--group", "group.org.example").status == 0)
        #expect(try place.run("new", "Other").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        #expect(try place.run("group", "path", "Notes", "group.org.example").status == 0)
        #expect(try place.run("doctor", "Notes", "--fail-on", "note").status == 0)
        for _ in 0..<2 { #expect(try place.run("group", "path", "Notes", "group.org.exmaple").status == 1) }
        let found = try place.run("doctor", "Notes")
        #expect(found.status == 3, "\(found)")
        #expect(found.output.contains("\n  group.org.exmaple: null: com.apple.security"), "\(found)")
        #expect(found.output.contains(" 2 times, "), "\(found)")
        // Another app's stay.
        #expect(try place.run("group", "path", "Other", "group.org.example").status == 1)
        #expect(try place.run("doctor", "--clear", "Notes").output == "1 remembered finding cleared\n")
        #expect(try place.run("doctor", "Notes").status == 0)
        #expect(try place.run("doctor", "Other").status == 3)
        #expect(mounts(below: place.path + "/device/run/homes") == [])
    }

    @Test func whatNobodyCouldLookAtIsSaid() {
        let time = Timestamp(seconds: 1)
        func finding(_ code: String, _ path: String?, _ app: String, count: UInt64 = 1) -> RememberedFinding {
            .init(app: app, code: code, path: path, detail: "d", count: count, first: time, last: time)
        }
        var list = FindingList()
        let events = RememberedEvents(
            [
                finding("unexamined", nil, "a.b"), finding("refused", "f", "group.g"),
                finding("later", "f", "a.b"),
            ],
            forgotten: 2, unexamined: 1)
        events.add(to: &list, app: "a.b")
        #expect(
            list.findings.map { "\($0.code.rawValue) \($0.path): \($0.detail)" } == [
                "UNEXAMINED .: d (a program that is not known, 1970-01-01T00:00:01Z)",
                "REFUSED group.g/f: d (a program that is not known, 1970-01-01T00:00:01Z)",
                "UNEXAMINED .: 1 event of all apps came faster than they could be looked at",
                "UNEXAMINED .: 2 findings of all apps made room for later ones",
            ])
    }
}
