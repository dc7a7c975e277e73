/// For programs: `apphome json-schema doctor` describes it.
public struct JSONForm: Encodable {
    /// Raised where a program that reads the output would take it for something else.
    static let version = 1

    let version = Self.version
    let apps: [App]
    /// Of all apps, without those that are known or ignored.
    let errors: Int
    let warnings: Int
    let notes: Int
    let failOn: String
    let unusedIgnores: [UnusedIgnore]
    let unusedBaseline: [UnusedEntry]

    struct App: Encodable {
        let name: String
        let bundleID: String
        let files: Int
        let bytes: UInt64
        let findings: [Item]
        let omitted: Int
        let known: [Item]
        let ignored: Int
    }

    struct Item: Encodable {
        let code: String
        let severity: String
        let path: String
        let title: String
        let detail: String
        let why: String
        let fix: String
        let program: String?
        let fingerprint: String
    }

    struct UnusedIgnore: Encodable {
        /// Its place in the file, from 1.
        let number: Int
        let code: String?
        let path: String?
        let program: String?
        let reason: String?
    }

    struct UnusedEntry: Encodable {
        let app: String
        let code: String
        let path: String?
        let program: String?
        let count: Int
    }

    public init(_ report: Report) {
        apps = report.apps.map(App.init)
        errors = report.count(of: .error)
        warnings = report.count(of: .warning)
        notes = report.count(of: .note)
        failOn = report.failOn.rawValue
        unusedIgnores = report.unusedIgnores.map { number, rule in
            UnusedIgnore(
                number: number, code: rule.code?.rawValue, path: rule.path?.pattern,
                program: rule.program?.pattern, reason: rule.reason)
        }
        unusedBaseline = report.unusedBaseline.map { identity, count in
            UnusedEntry(
                app: identity.app, code: identity.code, path: identity.path, program: identity.program,
                count: count)
        }
    }
}

extension JSONForm.App {
    init(_ app: Report.App) {
        self.init(
            name: app.name, bundleID: app.bundleID, files: app.files, bytes: app.bytes,
            findings: app.found.findings.map { JSONForm.Item($0, app) }, omitted: app.found.omitted,
            known: app.known.findings.map { JSONForm.Item($0, app) }, ignored: app.ignored)
    }
}

extension JSONForm.Item {
    init(_ finding: Finding, _ app: Report.App) {
        self.init(
            code: finding.code.rawValue, severity: finding.severity.rawValue, path: finding.path,
            title: finding.code.title, detail: finding.detail, why: finding.why, fix: finding.fix,
            program: finding.program, fingerprint: FindingIdentity(finding, in: app.bundleID).fingerprint)
    }
}
