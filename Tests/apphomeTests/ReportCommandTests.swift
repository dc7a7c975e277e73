import Foundation
import Testing

/// Reports of `apphome doctor`, through the program: what it reads beside the findings, and what it writes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReportCommandTests {
    /// A device with an app that has two errors and thirteen notes, and a checkout to run in.
    private struct Bench: ~Copyable {
        let place: Workplace
        var checkout: String { place.path + "/checkout" }

        static func made() throws -> Bench {
            let place = try Workplace()
            #expect(try place.run("new", "Notes", "--share", "--files").status == 0)
            #expect(try place.run("cloud", "account", "none").status == 0)
            let container = try #require(try names(place.device + "/Containers/Data/Application").first)
            let home = place.path + "/home"
            #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
            let papers = ["tmp/new\nline.pdf"] + (10..<22).map { "tmp/\($0).pdf" }
            for name in ["Documents/a.txt", "Documents/x%0A::error"] + papers {
                let text = name.hasPrefix("tmp") ? "x" : container
                try text.write(toFile: home + "/" + name, atomically: false, encoding: .utf8)
            }
            #expect(try place.run("unmount", home).status == 0)
            for folder in [".git", "deep/er"] {
                try FileManager.default.createDirectory(
                    atPath: place.path + "/checkout/" + folder, withIntermediateDirectories: true)
            }
            return Bench(place: place)
        }

        /// Runs `doctor Notes` in a folder of the checkout.
        func doctor(_ arguments: String..., below folder: String = "", summary: String = "") throws -> Outcome
        {
            let place = ["--chdir", checkout + "/" + folder, "GITHUB_STEP_SUMMARY=" + summary]
            return try apphome(
                place + [program, "doctor", "Notes"] + arguments, in: self.place.device,
                program: "/usr/bin/env")
        }

        func read(_ name: String) throws -> String {
            try String(contentsOfFile: checkout + "/" + name, encoding: .utf8)
        }

        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: checkout + "/" + name, atomically: false, encoding: .utf8)
        }
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func eachFormGoesWhereItIsAskedToAndTextToStandardOutput() throws {
        let bench = try Bench.made()
        let all = try bench.doctor(
            "--format", "github", "--format", "sarif=../o.sarif", "--format", "junit=o.xml", "--format",
            "json=o=.json", "--format", "text=/dev/stderr", "--anchor", "../Info.plist", below: "deep")
        #expect(all.status == 3)
        let lines = all.output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("::error file=Info.plist,title=CONTAINER-PATH ") } == 2, "\(all)")
        #expect(lines.count { $0.hasPrefix("::notice file=Info.plist,title=PURGEABLE ") } == 10)
        #expect(lines[12] == "3 more findings without an annotation of GitHub's")
        let text = lines[13...].joined(separator: "\n") + "\n"
        #expect(text.hasSuffix("Notes: 2 errors, 0 warnings, 13 notes; 15 files looked at\n"))
        #expect(all.errors == text)
        #expect(try object(try bench.read("deep/o=.json"))["errors"] as? Int == 2)
        #expect(try object(try bench.read("o.sarif"))["version"] as? String == "2.1.0")
        #expect(try bench.read("o.sarif").contains("\"uri\" : \"Info.plist\""))
        #expect(try bench.read("deep/o.xml").hasPrefix("<?xml"))
        #expect(try names(bench.checkout + "/deep") == ["er", "o.xml", "o=.json"])
        for form in ["json", "sarif"] {
            let alone = try bench.doctor("--format", form)
            #expect(try alone.status == 3 && object(alone.output).isEmpty == false, "\(form)")
        }
        for wrong in [
            ["--json", "--format", "sarif"], ["--json", "--format", "github"], ["--format", "yaml"],
            ["--format", "sarif="], ["--format", "json=a", "--format", "text=a"], ["--write-baseline"],
        ] {
            let outcome = try apphome(["doctor", "Notes"] + wrong, in: bench.place.device)
            #expect(outcome.status == 64 && outcome.output.isEmpty, "\(wrong): \(outcome)")
        }
    }

    @Test func whatHasNoAnnotationIsAddedToTheStepsSummary() throws {
        let bench = try Bench.made()
        try bench.write("before\n", "summary")
        let found = try bench.doctor("--format", "github", summary: bench.checkout + "/summary")
        #expect(!found.output.contains("without an annotation"))
        let summary = try bench.read("summary")
        #expect(summary.hasPrefix("before\n\n### apphome: 3 more findings\n"))
        #expect(summary.contains("<code>tmp/new&#92;u&#123;A&#125;line&#46;pdf</code>"))
        // Where it is full, they are counted: GitHub shows none that is larger than it takes.
        try bench.write(String(repeating: "x", count: 1_000_000), "summary")
        let full = try bench.doctor("--format", "github", summary: bench.checkout + "/summary")
        #expect(full.output.contains("3 more findings without an annotation of GitHub's\n"))
        #expect(try bench.read("summary").utf8.count == 1_000_000)
    }

    @Test func aSecondRunWithTheFirstOnesBaselineIsClean() throws {
        let bench = try Bench.made()
        let file = bench.checkout + "/known.json"
        #expect(try bench.doctor("--baseline", "known.json").status == 64)
        #expect(try bench.doctor("--baseline", "known.json", "--write-baseline").status == 0)
        let first = try bench.read("known.json")
        let second = try bench.doctor("--baseline", "known.json", "--fail-on", "note")
        #expect(second.status == 0)
        #expect(
            second.output
                == "Notes: nothing new; 15 known (2 CONTAINER-PATH, 13 PURGEABLE); 15 files looked at\n")
        // Written again it is the same, with its mode, and behind a link.
        #expect(chmod(file, 0o640) == 0 && symlink("known.json", bench.checkout + "/link") == 0)
        try bench.write(first.replacing("tmp/12.pdf", with: "tmp/gone.pdf"), "known.json")
        let third = try bench.doctor("--baseline", "link", "--fail-on", "note")
        #expect(third.status == 3 && third.output.contains("\n  tmp/12.pdf: "))
        #expect(third.output.hasSuffix("found no more: PURGEABLE tmp/gone.pdf (local.Notes)\n"))
        #expect(try bench.doctor("--baseline", "link", "--write-baseline").status == 0)
        #expect(try bench.read("known.json") == first)
        #expect(try names(bench.checkout) == [".git", "deep", "known.json", "link"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        try bench.write(String(first.dropLast(5)), "known.json")
        let damaged = try bench.doctor("--baseline", "known.json")
        #expect(damaged.status == 64 && damaged.output.isEmpty)
        let reason = "it is no JSON; python3 -m json.tool says where"
        #expect(damaged.errors == "apphome: error: cannot use known.json: \(reason)\n")
        #expect(try bench.doctor("--baseline", "/dev/zero").status == 64)
        #expect(try bench.doctor("--format", "sarif=/nowhere/a").status == 1)
    }

    @Test func aProjectsSettingsAreTheNearestOnesUpToItsTop() throws {
        let bench = try Bench.made()
        let ignoring = #"{"version": 1, "ignore": [{"code": "CONTAINER-PATH", "path": "Documents"}]}"#
        // Above the repository's top is another one's word.
        try ignoring.write(toFile: bench.place.path + "/.apphome.json", atomically: false, encoding: .utf8)
        #expect(try bench.doctor(below: "deep/er").status == 3)
        try bench.write(ignoring, ".apphome.json")
        let above = try bench.doctor("--format", "github", below: "deep/er")
        #expect(above.status == 0 && !above.output.contains("file="))
        #expect(above.output.hasSuffix("0 errors, 0 warnings, 13 notes; 2 ignored; 15 files looked at\n"))
        let here = try bench.doctor("--format", "github")
        #expect(here.output.contains("::notice file=.apphome.json,title=PURGEABLE "))
        // A nearer one counts alone.
        try bench.write(
            #"{"version": 1, "failOn": "note", "ignore": [{"code": "LARGE"}]}"#, "deep/.apphome.json")
        let near = try bench.doctor("--format", "github", below: "deep")
        #expect(near.status == 3 && near.output.contains(" file=deep/.apphome.json,"))
        #expect(near.output.hasSuffix("\nunused: ignore 1 of .apphome.json: code LARGE\n"))
        try bench.write(#"{"version": 1, "failOn": "note", "ignore": [{"path": "*"}]}"#, "deep/.apphome.json")
        #expect(try bench.doctor(below: "deep").status == 0)
        try bench.write(#"{"version": 1, "ignore": 1}"#, "deep/.apphome.json")
        let wrong = try bench.doctor(below: "deep/er")
        #expect(
            wrong.status == 64
                && wrong.errors.hasSuffix("ignore of the file is a number and should be a list\n"))
        // Without a repository only the working directory is looked at.
        try FileManager.default.removeItem(atPath: bench.checkout + "/.git")
        #expect(try bench.doctor(below: "deep/er").status == 3)
        #expect(try bench.doctor(below: "deep").status == 64)
    }
}
