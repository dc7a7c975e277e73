internal import CLinux
internal import Posix
internal import StoreBasics

/// What time it is by a folder's file system: the modification time that it gives a file written now. That is
/// what all who use the folder have in common (on NFS its server's clock; on a local disk this machine's).
///
/// Each write tells it by the time of its own file. In between it goes on by the clock that nobody sets and
/// that runs on in suspend, so a reading costs no system call that reaches the file system; after
/// `readAgainSeconds` without a write one file is written to ask again. What a step of the file system's
/// clock brings in that time is nothing that ages of days depend on.
final class FolderClock: Sendable {
    private struct Moment {
        var time: StoreTime
        /// CLOCK_BOOTTIME, nanoseconds.
        var clock: Int64

        func isOld(at now: Int64) -> Bool { now - clock > readAgainSeconds * second }
        func passed(to now: Int64) -> Int64 { max(0, now - clock) / second }
    }

    private struct State {
        /// What was read last.
        var read: Moment?
        /// Between which times answers are dated, and since when.
        var bounds: (range: ClosedRange<StoreTime>, clock: Int64)?
    }

    private static let second: Int64 = 1_000_000_000
    private static let readAgainSeconds: Int64 = 600
    /// Clocks that are together differ by this at most: then nothing is dated anew, which costs an fsync(2).
    private static let slackSeconds: Int64 = 3600
    /// Leaf.
    private let state = Lock(State())
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64 = { lx_boottime_nanoseconds() }) {
        self.now = now
    }

    /// - Parameter ask: writes a file and says its time; nil where it cannot be written. Nothing that this
    ///   device writes is dated then, so until it can be the machine's clock will do.
    func time(asking ask: () -> StoreTime?) -> StoreTime {
        let now = now()
        let known = state.withLock { $0.read }
        if let known, !known.isOld(at: now) { return known.time.adding(seconds: known.passed(to: now)) }
        let went = known.map { $0.time.adding(seconds: $0.passed(to: now)) }
        let time = ask() ?? went ?? .machine
        note(time, at: now)
        return time
    }

    /// A file that was written just now got this time.
    func note(_ time: StoreTime) { note(time, at: now()) }

    private func note(_ time: StoreTime, at clock: Int64) {
        state.withLock { $0.read = Moment(time: time, clock: clock) }
    }

    func keep(in range: ClosedRange<StoreTime>) {
        let now = now()
        state.withLock { $0.bounds = (range, now) }
    }

    /// The date of an answer.
    func date(of time: StoreTime) -> StoreTime {
        guard let bounds = bounds else { return time }
        let isAhead = time.seconds(since: bounds.upperBound) > Self.slackSeconds
        return isAhead ? bounds.upperBound : dateOfFile(time)
    }

    /// What a file is dated that the file system gave this time.
    func dateOfFile(_ time: StoreTime) -> StoreTime {
        guard let low = bounds?.lowerBound, low.seconds(since: time) > Self.slackSeconds else {
            return time
        }
        return low
    }

    private var bounds: ClosedRange<StoreTime>? {
        let now = now()
        return state.withLock { $0.bounds }.map { bounds in
            let passed = max(0, now - bounds.clock) / Self.second
            let (low, high) = (bounds.range.lowerBound, bounds.range.upperBound)
            return low.adding(seconds: passed)...high.adding(seconds: passed)
        }
    }
}
