@testable import Doctor

/// Findings as a walk would make them.
enum Samples {
    static func app(_ findings: [Finding], id: String = "local.Notes") -> AppFindings {
        var list = FindingList()
        for finding in findings { list.add(finding) }
        return AppFindings(name: "Notes", bundleID: id, files: 3, bytes: 10, found: list)
    }

    static func large(_ paths: String...) -> [Finding] { paths.map { Finding(.large, $0, "3 MB") } }

    static func settings(_ text: String) throws -> ProjectSettings {
        try ProjectSettings(reading: Array(text.utf8))
    }

    /// Names that mean something to a log, a terminal, XML, Markdown or SARIF.
    static let hostileNames = [
        "x%0A::error", "new\nline\r::error::x", "::error::x", " \u{3000}::warning file=a::x",
        "a##[error]b", "##vso[task.setvariable]x", "\u{1b}[2J\u{7}\u{9b}31m", "\u{202e}gpj.exe",
        "null\u{0}", "\u{FFFE}\u{FFFF}", String(decoding: [0x66, 0xFF, 0xFE], as: UTF8.self),
        "<i>&\"'</i>]]>", "a,b:c=d", "{0} {1}", "[a](https://example.org)", "`|*_~#@everyone www.example.org",
        "e\u{301}\u{2028}\u{2029}\u{85}", "\u{1F600}",
    ]

    static var hostile: [Finding] {
        hostileNames.enumerated().map { index, name in
            Finding(
                [.containerPath, .large, .purgeable][index % 3], "Documents/" + name, "of \(name)",
                program: name)
        } + hostileNames.map { Finding(.nameCase, $0, $0) }
    }

    static func report(
        _ apps: [AppFindings], _ settings: ProjectSettings = ProjectSettings(), baseline: Baseline? = nil,
        failOn: Severity? = nil
    ) -> Report {
        Report(apps, settings, baseline: baseline, failOn: failOn)
    }
}
