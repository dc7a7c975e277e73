internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// What a device knows of the time `t` of an account's logs, and how far it may let that go on. One for all
/// logs: an app that rested for a year, or begins just now, has the time of the others.
package final class AccountTime: Sendable {
    private struct State {
        var allowance: TimeAllowance?
        var isLoaded = false
        /// By `SyncClock.now`; nil: not since the program started.
        var savedAt: UInt64?
        /// The newest that any log says.
        var newest: StoreTime?
        var gap: ClockGap?
    }

    /// Saved no more often than this, but before it says more than time has brought: what is lost in a crash
    /// is made up by the next reading of the clock and of the log.
    private static let savePeriod: UInt64 = 3_600_000_000_000
    private let storage: (any SyncStorage)?
    /// Leaf: read and put back between calls of the storage. One thread calls.
    private let state = Lock(State())

    /// - Parameter storage: the account's; nil where nothing is remembered.
    package init(storage: (any SyncStorage)? = nil) {
        self.storage = storage
    }

    /// How far the store's clock is from the logs, where that matters; nil where it does not, or nothing is
    /// known.
    var gap: ClockGap? { state.withLock { $0.gap } }
    /// The newest time that any log was heard to say.
    var newest: StoreTime? { state.withLock { $0.newest } }

    /// Whether any log was heard.
    var isKnown: Bool { state.withLock { $0.allowance != nil } }

    /// A reading of both clocks.
    struct Reading {
        var clock: UInt64
        /// The store's own time.
        var date: StoreTime
        var graceSeconds: Int64
    }

    /// Between which times the store's dates are to be believed; nil where no log was ever heard.
    func bounds(_ reading: Reading) throws(SyncFailure) -> ClosedRange<StoreTime>? {
        let state = try current(reading)
        try keep(state, saves: false, reading)
        return state.allowance?.bounds
    }

    /// A log has this end.
    /// - Returns: between which times the store's dates are to be believed.
    func hear(_ head: TreeHead, _ reading: Reading) throws(SyncFailure) -> ClosedRange<StoreTime>? {
        var state = try current(reading)
        if head.sequence > 0 {
            state.newest = max(state.newest ?? head.time, head.time)
            if state.allowance == nil {
                state.allowance = TimeAllowance(
                    head.time, clock: reading.clock, date: reading.date, graceSeconds: reading.graceSeconds)
            }
            state.allowance?.hear(head.time)
        }
        if let newest = state.newest, let limit = state.allowance?.limit {
            state.gap = ClockGap(reading.date, limit: limit, newest: newest, reading.graceSeconds)
        }
        let isDue = state.savedAt.map { reading.clock >= $0 &+ Self.savePeriod } ?? true
        try keep(state, saves: isDue, reading)
        return state.allowance?.bounds
    }

    /// What a commit after this head could say: no less than any log has said, or the first entries of an app
    /// would be years old by the next device's.
    func next(after head: TreeHead, _ reading: Reading) throws(SyncFailure) -> StoreTime {
        let state = try current(reading)
        let date = state.allowance.map { min(reading.date, $0.limit) } ?? reading.date
        return max(date, head.time, state.newest ?? head.time)
    }

    /// What a commit after this head says, which is about to be sent.
    func say(after head: TreeHead, _ reading: Reading) throws(SyncFailure) -> StoreTime {
        let time = try next(after: head, reading)
        var state = try current(reading)
        // Who has heard nothing is about to make the account's first entry, or another was faster: the log
        // tells what the time is then.
        let isBeyond = state.allowance?.say(time) ?? false
        try keep(state, saves: isBeyond, reading)
        return time
    }

    private func current(_ reading: Reading) throws(SyncFailure) -> State {
        var state = state.withLock { $0 }
        if state.isLoaded {
            state.allowance?.goOn(
                to: reading.clock, date: reading.date, graceSeconds: reading.graceSeconds)
            return state
        }
        state.isLoaded = true
        state.allowance = try storage?.reading { try $0.timeAllowance() }
        state.allowance?.resume(at: reading.clock, date: reading.date, graceSeconds: reading.graceSeconds)
        return state
    }

    private func keep(_ state: State, saves: Bool, _ reading: Reading) throws(SyncFailure) {
        var state = state
        if saves, let allowance = state.allowance {
            try storage?.writing { try $0.setTimeAllowance(allowance) }
            state.savedAt = reading.clock
        }
        self.state.withLock { $0 = state }
    }
}
