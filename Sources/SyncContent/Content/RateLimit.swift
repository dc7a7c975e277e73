internal import CloudStore
internal import Posix

/// Bytes per second of one direction (`--up`, `--down`), over all of an account's apps. What was not used in
/// the last second may be used at once; a run that is larger than that is paid for afterwards.
package final class RateLimit: Sendable {
    private struct State {
        /// Nil: no limit.
        var bytesPerSecond: Double?
        /// Bytes that were let through or wait, and those of them that are paid for. Whoever waits knows only
        /// his place among them, so that another rate counts for him too.
        var promised = 0.0
        var paid = 0.0
        var paidAt: UInt64 = 0

        mutating func pay(at now: UInt64) {
            defer { paidAt = max(paidAt, now) }
            guard let bytesPerSecond else {
                paid = promised
                return
            }
            guard now > paidAt else { return }
            paid = min(promised, paid + Double(now - paidAt) / 1e9 * bytesPerSecond)
        }
    }

    private static let second: UInt64 = 1_000_000_000
    private let clock: any SyncClock
    /// Leaf.
    private let state: Lock<State>

    /// - Parameter bytesPerSecond: nil and 0: no limit.
    package init(clock: any SyncClock, bytesPerSecond: UInt64? = nil) {
        self.clock = clock
        state = Lock(State())
        set(bytesPerSecond: bytesPerSecond)
    }

    /// Holds from now on, within a second for what waits already.
    package func set(bytesPerSecond: UInt64?) {
        let now = clock.now()
        state.withLock { state in
            state.pay(at: now)
            state.bytesPerSecond = bytesPerSecond.flatMap { $0 == 0 ? nil : Double($0) }
        }
    }

    /// Returns when this many bytes may go.
    /// - Throws: `.store(.cancelled)`.
    func take(_ count: Int) async throws(ContentError) {
        let now = clock.now()
        let place = state.withLock { state in
            state.pay(at: now)
            defer { state.promised += Double(count) }
            return state.promised
        }
        while let moment = nextLook(from: place) {
            do { try await clock.sleep(until: moment) } catch { throw .store(.cancelled) }
        }
    }

    /// Nil where the bytes after `place` may go.
    private func nextLook(from place: Double) -> UInt64? {
        let now = clock.now()
        return state.withLock { state in
            state.pay(at: now)
            guard let rate = state.bytesPerSecond else { return nil }
            let seconds = (place - state.paid) / rate - 1
            // A rounding is no wait.
            guard seconds > 1e-6 else { return nil }
            return now &+ UInt64(min(seconds, 1) * Double(Self.second)) &+ 1
        }
    }
}
