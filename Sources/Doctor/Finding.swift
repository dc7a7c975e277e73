/// How much a finding matters.
public enum Severity: String, Codable, Sendable, CaseIterable, Comparable {
    /// Worth knowing; nothing breaks by it alone.
    case note
    /// Breaks in some place that is not this one, or is turned down in a review.
    case warning
    /// Breaks on a device.
    case error

    public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// Something about an app that breaks on a device, or may.
public struct Finding: Sendable, Equatable {
    public let code: FindingCode
    /// From the home's top, without a leading slash; `NAME.app/…` in the bundle, `GROUP/…` in a group's
    /// container; absolute where it is in none of these, and a group's name where that is meant. Not fit for
    /// a terminal: names are an app's.
    public let path: String
    /// What is so about this path, as a part of a sentence. Not fit for a terminal either.
    public let detail: String
    /// Who did it, where that is known; nil for what was found on the disk.
    public var program: String?

    public init(_ code: FindingCode, _ path: String, _ detail: String, program: String? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
        self.program = program
    }

    public var severity: Severity { code.severity }
    /// Why it breaks.
    public var why: String { code.page.why }
    /// How to mend it.
    public var fix: String { code.page.fix }
}

/// The findings of an app, a bounded number of each code: an app can make as many files as it likes.
public struct FindingList: Sendable {
    /// Of each code.
    public static let most = 2000

    public private(set) var findings: [Finding] = []
    /// How many there were of each code, those that are not listed among them.
    public private(set) var counts: [FindingCode: Int] = [:]

    public init() {}

    public mutating func add(_ finding: Finding) {
        let count = counts[finding.code, default: 0]
        counts[finding.code] = count + 1
        if count < Self.most { findings.append(finding) }
    }

    public mutating func add(_ code: FindingCode, _ path: String, _ detail: String) {
        add(Finding(code, path, detail))
    }

    /// How many there were that matter at least so much.
    public func count(atLeast severity: Severity) -> Int {
        counts.reduce(0) { $1.key.severity >= severity ? $0 + $1.value : $0 }
    }

    public func count(of severity: Severity) -> Int {
        counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
    }

    /// Those that are not listed.
    public var omitted: Int { counts.values.reduce(0) { $0 + max(0, $1 - Self.most) } }
}
