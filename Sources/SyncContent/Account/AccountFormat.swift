internal import Posix
internal import SyncLog

/// What is fixed about an account when it is made, and never changes: the object `format`.
package struct AccountFormat: Equatable, Sendable {
    /// The only one that this program reads and writes.
    package static let version = 1

    package var nameKey: NameKey
    package var chunking: ChunkingParameters
    /// Names are one where their NFC is, by the tables of this version of Unicode.
    package var unicodeVersion: String
    /// What a client must have to write; a client without one goes on reading.
    package var features: [String]
    package var retention: AccountRetention

    package init(
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

/// Which account it is, wherever its store lies: a copy of an account is the same one.
package struct AccountIdentity: Hashable, Sendable {
    package let bits: UInt128

    package init(bits: UInt128) {
        self.bits = bits
    }

    package var hex: String { Hex.text(withUnsafeBytes(of: bits.bigEndian, Array.init)) }
}

extension AccountFormat {
    package var identity: AccountIdentity { AccountIdentity(bits: nameKey.name(of: Array("identity".utf8))) }
}

/// How long what is kept, in seconds by the store's clock.
package struct AccountRetention: Codable, Equatable, Sendable {
    /// As the object `format` has them.
    private enum CodingKeys: String, CodingKey {
        case graceSeconds = "grace"
        case historySeconds = "history"
        case logSeconds = "log"
        case slotDoubtSeconds = "slotDoubt"
        case tombstoneSeconds = "tombstone"
    }

    package static let daySeconds: Int64 = 86_400

    /// An object that nothing refers to is deleted when it is older than this; at least a day.
    package var graceSeconds: Int64
    /// Replaced contents, and withdrawn ones.
    package var historySeconds: Int64
    /// Entries of the log, after which they may be truncated.
    package var logSeconds: Int64
    /// An answer about a slot is believed while the cursor's entry is younger.
    package var slotDoubtSeconds: Int64
    package var tombstoneSeconds: Int64

    package init(
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
    package var checkSeconds: Int64 { graceSeconds / 4 }
    /// An object that is younger is deleted by no collector that is running.
    package var youthSeconds: Int64 { graceSeconds / 2 }

    /// Replay keeps history and tombstones for a time that all devices have to agree about; for the others
    /// the proofs of the log's protocol and of the collector need this order.
    var isSound: Bool {
        historySeconds == Retention.historySeconds && tombstoneSeconds == Retention.tombstoneSeconds
            && graceSeconds >= Self.daySeconds && graceSeconds <= Retention.collectionGraceSeconds
            && slotDoubtSeconds > 0 && slotDoubtSeconds < logSeconds && logSeconds <= tombstoneSeconds
    }
}

/// FastCDC's numbers (see `Chunker`). The same in every device of an account, or nothing is found twice.
package struct ChunkingParameters: Equatable, Sendable {
    /// 32 bytes of which the gear table is made.
    package var seed: [UInt8]
    package var minimumBytes: Int
    /// Beyond it a cut is twice as frequent; a power of two.
    package var normalBytes: Int
    package var maximumBytes: Int
    /// Files of at most this size are one chunk each, in a pack.
    package var smallFileBytes: Int

    package init(
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
