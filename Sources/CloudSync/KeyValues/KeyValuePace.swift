/// When what was set goes up: at once after a rest, and less and less often while sets do not end.
struct KeyValuePace {
    private static let second: UInt64 = 1_000_000_000
    private static let shortest = second
    /// What is set is in the store within five seconds (SPEC.md 11).
    static let longest = 9 * second / 2
    /// Who sends nothing for so long has rested.
    private static let rest = 10 * second

    private var lastSend: UInt64?
    private var pause = shortest

    /// From when on something may be sent, by the engine's clock.
    var next: UInt64 { lastSend.map { $0 &+ pause } ?? 0 }

    mutating func noteSend(at now: UInt64) {
        let isRested = lastSend.map { now >= $0 &+ Self.rest } ?? true
        pause = isRested ? Self.shortest : min(2 * pause, Self.longest)
        lastSend = now
    }
}
