/// When to ask the store for what others did, though nobody said so (SPEC.md 7: often while there was a
/// change in the last minutes, else at most one request in ten seconds, for all apps of the device together).
struct PollSchedule {
    enum Poll: Equatable {
        /// A listing of all devices' hints.
        case hints
        /// The next slot of one log instead, each in turn: a hint may be missing.
        case probe
    }

    private static let second: UInt64 = 1_000_000_000
    static let activeInterval = 2 * second
    /// After changes of key-value stores alone: what one device sets is on the other within five seconds
    /// (SPEC.md 11), and ten thousand sets are few requests.
    static let keyValuesInterval = KeyValuePace.longest
    /// Beside work that asks the store far more, here or where it comes from: another app's document, or a
    /// small one beside very many, does not wait for the clock as well as for that.
    static let busyInterval = second / 2
    static let busyPeriod = 5 * second
    /// More than ten: what else an idle device asks, once a minute (`PacedStore`), is in the same limit.
    static let idleInterval = 12 * second
    static let activePeriod = 300 * second
    static let probeInterval = 300 * second

    /// A watcher wakes the engine for each change in the store: nothing is asked by the clock.
    let isWatched: Bool
    private var lastPoll: UInt64?
    private var lastProbe: UInt64
    private var lastChange: UInt64?
    private var lastKeyValues: UInt64?
    private var lastBusy: UInt64?

    init(isWatched: Bool, now: UInt64) {
        self.isWatched = isWatched
        lastProbe = now
    }

    /// Something changed, here or there.
    mutating func noteChange(at now: UInt64) { lastChange = now }

    /// Keys were set, here or there.
    mutating func noteKeyValues(at now: UInt64) { lastKeyValues = now }

    /// There is more to do than went into a step.
    mutating func noteBusy(at now: UInt64) { lastBusy = now }

    /// What else is to be asked just now, a listing answers as well.
    mutating func hasten() { lastPoll = nil }

    /// What to ask now; counts as asked.
    mutating func take(at now: UInt64) -> Poll? {
        if isWatched { return .hints }
        guard now >= next ?? 0 else { return nil }
        lastPoll = now
        guard now >= lastProbe + Self.probeInterval else { return .hints }
        lastProbe = now
        return .probe
    }

    /// When there will be something to ask; nil: never by the clock.
    var next: UInt64? {
        if isWatched { return nil }
        guard let lastPoll else { return 0 }
        if let lastBusy, lastPoll < lastBusy + Self.busyPeriod { return lastPoll + Self.busyInterval }
        if isActive(since: lastChange, at: lastPoll) { return lastPoll + Self.activeInterval }
        let isSet = isActive(since: lastKeyValues, at: lastPoll)
        return lastPoll + (isSet ? Self.keyValuesInterval : Self.idleInterval)
    }

    private func isActive(since change: UInt64?, at moment: UInt64) -> Bool {
        change.map { moment < $0 + Self.activePeriod } ?? false
    }
}
