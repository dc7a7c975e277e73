/// What is fixed about an account when it is made, and never changes: the object `format`.
public struct AccountFormat: Equatable, Sendable {
    /// The only one that this program reads and writes.
    public static let version = 1

    public var nameKey: NameKey
    public var chunking: ChunkingParameters
    /// Names are one where their NFC is, by the tables of this version of Unicode.
    public var unicodeVersion: String
    /// What a client must have to write; a client without one goes on reading.
    public var features: [String]
    public var retention: AccountRetention

    public init(
        nameKey: NameKey, chunking: ChunkingParameters, unicodeVersion: String = "15.0",
        features: [String] = [], retention: AccountRetention = AccountRetention()
    ) {
        self.nameKey = nameKey
        self.chunking = chunking
        self.unicodeVersion = unicodeVersion
        self.features = features
        self.retention = retention
    }
}

/// How long what is kept, in seconds by the store's clock.
public struct AccountRetention: Codable, Equatable, Sendable {
    /// As the object `format` has them.
    private enum CodingKeys: String, CodingKey {
        case graceSeconds = "grace"
        case historySeconds = "history"
        case logSeconds = "log"
        case slotDoubtSeconds = "slotDoubt"
        case tombstoneSeconds = "tombstone"
    }

    public static let daySeconds: Int64 = 86_400

    /// An object that nothing refers to is deleted when it is older than this; at least a day.
    public var graceSeconds: Int64
    /// Replaced contents, and withdrawn ones.
    public var historySeconds: Int64
    /// Entries of the log, after which they may be truncated.
    public var logSeconds: Int64
    /// An answer about a slot is believed while the cursor's entry is younger.
    public var slotDoubtSeconds: Int64
    public var tombstoneSeconds: Int64

    public init(
        graceSeconds: Int64 = Retention.collectionGraceSeconds,
        historySeconds: Int64 = Retention.historySeconds,
        logSeconds: Int64 = 30 * daySeconds, slotDoubtSeconds: Int64 = 20 * daySeconds,
        tombstoneSeconds: Int64 = Retention.tombstoneSeconds
    ) {
        self.graceSeconds = graceSeconds
        self.historySeconds = historySeconds
        self.logSeconds = logSeconds
        self.slotDoubtSeconds = slotDoubtSeconds
        self.tombstoneSeconds = tombstoneSeconds
    }

    /// How long it counts that something was found to be there.
    public var checkSeconds: Int64 { graceSeconds / 4 }
    /// An object that is younger is deleted by no collector that is running.
    public var youthSeconds: Int64 { graceSeconds / 2 }

    /// Replay keeps history and tombstones for a time that all devices have to agree about; for the others
    /// the proofs of the log's protocol and of the collector need this order.
    var isSound: Bool {
        historySeconds == Retention.historySeconds && tombstoneSeconds == Retention.tombstoneSeconds
            && graceSeconds >= Self.daySeconds && graceSeconds <= Retention.collectionGraceSeconds
            && slotDoubtSeconds > 0 && slotDoubtSeconds < logSeconds && logSeconds <= tombstoneSeconds
    }
}

/// FastCDC's numbers (see `Chunker`). The same in every device of an account, or nothing is found twice.
public struct ChunkingParameters: Equatable, Sendable {
    /// 32 bytes of which the gear table is made.
    public var seed: [UInt8]
    public var minimumBytes: Int
    /// Beyond it a cut is twice as frequent; a power of two.
    public var normalBytes: Int
    public var maximumBytes: Int
    /// Files of at most this size are one chunk each, in a pack.
    public var smallFileBytes: Int

    public init(
        seed: [UInt8], minimumBytes: Int = 256 << 10, normalBytes: Int = 512 << 10,
        maximumBytes: Int = 4 << 20, smallFileBytes: Int = 256 << 10
    ) {
        self.seed = seed
        self.minimumBytes = minimumBytes
        self.normalBytes = normalBytes
        self.maximumBytes = maximumBytes
        self.smallFileBytes = smallFileBytes
    }

    var isSound: Bool {
        seed.count == 32 && minimumBytes >= 1 << 10 && maximumBytes <= 4 << 20
            && minimumBytes < normalBytes && normalBytes < maximumBytes
            && normalBytes.nonzeroBitCount == 1 && (0...maximumBytes).contains(smallFileBytes)
    }
}
