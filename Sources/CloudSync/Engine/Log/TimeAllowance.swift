package import StoreBasics
internal import SyncLog

/// How far a device may let the time `t` of an account's logs go on, where dates are those of somebody's
/// machine (a store in a folder). Replay expires by `t` alone and nobody can take it back, so no clock that
/// is wrong may carry it off; but who was away for long, or joins an account that rested, has to bring it on.
///
/// `reached` is what `t` would be had it gone on by itself since this device knew it. It goes on
/// - by the time that passed by a clock that nobody sets and that runs on in suspend;
/// - by the time this device was switched off, which only its dates tell of: at most `graceSeconds` for each
///   time, and nothing where they tell of more than half a year. A clock that is wrong by always the same
///   tells that right;
/// - to what others have said.
///
/// Beyond it a device may say `creditSeconds`, which is `graceSeconds` at most and comes back within
/// `windowSeconds`. So `t` is ahead of real time by `graceSeconds` in 30 days for each device whose clock is
/// ahead, whatever that says and however often it commits: history that is to stay for 30 days stays for 23.
/// And an account in which nobody spoke for a year catches up by itself, at once by what one device may say
/// and then by a quarter more than the time that goes by.
package struct TimeAllowance: Equatable, Sendable {
    /// All in milliseconds, so that many small steps lose nothing.
    package var reachedMilliseconds: Int64
    package var creditMilliseconds: Int64
    /// `SyncClock.now` when that was so.
    package var clock: UInt64
    /// The store's own time then.
    package var date: StoreTime

    package init(reachedMilliseconds: Int64, creditMilliseconds: Int64, clock: UInt64, date: StoreTime) {
        self.reachedMilliseconds = reachedMilliseconds
        self.creditMilliseconds = creditMilliseconds
        self.clock = clock
        self.date = date
    }

    /// In a window as long as history stays.
    static let windowSeconds = Retention.historySeconds
    /// Longer than this nobody is away; it is the clock that was set.
    private static let plausibleSeconds = Retention.tombstoneSeconds
    private static let millisecond: UInt64 = 1_000_000

    /// Of a device that knows nothing but this time of a log.
    init(_ time: StoreTime, clock: UInt64, date: StoreTime, graceSeconds: Int64) {
        self.init(
            reachedMilliseconds: Self.milliseconds(time), creditMilliseconds: graceSeconds * 1000,
            clock: clock, date: date)
    }

    var reached: StoreTime { StoreTime(seconds: reachedMilliseconds / 1000) }
    /// What a commit may say.
    var limit: StoreTime { StoreTime(seconds: (reachedMilliseconds + creditMilliseconds) / 1000) }
    /// Between which times the store's dates are to be believed.
    var bounds: ClosedRange<StoreTime> { reached...limit }

    /// After the program started: the machine may have been off.
    mutating func resume(at clock: UInt64, date: StoreTime, graceSeconds: Int64) {
        let (before, began) = (reachedMilliseconds, self.date)
        goOn(to: clock, date: date, graceSeconds: graceSeconds)
        let told = date.seconds.subtractingReportingOverflow(began.seconds)
        guard !told.overflow, (0...Self.plausibleSeconds).contains(told.partialValue) else { return }
        let off = told.partialValue * 1000 - (reachedMilliseconds - before)
        reachedMilliseconds += min(max(off, 0), graceSeconds * 1000)
    }

    mutating func goOn(to now: UInt64, date: StoreTime, graceSeconds: Int64) {
        // A clock that is behind what it was began anew, and ran at least so long.
        let nanoseconds = now >= clock ? now - clock : now
        let passed = Int64(clamping: nanoseconds / Self.millisecond)
        reachedMilliseconds = min(reachedMilliseconds + passed, Self.latest)
        let (window, grace) = (Self.windowSeconds * 1000, graceSeconds * 1000)
        let back = min(passed, window) * graceSeconds / Self.windowSeconds
        creditMilliseconds = min(creditMilliseconds + back, grace)
        clock = now - nanoseconds % Self.millisecond
        self.date = date
    }

    mutating func hear(_ time: StoreTime) {
        reachedMilliseconds = max(reachedMilliseconds, Self.milliseconds(time))
    }

    /// - Returns: whether that took some of the credit.
    mutating func say(_ time: StoreTime) -> Bool {
        let ahead = Self.milliseconds(time) - reachedMilliseconds
        guard ahead > 0 else { return false }
        creditMilliseconds -= min(ahead, creditMilliseconds)
        reachedMilliseconds += ahead
        return true
    }

    /// Times of a log come from outside.
    private static let latest: Int64 = 1 << 50
    private static func milliseconds(_ time: StoreTime) -> Int64 {
        min(max(time.seconds, 0), latest / 1000) * 1000
    }
}
