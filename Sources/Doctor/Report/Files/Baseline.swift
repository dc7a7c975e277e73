internal import Posix

/// The findings that a team knows of and lives with for now: those of a run, written to a file.
public struct Baseline: Sendable, Equatable {
    static let version = 1
    /// Of a file, in bytes.
    public static let sizeLimit = 8 << 20

    /// How many there are of each.
    public private(set) var counts: [FindingIdentity: Int]

    init(_ counts: [FindingIdentity: Int] = [:]) { self.counts = counts }

    /// All that was found in these apps, and what was known of others.
    init(of apps: [AppFindings], keeping earlier: Baseline?) {
        let seen = Set(apps.map(\.bundleID))
        counts = (earlier?.counts ?? [:]).filter { !seen.contains($0.key.app) }
        for app in apps {
            for finding in app.found.findings {
                counts[FindingIdentity(finding, in: app.bundleID), default: 0] += 1
            }
            for code in app.found.counts.keys {
                let omitted = app.found.omitted(of: code)
                guard omitted > 0 else { continue }
                counts[.unlisted(code, in: app.bundleID), default: 0] += omitted
            }
        }
    }

    /// How many findings it has.
    public var count: Int { counts.values.reduce(0, +) }

    // MARK: The file

    public init(reading bytes: [UInt8]) throws(FileDamage) {
        var file = try JSONMembers(JSONValue(reading: bytes), "the file")
        try file.version(Self.version)
        let entries = try file.list("findings")
        try file.refuseOthers()
        counts = [:]
        for (index, entry) in entries.enumerated() {
            let (identity, count) = try Self.entry(entry, "finding \(index + 1)")
            // Two branches that were merged may both have added it.
            counts[identity] = max(count, counts[identity] ?? 0)
        }
    }

    private static func entry(
        _ value: JSONValue, _ name: String
    ) throws(FileDamage) -> (FindingIdentity, Int) {
        var entry = try JSONMembers(value, name)
        guard let app = try entry.text("app"), let code = try entry.text("code") else {
            throw FileDamage("\(name) lacks its app or its code")
        }
        let identity = FindingIdentity(
            app: app, code: code, path: try entry.text("path"), program: try entry.text("program"))
        let count = try entry.number("count", in: 1...Int(Int32.max)) ?? 1
        try entry.refuseOthers()
        return (identity, count)
    }

    /// A line for each, in order: a change of one is a change of one line.
    public var text: String {
        let lines = counts.sorted { $0.key < $1.key }.map { "    " + Self.line($0.key, $0.value) }
        let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
        return "{\n  \"version\": \(Self.version),\n  \"findings\": \(list)\n}\n"
    }

    private static func line(_ identity: FindingIdentity, _ count: Int) -> String {
        var members = [("app", identity.app), ("code", identity.code)]
        if let path = identity.path { members.append(("path", path)) }
        if let program = identity.program { members.append(("program", program)) }
        let texts = members.map { "\"\($0.0)\": \($0.1.quotedInJSON)" }
        return "{" + (texts + (count > 1 ? ["\"count\": \(count)"] : [])).joined(separator: ", ") + "}"
    }
}

extension FindingIdentity {
    static func unlisted(_ code: FindingCode, in app: String) -> FindingIdentity {
        FindingIdentity(app: app, code: code.rawValue, path: nil, program: nil)
    }
}

extension String {
    /// As a text of JSON, in which nothing is obeyed by a terminal.
    fileprivate var quotedInJSON: String {
        unicodeScalars.reduce(into: "\"") { text, scalar in
            if scalar == "\"" || scalar == "\\" {
                text += "\\"
                text.unicodeScalars.append(scalar)
            } else if scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        } + "\""
    }
}
