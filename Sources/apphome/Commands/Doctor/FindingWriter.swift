internal import Doctor
internal import Posix
internal import Wire

/// What was found in an app.
struct AppFindings {
    let name: String
    let bundleID: String
    /// Files that were met, and bytes of them that were read.
    let files: Int
    let bytes: UInt64
    let found: FindingList
}

/// A form in which findings are printed.
protocol FindingWriter {
    /// Called once, with all apps.
    func write(_ reports: [AppFindings]) throws
}

/// For people: what matters most first, a line for each finding.
struct TextFindingWriter: FindingWriter {
    func write(_ reports: [AppFindings]) {
        for report in reports {
            for code in Self.order(report.found) { write(code, report.found) }
            print("\(printable(report.name)): \(Self.summary(report))")
        }
    }

    private static func order(_ found: FindingList) -> [FindingCode] {
        let codes = FindingCode.allCases.filter { found.counts[$0] != nil }
        return Severity.allCases.reversed().flatMap { severity in codes.filter { $0.severity == severity } }
    }

    private func write(_ code: FindingCode, _ found: FindingList) {
        print("\(code.severity.rawValue) \(code.rawValue): \(code.title)")
        let findings = found.findings.filter { $0.code == code }
        for finding in findings { print("  \(printable("\(finding.path): \(finding.detail)"))") }
        let left = (found.counts[code] ?? 0) - findings.count
        if left > 0 { print("  and \(left) more") }
        print("  fix: \(code.page.fix)")
    }

    private static func summary(_ report: AppFindings) -> String {
        let looked = "\(counted(report.files, "file")) looked at"
        let found = Severity.allCases.reversed().map { severity in
            counted(report.found.count(of: severity), severity.rawValue)
        }
        guard report.found.counts.isEmpty else { return "\(found.joined(separator: ", ")); \(looked)" }
        return "nothing found; \(looked)"
    }
}

/// For programs.
struct JSONFindingWriter: FindingWriter {
    /// Raised where a program that reads the output would take it for something else.
    static let version = 1

    struct Output: Encodable {
        let version = JSONFindingWriter.version
        let apps: [App]
        /// Of all apps.
        let errors: Int
        let warnings: Int
        let notes: Int
    }

    struct App: Encodable {
        let name: String
        let bundleID: String
        let files: Int
        let bytes: UInt64
        let findings: [Item]
        let omitted: Int
    }

    struct Item: Encodable {
        let code: String
        let severity: String
        let path: String
        let program: String?
        let title: String
        let detail: String
        let why: String
        let fix: String
    }

    func write(_ reports: [AppFindings]) throws {
        func count(_ severity: Severity) -> Int { reports.reduce(0) { $0 + $1.found.count(of: severity) } }
        try printJSON(
            Output(
                apps: reports.map(App.init), errors: count(.error), warnings: count(.warning),
                notes: count(.note)))
    }
}

extension JSONFindingWriter.App {
    init(_ report: AppFindings) {
        self.init(
            name: report.name, bundleID: report.bundleID, files: report.files, bytes: report.bytes,
            findings: report.found.findings.map(JSONFindingWriter.Item.init), omitted: report.found.omitted)
    }
}

extension JSONFindingWriter.Item {
    init(_ finding: Finding) {
        self.init(
            code: finding.code.rawValue, severity: finding.severity.rawValue, path: finding.path,
            program: finding.program, title: finding.code.title, detail: finding.detail, why: finding.why,
            fix: finding.fix)
    }
}
