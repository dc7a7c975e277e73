internal import Posix

/// How many bytes went, and how fast they go now: for people. One addition for each object.
package final class TransferMeter: Sendable {
    /// The rate is that of so many seconds, the one that has begun among them.
    private static let seconds: UInt64 = 5

    private struct State {
        var total: UInt64 = 0
        /// By second: what went in it. None is older than the window.
        var recent: [UInt64: UInt64] = [:]
    }

    private let clock: any SyncClock
    /// Leaf.
    private let state = Lock(State())

    package init(clock: any SyncClock) {
        self.clock = clock
    }

    func add(_ bytes: Int) {
        let second = clock.now() / 1_000_000_000
        state.withLock { state in
            state.total &+= UInt64(bytes)
            state.recent[second, default: 0] &+= UInt64(bytes)
            state.recent = state.recent.filter { $0.key &+ Self.seconds > second }
        }
    }

    /// Since it was made.
    package var total: UInt64 { state.withLock { $0.total } }

    package var bytesPerSecond: UInt64 {
        let second = clock.now() / 1_000_000_000
        let bytes = state.withLock { state in
            state.recent.filter { $0.key &+ Self.seconds > second }.values.reduce(0, &+)
        }
        return bytes / Self.seconds
    }
}
