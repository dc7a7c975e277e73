/// A history before it happens: how many devices, how bad the way to the store, and what comes when. It
/// follows from the seed; a part of its steps is a history too, which is how a failing one is made smaller.
struct Plan {
    struct Step {
        var time: UInt64
        var kind: Kind
    }

    enum Kind {
        case app(device: Int, UserVerb, UInt64)
        /// An app acts inside of the device's so-many-th call of the disk or its memory from now.
        case race(device: Int, UserVerb, UInt64, calls: Int)
        case end(device: Int, Ending, away: UInt64)
        /// At a transaction of its memory, that many from now: before it or right after.
        case endAtWrite(device: Int, writes: Int, isBefore: Bool, Ending, away: UInt64)
        case suspend(device: Int, UInt64)
        case offline(device: Int, UInt64)
        /// All machines sleep, and days go by.
        case pass(UInt64)
        /// Another device begins with a copy of this one's disk and memory.
        case clone(device: Int)
        /// A new device, with nothing on it, signs in.
        case join
        case save(device: Int)
        /// The device is set back to what was saved of it.
        case setBack(device: Int)
        case storeAway(UInt64)
        case storeFull(UInt64)
        case storeClock(Int64)
        case wallClock(device: Int, Int64)
        /// What the device's machine dates in a folder store is so many seconds ahead from now on.
        case folderClock(device: Int, Int64)
        case diskFull(device: Int, UInt64)
        /// When the device's next request of that kind is about to leave.
        case upon(device: Int, Moment, Then)
        /// Its disk shows nothing for a while.
        case vanish(device: Int, UInt64)
        /// A document's bytes leave the disk, as they lie in the store.
        case evict(device: Int, UInt64)
        /// A person puts an old backup of the app in the place of its documents.
        case restore(device: Int, UInt64)
        /// A person chooses between a document's versions.
        case resolve(device: Int, UInt64)
        /// A person brings back something that was deleted, or what a document had.
        case bringBack(device: Int, UInt64)
        case collect(device: Int)
        /// A person ends the retention of what is deleted.
        case endHistory(device: Int, UInt64)
        /// What it sent for nothing goes at once.
        case takeBack(device: Int)
        case repair(device: Int)
        /// The store loses an object that is needed.
        case loseObject(UInt64)
        /// For a while an entry of the log cannot be read whole.
        case corruptEntry(UInt64, UInt64)
    }

    /// A request for a document's log, or for documents' bytes.
    enum Moment {
        case commit
        case send
        case look
        case deletion
    }

    enum Then {
        case sleep(UInt64)
        case end(away: UInt64)
        /// It never comes back.
        case lose
    }

    enum Ending {
        case killed
        case powerFailed
    }

    /// What it is run again by.
    var name: String
    var seed: UInt64
    var devices: Int
    var faults: StoreFaults
    var clockIsOurs: Bool
    var steps: [Step]
    /// When the apps stop.
    var end: UInt64
    /// Days that go by when all is quiet, after which it has to be quiet again.
    var lastSleep: UInt64 = 0
    /// Whether the store is looked at when all retention is over, which takes as long as the rest.
    var isCollected: Bool { seed.isMultiple(of: 4) }
    /// What each device's writer is bound by; nil: as people's are, which no history meets.
    var bounds: Bounds?
    /// How many apps sync; only the first is on each device.
    var apps = 1
    /// Whether devices have a key-value store in common.
    var hasKeyValues = false
    /// The device of a build that is bound by nothing but what readers take.
    var oldBuild: Int?
    var names = AppUser.fileNames
    var commitsPerSnapshot: UInt64?
    var quotaBytes: UInt64?
    var unsaid: Set<Word> = []

    /// The app that does what has this number.
    func app(for number: UInt64) -> Int { apps > 1 && number % 5 < 2 ? 1 : 0 }

    /// How often a clock is set that dates what lies in the store.
    var clocksSet: Int {
        steps.count { step in
            switch step.kind {
            case .folderClock, .storeClock: true
            default: false
            }
        }
    }

    static let second: UInt64 = 1_000_000_000
    static let day: UInt64 = 86_400 * second
}

extension Plan.Kind: CustomStringConvertible {
    var description: String {
        switch self {
        case .app(let device, let verb, let number): "device \(device): \(verb) \(number)"
        case .race(let device, let verb, let number, let calls):
            "device \(device): \(verb) \(number) inside of call \(calls)"
        case .end(let device, let ending, let away): "device \(device) \(ending), \(Trace.time(away))"
        case .endAtWrite(let device, let writes, let isBefore, let ending, let away):
            "device \(device) \(ending) \(isBefore ? "before" : "after") write \(writes), \(Trace.time(away))"
        case .suspend(let device, let time): "device \(device) sleeps \(Trace.time(time))"
        case .offline(let device, let time): "device \(device) offline \(Trace.time(time))"
        case .pass(let time): "all sleep \(Trace.time(time))"
        case .clone(let device): "device \(device) is copied"
        case .join: "a device joins"
        case .save(let device): "device \(device) is saved"
        case .setBack(let device): "device \(device) is set back"
        case .storeAway(let time): "store away \(Trace.time(time))"
        case .storeFull(let time): "store full \(Trace.time(time))"
        case .storeClock(let seconds): "store's clock \(seconds) s"
        case .wallClock(let device, let seconds): "device \(device)'s clock \(seconds) s"
        case .folderClock(let device, let seconds): "device \(device)'s folder clock ahead \(seconds) s"
        case .diskFull(let device, let time): "device \(device)'s disk full \(Trace.time(time))"
        case .upon(let device, let moment, let then): "device \(device) upon its next \(moment): \(then)"
        case .vanish(let device, let time): "device \(device)'s disk is away \(Trace.time(time))"
        case .evict(let device, let number): "device \(device) lets bytes go, \(number)"
        case .restore(let device, let number): "device \(device) restores \(number)"
        case .resolve(let device, let number): "device \(device) resolves \(number)"
        case .bringBack(let device, let number): "device \(device) brings back \(number)"
        case .collect(let device): "device \(device) collects"
        case .endHistory(let device, let number): "device \(device) ends history, \(number)"
        case .takeBack(let device): "device \(device) takes back"
        case .repair(let device): "device \(device) repairs"
        case .loseObject(let number): "the store loses an object, \(number)"
        case .corruptEntry(let number, let time): "an entry is corrupt, \(number), \(Trace.time(time))"
        }
    }
}
