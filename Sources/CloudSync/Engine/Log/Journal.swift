internal import CloudStore
package import StoreBasics
package import SyncLog

/// What a device remembers of its own part in one log, beside the tree. It is durable before anything that it
/// promises is sent.
package struct Journal: Equatable, Sendable {
    package var device: DeviceID
    /// The number of the next batch; it never goes back (I9).
    package var nextBatch: UInt64 = 1
    /// When the store got the last entry that the tree holds; nil where that is not known, as after a
    /// snapshot: no answer about the next slot is then believed without a look at the floors.
    package var headModified: StoreTime?
    /// The date of the last answer that brought something.
    package var storeTime: StoreTime?
    /// The highest floor seen: the log up to it may be gone.
    package var floor: UInt64 = 0
    /// What the log got since the newest snapshot that is known: when the next one is due.
    package var entriesSinceSnapshot: UInt64 = 0
    package var bytesSinceSnapshot: UInt64 = 0
    /// The newest slot that has a batch of this device: what its hint tells.
    package var newestOwn: UInt64 = 0
    /// The person allowed the inferred deletes that were held to go up.
    package var areDeletesConfirmed = false
    package var isPaused = false
}

/// A chunk that this device wrote and no commit is known to refer to: deleted again where its item gets
/// flagged, found again where the upload is begun anew.
package struct PendingUpload: Hashable, Sendable {
    package var chunk: ContentHash
    package var locator: Locator
}

extension PendingUpload {
    init(_ chunk: Chunk) { self.init(chunk: chunk.hash, locator: chunk.locator) }
}

/// A chunk that this device wrote and refers to no more. It never counts as present there again: who took it
/// back deletes it, and a copy of this device may take it back at any time.
package struct AbandonedUpload: Equatable, Sendable {
    package var upload: PendingUpload
    /// When it was given up, by the store's time.
    package var since: StoreTime
    /// False for what a copy of this device may refer to as well as this one: the collector takes that.
    package var isOwn: Bool
}
