/// How far long work is: by bytes, and by items where bytes do not say it.
public struct Progress: Codable, Equatable, Sendable {
    public var bytesDone: Int64
    public var totalBytes: Int64?
    public var itemsDone: Int64?
    public var totalItems: Int64?

    public init(
        bytesDone: Int64, totalBytes: Int64? = nil, itemsDone: Int64? = nil, totalItems: Int64? = nil
    ) {
        self.bytesDone = bytesDone
        self.totalBytes = totalBytes
        self.itemsDone = itemsDone
        self.totalItems = totalItems
    }
}

public struct Setting: Codable, Equatable, Sendable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// One event of the device's ring, as `watch` prints it.
public struct WatchedEvent: Codable, Equatable, Sendable {
    public var sequence: UInt64
    public var time: Timestamp
    public var app: String
    public var event: String
    public var path: String?
    public var detail: String?
    /// The process that did it, as the daemon sees it; nil: the daemon itself, or it is not known.
    public var pid: Int32?
    /// What the process was called then.
    public var program: String?

    public init(
        sequence: UInt64, time: Timestamp, app: String, event: String, path: String? = nil,
        detail: String? = nil, pid: Int32? = nil, program: String? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.app = app
        self.event = event
        self.path = path
        self.detail = detail
        self.pid = pid
        self.program = program
    }
}
