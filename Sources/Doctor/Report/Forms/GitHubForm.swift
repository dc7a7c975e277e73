internal import Posix

/// Commands to GitHub's runner, which shows them as annotations, and what is left for the step's summary.
public struct GitHubForm {
    /// GitHub shows no more of each level for a step.
    static let mostOfALevel = 10

    /// For standard output.
    public let lines: [String]
    private let rest: [(app: Report.App, finding: Finding)]
    /// How many findings have no annotation, those that were counted alone among them.
    public let left: Int

    /// - Parameter anchor: a file of the repository that the annotations are put to; nil: to none.
    public init(_ report: Report, anchor: String?) {
        var (lines, rest): ([String], [(app: Report.App, finding: Finding)]) = ([], [])
        for severity in Severity.allCases.reversed() {
            let all = report.apps.flatMap { app in
                app.found.findings.filter { $0.severity == severity }.map { (app: app, finding: $0) }
            }
            lines += all.prefix(Self.mostOfALevel).map { Self.line($0.finding, $0.app, anchor) }
            rest += all.dropFirst(Self.mostOfALevel)
        }
        self.lines = lines
        self.rest = rest
        left = rest.count + report.apps.reduce(0) { $0 + $1.found.omitted }
    }

    private static func line(_ finding: Finding, _ app: Report.App, _ anchor: String?) -> String {
        let command =
            switch finding.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        var properties = [("title", "\(finding.code.rawValue) (\(app.name))")]
        if let anchor { properties.insert(("file", anchor), at: 0) }
        let list = properties.map { "\($0.0)=\(property($0.1.printableLine))" }.joined(separator: ",")
        let message = "\(finding.path): \(finding.detail)".printableLine + "\nfix: \(finding.fix)"
        return "::\(command) \(list)::\(data(message))"
    }

    /// As the text behind a command is to be written: the runner takes it to the end of the line.
    static func data(_ text: String) -> String { escaped(text, "%\r\n") }

    /// As a property of a command is to be written: a comma or colon would end it.
    static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

    private static func escaped(_ text: String, _ special: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            guard special.unicodeScalars.contains(scalar) else {
                return result.unicodeScalars.append(scalar)
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "%" + (digits.count == 1 ? "0" : "") + digits
        }
    }

    /// What has no annotation, in Markdown.
    /// - Parameter roomBytes: for all of it: a summary that is larger is not shown at all.
    /// - Returns: nil where there is nothing to say, or no room to say it.
    public func summary(roomBytes: Int) -> String? {
        guard left > 0 else { return nil }
        let head = """

            ### apphome: \(counted(left, "more finding"))

            | Severity | Code | App | Path | |
            |---|---|---|---|---|

            """
        // For the line that says how many have none.
        let reserve = 100
        var (rows, listed) = ("", 0)
        var room = roomBytes - head.utf8.count - reserve
        guard room >= 0 else { return nil }
        for (app, finding) in rest {
            let row = Self.row(finding, app)
            room -= row.utf8.count
            guard room >= 0 else { break }
            rows += row
            listed += 1
        }
        let end = left > listed ? "\nand \(left - listed) more\n" : ""
        return head + rows + end
    }

    private static func row(_ finding: Finding, _ app: Report.App) -> String {
        let cells = [app.name, finding.path, finding.detail].map { "<code>\(markdown($0))</code>" }
        return "| \(finding.severity.rawValue) | \(finding.code.rawValue) | "
            + cells.joined(separator: " | ") + " |\n"
    }

    /// Text in which Markdown and HTML find nothing to obey: every character that either could give a
    /// meaning, one that makes an address or a mention among them, is written by its number.
    static func markdown(_ text: String) -> String {
        text.printableLine.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            if isPlain || scalar == " " || scalar == "/" || scalar == "-" || !scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += "&#\(scalar.value);"
            }
        }
    }
}
