/// How requests reach the session.
public enum TransportKind: String, Sendable {
    /// Read from `/dev/fuse`.
    case classic
    /// Through io_uring(7), each on the CPU of its caller.
    case ring
}

/// Which transport a mount is to have.
public enum TransportChoice: String, Sendable, CaseIterable {
    /// The ring where the kernel offers it.
    case auto, ring, classic
}

/// Which transport a session has, and why not the better one.
public struct TransportReport: Sendable, Equatable {
    public var kind: TransportKind
    /// What a person may do about it, in one sentence; nil for the ring, and for what was asked for.
    public var reason: String?

    public init(kind: TransportKind, reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }

    /// For a log.
    public var text: String { kind.rawValue + (reason.map { " (\($0))" } ?? "") }
}
