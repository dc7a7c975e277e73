import Posix
import Testing

@testable import Doctor

/// Files that a report is told by: written by people, merged, cut off, or made to mislead.
@Suite struct ReportFileTests {
    private func damage(_ read: () throws(FileDamage) -> Void) -> String {
        do throws(FileDamage) { try read() } catch { return error.reason }
        return "none"
    }

    @Test func `A baseline is written a line for each, in order, and read as it was`() throws {
        let apps = [
            Samples.app(Samples.large("Documents/b", "Documents/a", "Documents/a") + Samples.hostile),
            Samples.app([Finding(.large, "Documents/z", "x", program: "cat")], id: "local.Alpha"),
        ]
        let baseline = Report.baseline(of: apps, ProjectSettings(), keeping: nil)
        let lines = baseline.text.split(separator: "\n").map(String.init)
        #expect(lines.count == baseline.counts.count + 5)
        #expect(
            lines[2...3] == [
                #"  "findings": ["#,
                #"    {"app": "local.Alpha", "code": "LARGE", "path": "Documents/z", "program": "cat"},"#,
            ])
        let twice = #"    {"app": "local.Notes", "code": "LARGE", "path": "Documents/a", "count": 2},"#
        #expect(lines.contains(twice))
        #expect(baseline.text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
        #expect(try Baseline(reading: Array(baseline.text.utf8)) == baseline)
        let empty = Report.baseline(of: [], ProjectSettings(), keeping: nil)
        #expect(try Baseline(reading: Array(empty.text.utf8)) == empty)
    }

    @Test func `Two branches that add the same finding are merged to one`() throws {
        let entry = #"{"app": "a", "code": "LARGE", "path": "b", "count": 2}"#
        let text = #"{"findings": [\#(entry), \#(entry)], "version": 1}"#
        #expect(try Baseline(reading: Array(text.utf8)).count == 2)
    }

    @Test(arguments: [
        ("", "it is no JSON; python3 -m json.tool says where"),
        ("[]", "the file is a list and should be an object"),
        ("{}", "the file has no version: \"version\": 1"),
        (#"{"version": 2}"#, "it is of version 2, and this AppHome knows version 1"),
        (#"{"version": 1.5}"#, "version of the file is a number and should be a number from 1 to 2147483647"),
        (#"{"version": "1"}"#, "version of the file is a text and should be a number from 1 to 2147483647"),
        (#"{"version": 1, "findings": {}}"#, "findings of the file is an object and should be a list"),
        (#"{"version": 1, "findings": [1]}"#, "finding 1 is a number and should be an object"),
        (#"{"version": 1, "findings": [{"app": "a"}]}"#, "finding 1 lacks its app or its code"),
        (
            #"{"version": 1, "findings": [{"app": "a", "code": "b", "count": 0}]}"#,
            "count of finding 1 is a number and should be a number from 1 to 2147483647"
        ),
        (
            #"{"version": 1, "findings": [{"app": "a", "code": "b", "count": 1e99}]}"#,
            "count of finding 1 is a number and should be a number from 1 to 2147483647"
        ),
        (
            #"{"version": 1, "findings": [{"app": "a", "code": "b", "path": null}]}"#,
            "path of finding 1 is null and should be a text"
        ),
        (#"{"version": 1, "finding": []}"#, "the file has a key \"finding\", which means nothing"),
    ])
    func `A damaged baseline is none, and says why`(text: String, reason: String) {
        #expect(damage { () throws(FileDamage) in _ = try Baseline(reading: Array(text.utf8)) } == reason)
    }

    @Test(arguments: [
        (
            #"{"version": 1, "ignore": [{}]}"#,
            "ignore 1 has no code, path or program, and would ignore everything"
        ),
        (
            #"{"version": 1, "ignore": [{"reason": "x"}]}"#,
            "ignore 1 has no code, path or program, and would ignore everything"
        ),
        (
            #"{"version": 1, "ignore": [{"code": "LARG"}]}"#,
            "ignore 1: \"LARG\" is no code of a finding; see: apphome doctor --explain list"
        ),
        (
            #"{"version": 1, "ignore": [{"path": ""}]}"#,
            "path of ignore 1 is empty, or longer than 1000 characters"
        ),
        (
            #"{"version": 1, "ignore": [{"code": "LARGE", "paht": "x"}]}"#,
            "ignore 1 has a key \"paht\", which means nothing"
        ),
        (#"{"version": 1, "failOn": "never"}"#, "failOn is \"never\" and should be error, warning or note"),
        (#"{"version": 1, "failOn": 3}"#, "failOn of the file is a number and should be a text"),
        (#"{"ignore": []}"#, "the file has no version: \"version\": 1"),
    ])
    func `A slip in a project's settings is said`(text: String, reason: String) {
        #expect(
            damage { () throws(FileDamage) in _ = try ProjectSettings(reading: Array(text.utf8)) } == reason)
    }

    @Test func `A project may have a thousand rules, and no more`() throws {
        func text(_ count: Int) -> [UInt8] {
            let rules = Array(repeating: #"{"code": "LARGE"}"#, count: count).joined(separator: ",")
            return Array(#"{"version": 1, "ignore": [\#(rules)]}"#.utf8)
        }
        #expect(try ProjectSettings(reading: text(1000)).ignores.count == 1000)
        #expect(damage { () throws(FileDamage) in _ = try ProjectSettings(reading: text(1001)) } != "none")
    }

    @Test func `JSON is read as it is written`() throws {
        let text = "\u{FEFF} {\"a\" : [ 1, -2.5e3, true , false,null,\"\\u00e9\\ud83d\\ude00\\n\\/é\" ] }\n"
        #expect(
            try JSONValue(reading: Array(text.utf8))
                == .object([
                    "a": .list([
                        .number(1), .number(-2500), .bool(true), .bool(false), .null, .text("é😀\n/é"),
                    ])
                ]))
    }

    @Test(arguments: [
        "{", "[1 2]", "{\"a\"}", "{a: 1}", "tru", "1 1", "\"a", "\"\\x\"", "\"\\ud800\"", "[1]//",
        String(repeating: "[", count: 99_999),
    ])
    func `What is no JSON is refused`(text: String) {
        let reason = damage { () throws(FileDamage) in _ = try JSONValue(reading: Array(text.utf8)) }
        #expect(reason.hasPrefix("it is no JSON"))
    }

    @Test func `Bytes that are no text are refused`() {
        #expect(
            damage { () throws(FileDamage) in _ = try JSONValue(reading: [0x22, 0xFF, 0x22]) }
                .hasPrefix("it is no JSON"))
    }
}
