package import CloudStore
package import SyncContent
package import SyncLog

/// All that the engine takes from outside besides disk and storage, so that the simulation can give it its
/// own: no part of the engine asks a clock, a random number or a thread of anybody else.
package struct SyncSurroundings: Sendable {
    package var store: any ObjectStore
    package var clock: any SyncClock
    package var randomness: any SyncRandomness
    package var executor: any EngineExecutor
    /// What looks after the store runs there: it computes for seconds, and no app is to wait for it.
    package var upkeepExecutor: any EngineExecutor
    package var events: any SyncEventSink
    package var rules: SafetyRules
    package var settings: SyncSettings
    /// Where logs are read to of apps that do not sync here.
    package var replicas: any ReplicaStorages
    /// Of what is sent and got, in common for all apps; nil: none.
    package var uploadLimit: RateLimit?
    package var downloadLimit: RateLimit?
    /// Of the account; the engine has one that is remembered.
    package var time = AccountTime()

    package init(
        store: any ObjectStore, clock: any SyncClock, randomness: any SyncRandomness,
        executor: any EngineExecutor, events: any SyncEventSink, rules: SafetyRules = .all,
        settings: SyncSettings = SyncSettings(), uploadLimit: RateLimit? = nil,
        downloadLimit: RateLimit? = nil, upkeepExecutor: (any EngineExecutor)? = nil,
        replicas: any ReplicaStorages = ScratchReplicas()
    ) {
        self.replicas = replicas
        self.upkeepExecutor = upkeepExecutor ?? executor
        self.store = store
        self.clock = clock
        self.randomness = randomness
        self.executor = executor
        self.events = events
        self.rules = rules
        self.settings = settings
        self.uploadLimit = uploadLimit
        self.downloadLimit = downloadLimit
    }
}

/// A thread that an account's sync runs on: both the actors and what they wait for.
package protocol EngineExecutor: SerialExecutor, TaskExecutor {}

/// What a person or the device may set.
package struct SyncSettings: Equatable, Sendable {
    /// How this device's machine is called: what people who look at the account see, with a number behind it
    /// where another device of the account has that name.
    package var deviceName: String
    /// Bytes that the account may hold; nil: no limit.
    package var quotaBytes: UInt64?
    /// Somebody watches the store and wakes the engine for each change there: then nothing is polled.
    package var isStoreWatched: Bool
    package var snapshots: SnapshotPolicy
    /// Every so many entries the writer says what its tree was, so that replicas that differ are found out.
    package var entriesPerTreeHash: UInt64
    /// What one batch holds at most; devices need not agree about it.
    package var batchLimits: BatchLimits
    /// How large packs and a snapshot's pages get.
    package var contentSizes = ContentSizes()
    /// So many operations of the log, and an entry more, are applied in one transaction.
    package var operationsApplied: Int
    /// So many items of those that are to come to this disk are planned at once, and so many of a directory's
    /// are looked at for it.
    package var pendingInPlan: Int
    /// So many chunks and packs of the store are looked at together where it is collected.
    package var objectsInPart: Int
    /// So many items of this disk that differ are planned at once where nothing of fewer could go; an eighth
    /// of them otherwise.
    package var itemsInPlan: Int

    package init(
        deviceName: String = "", quotaBytes: UInt64? = 5_000_000_000, isStoreWatched: Bool = false,
        snapshots: SnapshotPolicy = SnapshotPolicy(), entriesPerTreeHash: UInt64 = 100,
        batchLimits: BatchLimits = BatchLimits(), operationsApplied: Int = 10_000, pendingInPlan: Int = 512,
        itemsInPlan: Int = UpPlanner.itemsInPlan, objectsInPart: Int = Collector.objectsInPart
    ) {
        self.deviceName = deviceName
        self.quotaBytes = quotaBytes
        self.isStoreWatched = isStoreWatched
        self.snapshots = snapshots
        self.entriesPerTreeHash = entriesPerTreeHash
        self.batchLimits = batchLimits
        self.operationsApplied = operationsApplied
        self.pendingInPlan = pendingInPlan
        self.itemsInPlan = itemsInPlan
        self.objectsInPart = objectsInPart
    }
}
