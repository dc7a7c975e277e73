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
    /// The name of the program whose mistake it was, where one was seen to make it; nil: what lies on the
    /// disk does not say. Not fit for a terminal either.
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
    public var omitted: Int { counts.values.reduce(-findings.count, +) }

    /// Those of a code that are not listed.
    public func omitted(of code: FindingCode) -> Int {
        counts[code, default: 0] - findings.count { $0.code == code }
    }

    /// The same, by path: in which order a directory names its files is chance.
    func sorted() -> FindingList {
        var sorted = self
        sorted.findings.sort { one, other in
            (one.path == other.path ? one.detail : one.path).utf8
                .lexicographicallyPrecedes((one.path == other.path ? other.detail : other.path).utf8)
        }
        return sorted
    }

    /// - Parameters:
    ///   - isTaken: asked once for each that is listed, in their order.
    ///   - takesOmitted: how many it takes of a code's `omitted`, of which there are so many.
    /// - Returns: those that are taken, and the rest.
    func divided(
        _ isTaken: (Finding) -> Bool, takesOmitted: (FindingCode, Int) -> Int
    ) -> (taken: FindingList, left: FindingList) {
        var (taken, left) = (FindingList(), self)
        left.findings = []
        for finding in findings {
            guard isTaken(finding) else {
                left.findings.append(finding)
                continue
            }
            taken.findings.append(finding)
            taken.counts[finding.code, default: 0] += 1
        }
        for code in counts.keys {
            let unlisted = omitted(of: code)
            if unlisted > 0 { taken.counts[code, default: 0] += takesOmitted(code, unlisted) }
            let rest = counts[code, default: 0] - taken.counts[code, default: 0]
            left.counts[code] = rest > 0 ? rest : nil
        }
        taken.counts = taken.counts.filter { $0.value > 0 }
        return (taken, left)
    }
}
