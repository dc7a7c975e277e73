public import CloudStore

/// A content that an item no longer has, kept for readers and for `cloud restore`.
public struct RetainedContent: Equatable, Sendable {
    /// The item that it belonged to; never an alias.
    public var file: FileID
    public var version: Version
    /// The time of the commit that took it away, or as if it had been earlier. It expires
    /// `Retention.historySeconds` later.
    public var since: StoreTime

    public var key: Key { Key(file: file, position: version.position) }
    var expiry: Expiry { Expiry(kind: .history, since: since, file: file, position: version.position) }

    public struct Key: Hashable, Comparable, Sendable {
        public var file: FileID
        public var position: LogPosition

        public static func < (left: Key, right: Key) -> Bool {
            (left.file, left.position) < (right.file, right.position)
        }
    }
}

/// A chunk that the tree refers to, and where it lies.
public struct ChunkRecord: Equatable, Sendable {
    public let hash: ContentHash
    public var sizeBytes: UInt32
    /// The last one in log order.
    public var locator: Locator
    /// Since when the tree has referred to this locator without a break.
    public var since: StoreTime
    /// Earlier locators, the readers' fallback, with the time at which each was replaced; the last is the
    /// newest. The last one is kept as long as the chunk, the others for `Retention.historySeconds`.
    public var replaced: [ReplacedLocator]
    /// How many contents refer to it that stay: current ones, versions, withdrawn ones that were not named.
    public var liveCount: UInt32
    /// How many contents refer to it that retention will end: history, withdrawn ones that were named.
    public var retainedCount: UInt32
    /// When the last of these began to be retained; meaningless where there are none.
    public var retainedSince: StoreTime

    /// What the log says of the chunk itself; a new one has no references yet.
    public init(hash: ContentHash, sizeBytes: UInt32, locator: Locator, since: StoreTime) {
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.locator = locator
        self.since = since
        replaced = []
        liveCount = 0
        retainedCount = 0
        retainedSince = since
    }
}

public struct ReplacedLocator: Equatable, Sendable {
    public var locator: Locator
    public var time: StoreTime
}

/// The last batch of a device that took effect: a batch with a number up to this one is a late twin.
public struct DeviceMark: Equatable, Sendable {
    public var device: DeviceID
    public var n: UInt64
    public var batchHash: ContentHash
}

/// The last commit that the tree holds.
public struct TreeHead: Equatable, Sendable {
    /// 0: none.
    public var sequence: UInt64
    /// Of the entry's bytes: what the next entry's `previous` has to be.
    public var entryHash: ContentHash
    /// Replay's "now".
    public var time: StoreTime

    /// Before the first commit.
    public static let empty = TreeHead(
        sequence: 0, entryHash: ContentHash(high: 0, low: 0), time: StoreTime(seconds: 0))
}

/// What a person is told at a glance: kept, never computed.
public struct TreeCounts: Equatable, Sendable {
    /// Live files and symlinks.
    public var documents: UInt64 = 0
    public var directories: UInt64 = 0
    /// Bytes of the current contents and the conflict versions of live items: what a quota counts.
    public var sizeBytes: UInt64 = 0
    /// Live items with conflict versions.
    public var conflicts: UInt64 = 0
    public var withdrawn: UInt64 = 0
    public var tombstones: UInt64 = 0
}

/// How long replay keeps what is gone, by the commits' times. The account's `format` says the same.
public enum Retention {
    /// A tombstone is unknown from the first commit that is more than this later.
    public static let tombstoneSeconds: Int64 = 180 * 86_400
    /// Contents that no item has any more are kept at least so long for readers.
    public static let historySeconds: Int64 = 30 * 86_400
    /// The collector deletes nothing that is younger than this.
    public static let collectionGraceSeconds: Int64 = 7 * 86_400
}
