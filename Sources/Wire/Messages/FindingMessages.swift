/// What a program did that breaks on a device. The same by the same program again is counted.
public struct RememberedFinding: Codable, Equatable, Sendable {
    /// The app's or group's identifier.
    public var app: String
    /// The name of the events that it was: one of `WatchedEvent.findingCodes`.
    public var code: String
    public var path: String?
    public var program: String?
    /// What the latest of these events said beside.
    public var detail: String?
    /// How often it happened.
    public var count: UInt64
    public var first: Timestamp
    public var last: Timestamp

    public init(
        app: String, code: String, path: String? = nil, program: String? = nil, detail: String? = nil,
        count: UInt64, first: Timestamp, last: Timestamp
    ) {
        self.app = app
        self.code = code
        self.path = path
        self.program = program
        self.detail = detail
        self.count = count
        self.first = first
        self.last = last
    }
}

/// A part of what a device remembers, each once, in no order that means anything.
public struct RememberedFindings: Codable, Equatable, Sendable {
    public var findings: [RememberedFinding]
    /// Where the next part begins, to be asked for; nil after the last one.
    public var next: Int64?
    /// How many were forgotten for others, of all apps, since all were cleared.
    public var forgotten: UInt64
    /// Events that came too fast to be looked at, of all apps, since all were cleared.
    public var unexamined: UInt64

    public init(
        findings: [RememberedFinding] = [], next: Int64? = nil, forgotten: UInt64 = 0, unexamined: UInt64 = 0
    ) {
        self.findings = findings
        self.next = next
        self.forgotten = forgotten
        self.unexamined = unexamined
    }
}

extension WatchedEvent {
    /// The events that tell of what breaks on a device, and are remembered until they are cleared. Others
    /// tell of what happened.
    public static let findingCodes: Set<String> = [
        "case-near-miss", "case-saved", "skip-backup-lost", "refused", "unexamined", "outside-home",
        "group-refused",
    ]

    public var isFinding: Bool { Self.findingCodes.contains(event) }
}
