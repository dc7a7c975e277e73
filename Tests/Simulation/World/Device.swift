internal import CloudSync

/// A device: what outlives its crashes, and the life it is in.
// Unchecked: see WorldExecutor.
final class Device: @unchecked Sendable {
    struct Ending {
        var writes: Int
        var isBefore: Bool
        var ending: Plan.Ending
        var away: UInt64
    }

    struct Race {
        var calls: Int
        var verb: UserVerb
        var number: UInt64
    }

    /// What a backup of the whole machine would hold.
    struct Saved {
        /// By the world's time.
        let time: UInt64
        let disk: Disk
        let account: MemoryStorage
        let app: MemoryStorage
        /// Of directories that are not on the disk any more.
        let removed: [Fingerprint]
        /// Contents that its person had replaced or taken away.
        let superseded: Set<Token>
    }

    let index: Int
    var disk: Disk
    var account = MemoryStorage()
    var app = MemoryStorage()
    var way = StoreClient.Way()
    var saved: Saved?
    var dueEnding: Ending?
    var races: [Race] = []
    /// What its next requests of a kind bring about.
    var dues: [(moment: Plan.Moment, then: Plan.Then)] = []
    /// Its disk's own root, while an empty one is shown.
    var hiddenRoot: Inode?
    /// Lost, with all that was only on it.
    var isGone = false
    /// What people asked its engine to do and is under way.
    var errands = 0

    /// Nil while it is off.
    var life: Life?
    var lives = 0
    var engine: SyncEngine?
    var rest: SyncRest?
    /// When the last step that left nothing to do had begun.
    var upToDateSince: UInt64?
    var isStepping = false
    var steps: (second: UInt64, count: Int) = (0, 0)
    var kick: Waiter<Bool>?
    /// Transactions of its memory, over all its lives.
    var writes = 0
    var progress = Progress()

    init(index: Int, disk: Disk) {
        self.index = index
        self.disk = disk
    }

    func save() -> Saved {
        Saved(
            time: disk.timeline.now, disk: disk.copy(), account: account.clone(), app: app.clone(),
            removed: progress.removed, superseded: disk.ledger.superseded(on: index))
    }

    /// Lets its engine look at once.
    func wake() {
        kick?.answer(true)
        kick = nil
    }
}
