internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// In a folder store no machine's clock carries the log's time off, so that nothing expires by it: beyond the
/// time that really passes it goes on by the account's grace at most, for each device and each time that a
/// clock is set, and as much again in 30 days.
struct TimePace {
    /// Devices, and how often clocks are set.
    let causes: Int
    private var first: (time: StoreTime, moment: UInt64)?

    init(causes: Int) {
        self.causes = causes
    }

    /// A commit says this time.
    /// - Returns: what is wrong with it.
    mutating func note(_ time: StoreTime, at moment: UInt64) -> String? {
        guard let first else {
            first = (time, moment)
            return nil
        }
        let passed = Int64((moment - first.moment) / Plan.second)
        let windows = 1 + passed / Retention.historySeconds
        let ahead = time.seconds(since: first.time) - passed
        guard ahead > Int64(causes) * windows * AccountRetention().graceSeconds + 1 else { return nil }
        return "the log's time is \(ahead / AccountRetention.daySeconds) days ahead of what passed"
    }
}
