internal import CloudStore
internal import Posix

/// Bytes per second of one direction (`--up`, `--down`), over all of an account's apps. What was not used in
/// the last second may be used at once; a run that is larger than that is paid for afterwards.
public final class RateLimit: Sendable {
    private struct State {
        var bytesPerSecond: UInt64?
        /// By when everything that was let through is paid for.
        var paidAt: UInt64 = 0
    }

    private static let second: UInt64 = 1_000_000_000
    private let clock: any SyncClock
    private let state: Lock<State>

    /// - Parameter bytesPerSecond: nil and 0: no limit.
    public init(clock: any SyncClock, bytesPerSecond: UInt64? = nil) {
        self.clock = clock
        state = Lock(State(bytesPerSecond: bytesPerSecond))
    }

    /// Holds from the next run on.
    public func set(bytesPerSecond: UInt64?) {
        state.withLock { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Returns when this many bytes may go.
    /// - Throws: `.store(.cancelled)`.
    func take(_ count: Int) async throws(ContentError) {
        let now = clock.now()
        let paidAt = state.withLock { state -> UInt64 in
            guard let rate = state.bytesPerSecond, rate > 0 else { return 0 }
            let start = max(state.paidAt, now)
            let price = UInt64(count).multipliedReportingOverflow(by: Self.second)
            state.paidAt = start &+ (price.overflow ? Self.second : price.partialValue / rate)
            return start
        }
        guard paidAt > now &+ Self.second else { return }
        do { try await clock.sleep(until: paidAt - Self.second) } catch { throw .store(.cancelled) }
    }
}
