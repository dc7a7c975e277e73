import Testing

@testable import Doctor

/// What is new, known and ignored.
@Suite struct FindingReportTests {
    private let apps = [
        Samples.app(
            Samples.large("Documents/a", "Documents/b") + [Finding(.containerPath, "Documents/c", "x")])
    ]

    private func baseline(_ apps: [AppFindings], keeping: Baseline? = nil) throws -> Baseline {
        let written = Report.baseline(of: apps, ProjectSettings(), keeping: keeping)
        return try Baseline(reading: Array(written.text.utf8))
    }

    @Test func `A second run with the first one's baseline has nothing new`() throws {
        let first = Samples.report(apps)
        #expect(first.fails && first.apps[0].found.counts == [.large: 2, .containerPath: 1])
        let second = Samples.report(apps, baseline: try baseline(apps), failOn: .note)
        #expect(!second.fails && second.apps[0].found.counts.isEmpty)
        #expect(second.apps[0].known.counts == [.large: 2, .containerPath: 1])
        #expect(second.unusedBaseline.isEmpty)
    }

    @Test func `What comes on top of a baseline is new, the same at the same path again too`() throws {
        let baseline = try baseline(apps)
        let more = [Samples.app(apps[0].found.findings + Samples.large("Documents/a", "Documents/d"))]
        let report = Samples.report(more, baseline: baseline, failOn: .warning)
        #expect(report.fails)
        #expect(report.apps[0].found.findings.map(\.path) == ["Documents/a", "Documents/d"])
    }

    @Test func `What a baseline has and nobody finds any more is named, of apps that were looked at`() throws
    {
        let other = Samples.app(Samples.large("Documents/o"), id: "local.Other")
        let baseline = try baseline(apps + [other])
        let report = Samples.report([Samples.app(Samples.large("Documents/b"))], baseline: baseline)
        #expect(report.unusedBaseline.map(\.identity.path) == ["Documents/c", "Documents/a"])
        // Written anew after looking at one app, it keeps what it has of the other.
        let again = try self.baseline([Samples.app([])], keeping: baseline)
        #expect(again.counts.keys.map(\.app) == ["local.Other"])
    }

    @Test func `More findings than are listed are known by their number`() throws {
        let many = FindingList.most + 5
        func app(_ count: Int, from first: Int) -> AppFindings {
            Samples.app((first..<first + count).map { Finding(.large, "Documents/\($0)", "x") })
        }
        let baseline = try baseline([app(many, from: 0)])
        // Which ones are listed is chance: here others are.
        let same = Samples.report([app(many, from: 1000)], baseline: baseline, failOn: .note)
        #expect(!same.fails && same.apps[0].known.counts == [.large: many])
        #expect(same.apps[0].known.omitted == 5 && same.unusedBaseline.isEmpty)
        let more = Samples.report([app(many + 2, from: 0)], baseline: baseline, failOn: .note)
        #expect(more.fails && more.apps[0].found.counts == [.large: 2])
        let ignored = try Samples.settings(#"{"version": 1, "ignore": [{"code": "LARGE"}]}"#)
        let none = Samples.report([app(many, from: 0)], ignored, failOn: .note)
        #expect(!none.fails && none.apps[0].ignored == many)
    }

    @Test func `A finding is the same one after an update, in another folder, by another random name`() {
        func identity(_ path: String, app: String = "a", _ program: String? = nil) -> FindingIdentity {
            FindingIdentity(Finding(.large, path, "x", program: program), in: app)
        }
        let one = identity("Documents/54CB220D-10A4-481D-BE2A-1557B1978E68/x")
        #expect(one == identity("Documents/00cb220d-10a4-481d-be2a-1557b1978e00/x"))
        #expect(one.path == "Documents/UUID/x" && one.fingerprint.count == 32)
        let others = [
            identity("Documents/UUID/y"), identity("Documents/UUID/x", app: "b"),
            identity("Documents/UUID/x", "git"), identity("Documents/54CB220D-10A4-481D-BE2A-1557B1978E6/x"),
        ]
        #expect(Set(others.map(\.fingerprint) + [one.fingerprint]).count == 5)
        // It stands in files that were written before.
        #expect(identity("Documents/a").fingerprint == "8fd16494f1c24bded5abb7755a9d677d")
    }

    @Test func `A project ignores by code, path and program, and hears of rules that ignore nothing`() throws
    {
        let settings = try Samples.settings(
            """
            {"version": 1, "failOn": "note", "ignore": [
                {"code": "LARGE", "path": "Documents/media/**", "reason": "made by people"},
                {"path": "*.tmp"}, {"program": "mono*", "code": "NAME-CASE"},
                {"code": "EXPOSED"}, {"path": "Documents/gone", "code": "LARGE"}]}
            """)
        let app = Samples.app(
            Samples.large("Documents/media/a/b", "Documents/media", "Library/x.tmp") + [
                Finding(.nameCase, "Documents/a", "x", program: "mono-sgen"),
                Finding(.nameCase, "Documents/b", "x", program: "cat"),
                Finding(.nameCase, "Documents/c", "x"),
            ])
        let report = Samples.report([app], settings)
        #expect(report.apps[0].ignored == 3 && report.failOn == .note)
        let left = report.apps[0].found.findings.map(\.path)
        #expect(left == ["Documents/b", "Documents/c", "Documents/media"])
        #expect(report.unusedIgnores.map(\.number) == [4, 5])
        #expect(
            report.unusedIgnores.map(\.rule.words) == ["code EXPOSED", "code LARGE, path Documents/gone"])
        #expect(Samples.report([app], settings, failOn: .error).failOn == .error)
    }

    @Test func `What git asks to learn about the file system is nobody's mistake`() {
        let app = Samples.app([
            Finding(.nameCase, "Documents/project/.git/CoNfIg", "x", program: "git"),
            Finding(.nameCase, "Documents/project/.git/Config", "x", program: "git"),
        ])
        let report = Samples.report([app])
        #expect(report.apps[0].ignored == 1 && report.apps[0].found.counts == [.nameCase: 1])
        #expect(report.unusedIgnores.isEmpty && Samples.report([Samples.app([])]).unusedIgnores.isEmpty)
    }

    @Test func `Text tells what is known and ignored by number, and names what is of no use`() throws {
        let settings = try Samples.settings(
            #"{"version": 1, "ignore": [{"path": "Documents/b"}, {"code": "EXPOSED"}]}"#)
        let old = Samples.app(Samples.large("Documents/a", "Documents/gone"))
        let report = Samples.report(
            [Samples.app(Samples.large("Documents/a", "Documents/b"))], settings,
            baseline: try baseline([old]))
        #expect(
            TextForm.lines(report) == [
                "Notes: nothing new; 1 known (1 LARGE); 1 ignored; 3 files looked at",
                "unused: ignore 2 of .apphome.json: code EXPOSED",
                "unused: in the baseline, and found no more: LARGE Documents/gone (local.Notes)",
            ])
    }
}
