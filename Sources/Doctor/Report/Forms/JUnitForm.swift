internal import Posix

/// Results of tests, as GitLab, Jenkins and others read them: an app is a suite, a path that something was
/// found at is a case that failed, and a code that nothing was found of is a case that passed.
public enum JUnitForm {
    public static func text(_ report: Report) -> String {
        let suites = report.apps.map { suite($0, report) }
        let total = suites.reduce(0) { $0 + $1.cases.count }
        let failures = suites.reduce(0) { $0 + $1.failures }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="apphome" tests="\(total)" failures="\(failures)" errors="0">

            """ + suites.map(\.text).joined() + "</testsuites>\n"
    }

    private struct Suite {
        let name: String
        var cases: [String] = []
        var failures = 0
        var skipped = 0

        var text: String {
            "  <testsuite name=\"\(xml(name))\" tests=\"\(cases.count)\" failures=\"\(failures)\""
                + " errors=\"0\" skipped=\"\(skipped)\">\n" + cases.joined() + "  </testsuite>\n"
        }
    }

    private static func suite(_ app: Report.App, _ report: Report) -> Suite {
        var suite = Suite(name: app.bundleID)
        for code in FindingCode.allCases {
            let place = "name=\"\(xml(code.title))\" classname=\"\(xml(className(code, app)))\""
            guard app.found.counts[code] != nil else {
                let known = app.known.counts[code] ?? 0
                if known > 0 { suite.skipped += 1 }
                let body = known > 0 ? "><skipped message=\"\(known) known\"/></testcase>" : "/>"
                suite.cases.append("    <testcase \(place)\(body)\n")
                continue
            }
            let fails = code.severity >= report.failOn
            for (path, findings) in byPath(code, app.found) {
                if fails { suite.failures += 1 }
                suite.cases.append(failed(path, findings, code, app, fails: fails))
            }
        }
        return suite
    }

    /// GitLab takes cases with the same name for one, of which it shows one failure.
    private static func byPath(_ code: FindingCode, _ found: FindingList) -> [(String, [String])] {
        let listed = found.findings.filter { $0.code == code }
        let groups = Dictionary(grouping: listed) { xml($0.path) }
        var paths = groups.map { ($0.value[0].path, $0.value.map { "\($0.path): \($0.detail)" }) }
        paths.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let left = found.omitted(of: code)
        return left > 0 ? paths + [("others", ["and \(left) more"])] : paths
    }

    /// What is below the severity that matters is told, and has not failed: report and exit status agree.
    private static func failed(
        _ path: String, _ lines: [String], _ code: FindingCode, _ app: Report.App, fails: Bool
    ) -> String {
        let place = "name=\"\(xml(path))\" classname=\"\(xml(className(code, app)))\""
        // GitLab shows the text and no message.
        let text = (["\(code.rawValue): \(code.title)"] + lines + ["fix: \(code.page.fix)"])
            .map { xml($0) }.joined(separator: "\n")
        let body =
            fails
            ? "<failure type=\"\(code.severity.rawValue)\" message=\"\(xml(lines.first ?? ""))\">"
                + "\(text)</failure>" : "<system-out>\(text)</system-out>"
        return "    <testcase \(place)>\n      \(body)\n    </testcase>\n"
    }

    private static func className(_ code: FindingCode, _ app: Report.App) -> String {
        "\(app.bundleID).\(code.rawValue)"
    }

    /// Text of an element or attribute. What XML cannot hold, by its number neither, is a question mark.
    static func xml(_ text: String) -> String {
        text.logLine.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&", "<", ">", "\"", "'": result += "&#\(scalar.value);"
            case "\u{FFFE}", "\u{FFFF}": result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
