/// A plan costs more the more has just changed, and it looks again at each file that changed within the last
/// second. While an app works, planning takes a tenth of one CPU at most: the app keeps its speed, and files
/// that stopped changing meanwhile go up together, in few requests.
struct PlanPace {
    /// For each nanosecond that a plan took.
    private static let restShare: UInt64 = 9
    /// No change waits longer for others than that.
    private static let longestRest: UInt64 = 2_000_000_000

    /// Before that moment of the engine's clock no change of the disk is taken up, but for a person who asks.
    private(set) var nextAt: UInt64 = 0

    /// A plan was made, and it was a whole one.
    mutating func rest(after began: UInt64, until now: UInt64) {
        let took = min(now - min(began, now), Self.longestRest)
        nextAt = now &+ min(took * Self.restShare, Self.longestRest)
    }
}
