import Foundation
import Posix
import TestKit
import Testing

@testable import Doctor

/// Reports of files whose names are made to mislead, as CI systems read them.
@Suite struct ReportFormTests {
    private let hostile = Samples.report([Samples.app(Samples.hostile)], failOn: .warning)

    /// What GitHub's runner would obey of a line.
    private func obeyed(_ line: String) -> String? {
        let text = line.drop { $0.isWhitespace }
        if text.hasPrefix("::"), let end = text.dropFirst(2).range(of: "::") {
            return String(text.dropFirst(2)[..<end.lowerBound].prefix { $0 != " " })
        }
        return line.contains("##[") ? line : nil
    }

    @Test func `A log obeys no name of a file, and neither does a terminal`() {
        let lines = TextForm.lines(hostile)
        #expect(lines.count > 2 * Samples.hostileNames.count)
        #expect(lines.filter { obeyed($0) != nil || $0.contains("##vso[") } == [])
        #expect(lines.filter { $0.unicodeScalars.contains(where: \.isControl) } == [])
    }

    @Test func `GitHub gets one command for each finding, and nothing that a name says`() throws {
        let lines = GitHubForm(hostile, anchor: "a,b:c%.json").lines
        #expect(lines.filter { $0.unicodeScalars.contains(where: \.isControl) } == [])
        #expect(Set(lines.map(obeyed)) == ["error", "warning", "notice"])
        // Each as the runner takes it apart again.
        let shown = lines.compactMap { line in
            line.range(of: "::", range: line.index(line.startIndex, offsetBy: 2)..<line.endIndex).map {
                unescaped(String(line[$0.upperBound...]))
            }
        }
        #expect(
            shown.contains { $0.hasPrefix("Documents/x%0A::error: of x%0A::error\nfix: ") })
        #expect(shown.contains { $0.hasPrefix(#"Documents/new\u{A}line\u{D}::error::x: "#) })
        for line in lines {
            #expect(line.contains(" file=a%2Cb%3Ac%25.json,title="), "\(line)")
        }
    }

    private func unescaped(_ text: String) -> String {
        text.replacing("%0A", with: "\n").replacing("%0D", with: "\r").replacing("%25", with: "%")
    }

    @Test func `A command's text and properties are written as the runner reads them`() {
        #expect(GitHubForm.data("100%\r\n::a,b") == "100%25%0D%0A::a,b")
        #expect(GitHubForm.property("100%\r\n::a,b") == "100%25%0D%0A%3A%3Aa%2Cb")
    }

    @Test func `Past ten of a level the rest is for the step's summary, and past its room counted`() throws {
        let errors = (0..<12).map { Finding(.containerPath, "Documents/e\($0)", "x") }
        let notes = (0..<3).map { Finding(.purgeable, "tmp/\($0)", "x") }
        let form = GitHubForm(Samples.report([Samples.app(errors + notes)]), anchor: nil)
        #expect(form.lines.count == 13 && form.left == 2)
        #expect(form.lines.allSatisfy { !$0.contains("file=") })
        let summary = try #require(form.summary(roomBytes: 100_000))
        let rows = summary.split(separator: "\n")
        #expect(rows.first == "### apphome: 2 more findings" && rows.count == 5)
        #expect(form.summary(roomBytes: 10) == nil)
        let many = (0..<300).map { Finding(.containerPath, "Documents/e\($0)", "x") }
        let cut = try #require(
            GitHubForm(Samples.report([Samples.app(many)]), anchor: nil).summary(roomBytes: 2000))
        #expect(cut.utf8.count <= 2000 && cut.contains("\nand ") && cut.hasSuffix(" more\n"))
        #expect(GitHubForm(Samples.report([Samples.app(notes)]), anchor: nil).summary(roomBytes: 9999) == nil)
    }

    @Test func `A summary shows a name as it is, and Markdown finds nothing in it`() throws {
        let names = Samples.hostileNames.map { Finding(.large, $0, $0) }
        let form = GitHubForm(Samples.report([Samples.app(names)]), anchor: nil)
        let summary = try #require(form.summary(roomBytes: 100_000))
        let cells = summary.matches(of: #/<code>(.*?)<\/code>/#).map { String($0.1) }
        #expect(cells.count == form.left * 3)
        let numbers = #/&#[0-9]+;/#
        for cell in cells {
            let plain = cell.replacing(numbers, with: "")
            #expect(!plain.contains { "&<>*_`|[]()~#@.:\\!\n".contains($0) }, "\(cell)")
        }
        #expect(GitHubForm.markdown("a|<b>") == "a&#124;&#60;b&#62;")
    }

    @Test func `SARIF and JUnit are what their schemas say, whatever a name holds`() throws {
        let folder = try TemporaryFolder()
        let baseline = Report.baseline(
            of: [Samples.app(Samples.large("Documents/a"))], ProjectSettings(), keeping: nil)
        let known = Samples.report(
            [
                Samples.app(Samples.hostile + Samples.large("Documents/a")),
                Samples.app([], id: "local.Empty"),
            ],
            baseline: baseline)
        // More than are listed, of which a few are enough for a schema.
        var many = Samples.app((0..<FindingList.most + 2).map { Finding(.large, "Documents/\($0)", "x") })
        many.found = many.found.divided({ $0.path.hasSuffix("99") }, takesOmitted: { $1 }).taken
        #expect(many.found.omitted == 2)
        let reports = [
            "hostile": hostile, "known": known, "many": Samples.report([many]), "none": Samples.report([]),
        ]
        var files: [String] = []
        for (name, report) in reports {
            let path = folder.path + "/" + name
            for anchor in name == "hostile" ? [nil, "deep/a b%?#é.json", "/else where"] : ["a"] {
                let sarif = SARIFForm(report, anchor: anchor, version: "1.0")
                files.append("\(path)-\(files.count).sarif")
                try JSONEncoder().encode(sarif).write(to: URL(filePath: files.last ?? ""))
            }
            files.append(path + ".xml")
            try JUnitForm.text(report).write(toFile: path + ".xml", atomically: false, encoding: .utf8)
        }
        #expect(try Schemas.complaints(files) == "")
    }

    @Test func `SARIF has for each finding what GitHub asks for`() throws {
        struct Log: Decodable {
            struct Run: Decodable {
                struct Tool: Decodable {
                    struct Driver: Decodable { let rules: [Rule] }
                    let driver: Driver
                }
                let tool: Tool
                let results: [Result]
            }
            struct Rule: Decodable { let id: String, helpUri: String }
            struct Text: Decodable { let text: String }
            struct Result: Decodable {
                struct Location: Decodable {
                    struct Physical: Decodable {
                        struct Artifact: Decodable { let uri: String }
                        struct Region: Decodable { let startLine: Int }
                        let artifactLocation: Artifact
                        let region: Region
                    }
                    struct Logical: Decodable { let fullyQualifiedName: String }
                    let physicalLocation: Physical
                    let logicalLocations: [Logical]
                }
                let ruleId: String, ruleIndex: Int, level: String
                let message: Text
                let locations: [Location]
                let partialFingerprints: [String: String]
                let baselineState: String?
            }
            let version: String
            let runs: [Run]
        }
        let old = Samples.large("Documents/a")
        let baseline = Report.baseline(of: [Samples.app(old)], ProjectSettings(), keeping: nil)
        let new = Samples.large("Documents/a", "Documents/[x](y){0}") + [Finding(.purgeable, "tmp/b", "c")]
        let report = Samples.report([Samples.app(old + new)], baseline: baseline)
        let bytes = try JSONEncoder().encode(SARIFForm(report, anchor: "a b.json", version: "1"))
        let log = try JSONDecoder().decode(Log.self, from: bytes)
        let run = try #require(log.runs.first)
        #expect(run.tool.driver.rules.map(\.id) == FindingCode.allCases.map(\.rawValue))
        #expect(run.tool.driver.rules.allSatisfy { $0.helpUri.hasPrefix("https://") })
        #expect(run.results.allSatisfy { run.tool.driver.rules[$0.ruleIndex].id == $0.ruleId })
        #expect(run.results.map(\.level) == ["warning", "warning", "note", "warning"])
        #expect(run.results.map(\.baselineState) == ["new", "new", "new", "unchanged"])
        let places = run.results.compactMap(\.locations.first)
        #expect(Set(places.map(\.physicalLocation.artifactLocation.uri)) == ["a%20b.json"])
        #expect(places.allSatisfy { $0.physicalLocation.region.startLine == 1 })
        #expect(places[2].logicalLocations.map(\.fullyQualifiedName) == ["local.Notes/tmp/b"])
        #expect(run.results.contains { $0.message.text.hasPrefix(#"Documents/\[x\](y){{0}}: 3 MB. "#) })
        // Two of the same at one path are told apart.
        let prints = run.results.compactMap { $0.partialFingerprints["appHomeFinding/v1"] }
        #expect(Set(prints).count == 4 && prints.allSatisfy { $0.contains(#/^[0-9a-f]{32}:[12]$/#) })
    }

    @Test func `JUnit fails where the command does, each path a case with a name of its own`() throws {
        let findings =
            Samples.large("Documents/a", "Documents/a", "Documents/b") + [Finding(.purgeable, "tmp/c", "d")]
        let text = JUnitForm.text(Samples.report([Samples.app(findings)], failOn: .warning))
        let total = FindingCode.allCases.count + 1
        #expect(text.contains("<testsuites name=\"apphome\" tests=\"\(total)\" failures=\"2\" errors=\"0\">"))
        #expect(text.matches(of: #/<failure /#).count == 2 && text.matches(of: #/<testcase /#).count == total)
        #expect(text.contains("Documents/a: 3 MB\nDocuments/a: 3 MB\nfix: "))
        #expect(
            text.contains("<testcase name=\"tmp/c\" classname=\"local.Notes.PURGEABLE\">\n      <system-out>")
        )
        let names = text.matches(of: #/<testcase name="(.*?)" classname="(.*?)"/#).map { "\($0.1) \($0.2)" }
        #expect(Set(names).count == names.count)
    }
}

/// The schemas of other people's forms, as mount-scripts/report-schemas fetches them.
private enum Schemas {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// - Returns: what is wrong with the files.
    static func complaints(_ files: [String]) throws -> String {
        let folder = try output(of: [repository + "/mount-scripts/report-schemas"]).text
            .split(separator: "\n").last.map(String.init)
        let schemas = try #require(folder, "mount-scripts/report-schemas could not fetch them")
        let check = repository + "/Tests/ReportSchemas/check.py"
        let outcome = try output(of: [schemas + "/bin/python", check, schemas] + files)
        return outcome.status == 0 || outcome.text != ""
            ? outcome.text : "the check ended with \(outcome.status)"
    }
}
