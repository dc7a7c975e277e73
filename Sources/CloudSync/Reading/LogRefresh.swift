internal import Posix
internal import SyncContent

/// Reads a log on when somebody looks at what it tells; where nobody looks, the store is asked nothing.
///
/// Looks do not wait for that: the next one finds the news. Only the first after a long rest waits a moment,
/// or it would show what the log said when somebody looked last, however long ago that is.
final class LogRefresh: Sendable {
    private static let staleNanoseconds: UInt64 = 5_000_000_000
    private static let restNanoseconds: UInt64 = 30_000_000_000
    /// From the beginning of the reading on: a store that says nothing keeps nobody for longer.
    private static let patienceNanoseconds: UInt64 = 1_000_000_000

    /// By the surroundings' clock.
    private struct Pace {
        /// When the reading began that is under way.
        var began: UInt64?
        /// When the last one ended.
        var last: UInt64
    }

    private let log: LogClient
    private let pace: Gate<Pace>

    /// - Parameter log: read to its end just now.
    init(_ log: LogClient) {
        self.log = log
        pace = Gate(Pace(last: log.surroundings.clock.now()))
    }

    /// Begins to read on where that was last done more than 5 seconds ago.
    /// - Parameters:
    ///   - failed: told what went wrong; what is known stays.
    ///   - done: called where there may be news.
    func look(
        _ failed: @escaping @Sendable (SyncTrouble) -> Void,
        done: @escaping @Sendable () throws(SyncFailure) -> Void = {}
    ) {
        let now = log.surroundings.clock.now()
        let (begins, wait) = pace.update { pace -> (Bool, UInt64) in
            let age = now &- pace.last
            guard age > Self.staleNanoseconds else { return (false, 0) }
            let began = pace.began ?? now
            defer { pace.began = began }
            let waited = min(now &- began, Self.patienceNanoseconds)
            return (pace.began == nil, age > Self.restNanoseconds ? Self.patienceNanoseconds - waited : 0)
        }
        if begins { begin(failed, done) }
        if wait > 0 { _ = pace.wait(timeoutSeconds: Double(wait) / 1e9) { $0.began == nil ? true : nil } }
    }

    private func begin(
        _ failed: @escaping @Sendable (SyncTrouble) -> Void,
        _ done: @escaping @Sendable () throws(SyncFailure) -> Void
    ) {
        Task(executorPreference: log.surroundings.executor) { [self] in
            do throws(SyncFailure) {
                try await log.pull()
                try done()
            } catch { failed(error.plain) }
            pace.update { $0 = Pace(last: log.surroundings.clock.now()) }
        }
    }
}
