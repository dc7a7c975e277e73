internal import CloudSync
internal import SyncContent

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
        let account: MemoryStorage
        let replicas: [LogName: MemoryStorage]
        let keyValues: MemoryStorage
        let homes: [Home]
        /// Contents that its person had replaced or taken away.
        let superseded: Set<Token>
    }

    let index: Int
    /// The first app's comes first; not each device has the others.
    var homes: [Home]
    var account = MemoryStorage()
    /// Logs that it reads without having their app.
    var replicas: [LogName: MemoryStorage] = [:]
    var keyValues = MemoryStorage()
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

    init(index: Int, homes: [Home]) {
        self.index = index
        self.homes = homes
    }

    /// Of the first app.
    var home: Home { homes[0] }
    var disk: Disk { home.disk }

    func home(of app: Int) -> Home? { homes.first { $0.app == app } }

    func save() -> Saved {
        Saved(
            time: disk.timeline.now, account: account.clone(), replicas: replicas.mapValues { $0.clone() },
            keyValues: keyValues.clone(), homes: homes.map { $0.copy() },
            superseded: disk.ledger.superseded(on: index))
    }

    /// Lets its engine look at once.
    func wake() {
        kick?.answer(true)
        kick = nil
    }
}
