internal import Posix

/// For people: what matters most first, a line for each finding.
public enum TextForm {
    /// How many of a list that is beside the point are named.
    private static let mostNamed = 20

    public static func lines(_ report: Report) -> [String] {
        (report.apps.flatMap(lines) + ignores(report) + baseline(report)).map(\.logLine)
    }

    private static func lines(_ app: Report.App) -> [String] {
        codes(app.found).flatMap { lines($0, app.found) } + ["\(app.name): \(summary(app))"]
    }

    private static func codes(_ found: FindingList) -> [FindingCode] {
        let codes = FindingCode.allCases.filter { found.counts[$0] != nil }
        return Severity.allCases.reversed().flatMap { severity in codes.filter { $0.severity == severity } }
    }

    private static func lines(_ code: FindingCode, _ found: FindingList) -> [String] {
        var lines = ["\(code.severity.rawValue) \(code.rawValue): \(code.title)"]
        lines += found.findings.filter { $0.code == code }.map { "  \($0.path): \($0.detail)" }
        let left = found.omitted(of: code)
        if left > 0 { lines.append("  and \(left) more") }
        return lines + ["  fix: \(code.page.fix)"]
    }

    private static func summary(_ app: Report.App) -> String {
        var parts: [String] = []
        if app.found.counts.isEmpty {
            parts.append(app.known.counts.isEmpty ? "nothing found" : "nothing new")
        } else {
            parts.append(
                Severity.allCases.reversed().map { severity in
                    counted(app.found.count(of: severity), severity.rawValue)
                }.joined(separator: ", "))
        }
        if let known = known(app.known) { parts.append(known) }
        if app.ignored > 0 { parts.append("\(app.ignored) ignored") }
        return (parts + ["\(counted(app.files, "file")) looked at"]).joined(separator: "; ")
    }

    /// Known ones are counted by their codes, and named nowhere else: their team has seen them.
    private static func known(_ found: FindingList) -> String? {
        guard !found.counts.isEmpty else { return nil }
        let codes = codes(found).map { "\(found.counts[$0] ?? 0) \($0.rawValue)" }
        return "\(found.counts.values.reduce(0, +)) known (\(codes.joined(separator: ", ")))"
    }

    private static func ignores(_ report: Report) -> [String] {
        report.unusedIgnores.map { number, rule in
            "unused: ignore \(number) of \(ProjectSettings.fileName): \(rule.words)"
        }
    }

    private static func baseline(_ report: Report) -> [String] {
        let unused = report.unusedBaseline
        let named = unused.prefix(mostNamed).map { identity, count in
            "unused: in the baseline, and found no more: \(identity.code) \(identity.path ?? "")"
                + " (\(identity.app))" + (count > 1 ? ", \(count) times" : "")
        }
        let left = unused.count - named.count
        return named + (left > 0 ? ["unused: \(left) more of the baseline"] : [])
    }
}
