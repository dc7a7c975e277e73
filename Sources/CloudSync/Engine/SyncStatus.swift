internal import CloudStore
package import StoreBasics
package import SyncContent
package import SyncLog

/// What `cloud status` shows of one app.
package struct SyncStatus: Equatable, Sendable {
    /// What keeps it from going on; nil where nothing does.
    package var trouble: SyncTrouble?
    package var isPaused = false
    /// It plans or sends just now: what is left is not known to the last item.
    package var isBusy = false
    /// What changed while nobody looked is still to be found: how many items that are is not known.
    package var isRescanDue = false
    /// Items with changes that are not in the store yet.
    package var pendingUploads = 0
    /// Documents of which a person removed versions, and the store was not told yet.
    package var pendingDrops = 0
    /// Those that the last look could not send, and for what each waits: the first hundred.
    package var waiting: [WaitingItem] = []
    /// Of those that were looked at: what was found changed and how large it is.
    package var pendingUploadBytes: UInt64 = 0
    /// Items in the store whose newest state is not on this disk yet.
    package var pendingDownloads = 0
    /// Bytes of the batch being sent: all, and what is up.
    package var uploadingBytes: UInt64 = 0
    package var uploadedBytes: UInt64 = 0
    package var bytesPerSecond: UInt64 = 0
    package var downloadBytesPerSecond: UInt64 = 0
    package var conflicts = 0
    package var dataless = 0
    /// Files, symlinks and directories that the store has of the app, and the bytes that they take.
    package var documents = 0
    package var documentBytes: UInt64 = 0
    /// Bytes that all of the account's apps take of the quota, as far as is known without asking.
    package var usedBytes: UInt64 = 0
    /// The last answer of the store, by its clock.
    package var lastContact: StoreTime?
    /// The log's newest slot that the tree holds.
    package var cursor: UInt64 = 0

    package init() {}

    /// What the device remembers of the app, whether it syncs now or not. Nothing is counted for it: a
    /// million documents cost no more than one.
    package mutating func take(_ transaction: any SyncTransaction) throws {
        let counts = try transaction.treeCounts()
        conflicts = Int(clamping: counts.conflicts)
        documents = Int(clamping: counts.documents &+ counts.directories)
        documentBytes = counts.sizeBytes
        dataless = try transaction.datalessCount()
        pendingDownloads = try transaction.pendingCount()
        pendingDrops = try transaction.documentsWithDropped()
        cursor = try transaction.treeHead().sequence
        guard let journal = try transaction.journal() else { return }
        lastContact = journal.storeTime
        isPaused = journal.isPaused
    }

    /// Changes that the store is still to be told of.
    package var pendingChanges: Int { pendingUploads + pendingDrops }

    /// Nothing is left to do in either direction.
    package var isCurrent: Bool {
        trouble == nil && pendingChanges == 0 && pendingDownloads == 0 && !isBusy && !isRescanDue
    }
}

/// How an account stands that was opened.
package struct SyncStanding: Equatable, Sendable {
    /// What keeps it from being used; nil where nothing does.
    package var trouble: SyncTrouble?
    /// Nil where the clocks agree, or are a server's.
    package var gap: ClockGap?
}

/// How this device looks after the account's store.
package struct UpkeepStatus: Equatable, Sendable {
    /// Of any device, as far as this one heard.
    package var lastCollection: CollectionRun?
    /// What kept this device's last run from its end, in one line; nil: nothing did.
    package var trouble: String?
}

/// What is left when a step has done all that can be done now.
package struct SyncRest: Equatable, Sendable {
    /// When to come again, by `SyncClock.now`; nil: only when woken.
    package var wakeAt: UInt64?
    /// All that is here is in the store, and the reverse.
    package var isUpToDate: Bool
    /// What stopped it before that.
    package var trouble: SyncTrouble?
}
