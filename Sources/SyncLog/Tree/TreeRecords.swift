package import StoreBasics

/// A content that an item no longer has, kept for readers and for `cloud restore`.
package struct RetainedContent: Equatable, Sendable {
    /// The item that it belonged to; never an alias.
    package var file: FileID
    package var version: Version
    /// The time of the commit that took it away, or as if it had been earlier. It expires
    /// `Retention.historySeconds` later.
    package var since: StoreTime

    package var key: Key { Key(file: file, position: version.position) }
    var expiry: Expiry { Expiry(kind: .history, since: since, file: file, position: version.position) }

    package struct Key: Hashable, Comparable, Sendable {
        package var file: FileID
        package var position: LogPosition

        package static func < (left: Key, right: Key) -> Bool {
            (left.file, left.position) < (right.file, right.position)
        }
    }
}

/// A chunk that the tree refers to, and where it lies.
package struct ChunkRecord: Equatable, Sendable {
    package let hash: ContentHash
    package var sizeBytes: UInt32
    /// The last one in log order.
    package var locator: Locator
    /// Since when the tree has referred to this locator without a break.
    package var since: StoreTime
    /// Earlier locators, the readers' fallback, with the time at which each was replaced; the last is the
    /// newest. The last one is kept as long as the chunk, the others for `Retention.historySeconds`.
    package var replaced: [ReplacedLocator]
    /// How many contents refer to it that stay: current ones, versions, withdrawn ones that were not named.
    package var liveCount: UInt32
    /// How many contents refer to it that retention will end: history, withdrawn ones that were named.
    package var retainedCount: UInt32
    /// When the last of these began to be retained; meaningless where there are none.
    package var retainedSince: StoreTime

    /// What the log says of the chunk itself; a new one has no references yet.
    package init(hash: ContentHash, sizeBytes: UInt32, locator: Locator, since: StoreTime) {
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

package struct ReplacedLocator: Equatable, Sendable {
    package var locator: Locator
    package var time: StoreTime
}

/// The last batch of a device that took effect: a batch with a number up to this one is a late twin.
package struct DeviceMark: Equatable, Sendable {
    package var device: DeviceID
    package var n: UInt64
    package var batchHash: ContentHash
}

/// The last commit that the tree holds.
package struct TreeHead: Equatable, Sendable {
    /// 0: none.
    package var sequence: UInt64
    /// Of the entry's bytes: what the next entry's `previous` has to be.
    package var entryHash: ContentHash
    /// Replay's "now".
    package var time: StoreTime

    /// Before the first commit.
    package static let empty = TreeHead(
        sequence: 0, entryHash: ContentHash(high: 0, low: 0), time: StoreTime(seconds: 0))
}

/// What a person is told at a glance: kept, never computed.
package struct TreeCounts: Equatable, Sendable {
    /// Live files and symlinks.
    package var documents: UInt64 = 0
    package var directories: UInt64 = 0
    /// Bytes of the current contents and the conflict versions of live items: what a quota counts.
    package var sizeBytes: UInt64 = 0
    /// Live items with conflict versions.
    package var conflicts: UInt64 = 0
    package var withdrawn: UInt64 = 0
    package var tombstones: UInt64 = 0

    package init(
        documents: UInt64 = 0, directories: UInt64 = 0, sizeBytes: UInt64 = 0, conflicts: UInt64 = 0,
        withdrawn: UInt64 = 0, tombstones: UInt64 = 0
    ) {
        self.documents = documents
        self.directories = directories
        self.sizeBytes = sizeBytes
        self.conflicts = conflicts
        self.withdrawn = withdrawn
        self.tombstones = tombstones
    }
}

/// How long replay keeps what is gone, by the commits' times. The account's `format` says the same.
package enum Retention {
    /// A tombstone is unknown from the first commit that is more than this later.
    package static let tombstoneSeconds: Int64 = 180 * 86_400
    /// Contents that no item has any more are kept at least so long for readers.
    package static let historySeconds: Int64 = 30 * 86_400
    /// The collector deletes nothing that is younger than this.
    package static let collectionGraceSeconds: Int64 = 7 * 86_400
}
