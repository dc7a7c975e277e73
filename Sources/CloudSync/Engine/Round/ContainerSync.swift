internal import CloudStore
internal import SyncContent
internal import SyncLog

/// One app's sync: a round reads the log, brings what it changed to the disk, and sends what changed on the
/// disk, a batch at a time. What it keeps in memory is only where to look.
actor ContainerSync {
    let app: SyncedApp
    let disk: any LocalDisk
    let storage: any SyncStorage
    let surroundings: SyncSurroundings
    let account: Account
    let log: LogClient
    let writer: ContentWriter
    let reader: ContentReader
    /// Held by whoever runs a round.
    nonisolated let turn = Turn()
    let board: StatusBoard

    /// Where the disk may have changed since it was planned.
    var touched = Touched()
    /// The last plan left out large new directories (`Touched.untold`).
    var isUntoldLeft = false
    /// More than what the last plan left.
    var hasNews = false
    var pace = PlanPace()
    /// What apps changed is taken up then; nil: it was.
    var pacedUntil: UInt64?
    /// Nothing is to be sent before that moment by `SyncClock.now`: a wall clock that was set back would make
    /// it a day.
    var sendNotBefore: UInt64?
    /// The log may have more than the tree; true at the start.
    var mayBeBehind = true
    var trouble: SyncTrouble?
    var backoff = Backoff.round
    var retryAt: UInt64?
    /// What stands in the way of a circle of names tells nothing when it goes (a database that is open), and
    /// each try shows apps an item that goes and comes.
    var parking = Backoff.round
    var parksAgainAt: UInt64?
    /// Versions that a person dropped are told of then at the latest; nil: there are none.
    var dropsAt: UInt64?
    /// For what cannot be done now and tells nothing by itself.
    var waiting = Backoff.round
    /// What an earlier run was about to do to the disk was looked at.
    var hasRecovered = false
    /// What was displaced and stays till it is told, as it was when that was found.
    var keptDisplaced: Set<Displaced> = []
    /// Edits of files that were displaced while they were open.
    var displacedDrafts: [Draft] = []
    /// When what is sent and brought down makes room for others, by the engine's clock.
    var exchangeEndsAt: UInt64 = 0
    /// So many changes wait where the disk keeps them.
    var changesLeft = 0
    /// The last plan was cut off, and nothing of it could go.
    var isPlanStuck = false
    /// It went, and the next one finds more.
    var isPlanLeft = false
    /// Over what is pending, where a round ended before it.
    var pass: DownloadPass?
    /// So many items of what is pending are planned and brought down at once.
    var partSize: PartSize
    /// Of the last pass over what is pending.
    var lastOutcome = DownloadPass.Outcome()
    /// Some documents' bytes are not in the store.
    var missing: SyncTrouble?
    /// Counts what was done, so that a round knows whether it did anything.
    var workDone: UInt64 = 0
    var heldDeletes = 0
    var isQuotaInTheWay = false
    /// Why the store takes some files not, while deletes go.
    var storeFull: String?
    /// What did not go with the last plan, and why.
    var waitingItems = WaitingItems()
    /// Files that were read and have too many chunks for one operation, as they are.
    var tooLarge: Set<Fingerprint> = []
    /// Some of what `heldDeletes` counts.
    var heldPaths: [LocalPath] = []
    /// No round begins any more, and one that brings down documents ends early.
    var isRemoved = false
    nonisolated let upkeep: LogUpkeep
    /// What the round does that is under way.
    var underWay: Task<Result<Bool, SyncFailure>, Never>?
    /// Chunks of files that were excluded after their bytes were sent, and the objects that go for it.
    var excludedChunks: Set<ContentHash> = []
    var doomed: Set<ObjectKey> = []
    /// What the last plan found and is not in the store yet.
    var planned = UploadProgress()
    /// The batch that is being sent.
    var sending = UploadProgress()
    nonisolated let sent: TransferMeter
    nonisolated let got: TransferMeter
    /// In common for all apps of the account.
    let quota: AccountQuota
    /// What others were told of this device, and when that was tried.
    var toldNote: (device: DeviceID, note: DeviceNote)?
    var noteTriedAt: UInt64?

    init(
        app: SyncedApp, name: ContainerName, disk: any LocalDisk, storage: any SyncStorage, account: Account,
        quota: AccountQuota, surroundings: SyncSurroundings, board: StatusBoard
    ) {
        self.quota = quota
        let sent = TransferMeter(clock: surroundings.clock)
        let got = TransferMeter(clock: surroundings.clock)
        (self.sent, self.got) = (sent, got)
        self.app = app
        self.disk = disk
        self.storage = storage
        self.surroundings = surroundings
        self.account = account
        self.board = board
        partSize = PartSize(most: surroundings.settings.pendingInPlan)
        log = LogClient(
            name: .container(name), app: app.identifier, account: account, storage: storage,
            surroundings: surroundings)
        writer = ContentWriter(
            account, clock: surroundings.clock, randomness: surroundings.randomness,
            rules: surroundings.rules, limit: surroundings.uploadLimit, meter: sent)
        upkeep = LogUpkeep(log, writer: writer)
        reader = ContentReader(account, limit: surroundings.downloadLimit, meter: got)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }

    func report(_ kind: SyncEvent.Kind) {
        surroundings.events.report(SyncEvent(app: app.identifier, kind: kind))
    }
}
