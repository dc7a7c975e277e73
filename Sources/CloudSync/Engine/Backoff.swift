internal import SyncContent

/// Waits between tries: longer each time, and never the same on two devices that began together.
struct Backoff {
    private let firstNanoseconds: UInt64
    private let limitNanoseconds: UInt64
    private(set) var tries = 0

    init(firstMilliseconds: UInt64, limitMilliseconds: UInt64) {
        firstNanoseconds = firstMilliseconds * 1_000_000
        limitNanoseconds = limitMilliseconds * 1_000_000
    }

    /// While the store leaves open who has a slot: 20 to 200 ms, doubled each time.
    static let slot = Backoff(firstMilliseconds: 20, limitMilliseconds: 5_000)
    /// Between requests that got no answer.
    static let request = Backoff(firstMilliseconds: 200, limitMilliseconds: 2_000)
    /// Between rounds while something keeps sync from going on.
    static let round = Backoff(firstMilliseconds: 1_000, limitMilliseconds: 60_000)

    /// Nanoseconds of the next wait: from one to ten times what is doubled at each try, up to the limit.
    mutating func next(_ randomness: any SyncRandomness) -> UInt64 {
        let doubled = firstNanoseconds << UInt64(min(tries, 16))
        tries += 1
        let jittered = doubled + randomness.below(doubled * 9)
        return min(jittered, limitNanoseconds + randomness.below(limitNanoseconds / 4))
    }

    mutating func reset() { tries = 0 }
}
