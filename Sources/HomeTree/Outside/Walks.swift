internal import Posix
internal import SystemPackage

/// Who walks the container behind the mounts: a walk misses what sync moves from where it has not been yet to
/// where it was already, and what waits in staging meanwhile.
public final class Walks: Sendable {
    private struct State {
        /// Those that are to begin, too: nothing new goes to staging.
        var announced = 0
        /// Nothing moves at all.
        var underWay = 0
    }

    /// Before directory locks. Held across a move of sync's with its system calls; who begins a walk waits.
    private let state = Lock(State(), rank: .treeWalks)

    /// Runs `body`, which moves an item for sync, unless somebody walks the tree.
    /// - Parameter parks: whether it leaves the item in staging.
    /// - Returns: nil where it has to wait.
    public func moving<R, E: Error>(parks: Bool, _ body: () throws(E) -> R) throws(E) -> R? {
        try state.withLock { (state) throws(E) -> R? in
            guard (parks ? state.announced : state.underWay) == 0 else { return nil }
            return try body()
        }
    }

    fileprivate func walking<R>(once isReady: () throws -> Bool, _ walk: () throws -> R) throws -> R? {
        state.withLock { $0.announced += 1 }
        defer { state.withLock { $0.announced -= 1 } }
        guard try isReady() else { return nil }
        state.withLock { $0.underWay += 1 }
        defer { state.withLock { $0.underWay -= 1 } }
        return try walk()
    }
}

extension HomeTree {
    /// Begins the names of what sync keeps in the staging directory, through a restart too.
    public static let keptStagingPrefix = "sync-"

    /// Begins the names of what sync has parked in the staging directory.
    public static let parkedStagingPrefix = keptStagingPrefix + "parked-"

    /// Runs `walk` while sync moves nothing, and has nothing parked.
    /// - Parameter wait: whether to wait on, asked while something is parked; some time should pass in it.
    /// - Returns: nil where it was not waited for.
    public func whileNothingMoves<R>(waiting wait: () -> Bool, _ walk: () throws -> R) throws -> R? {
        try walks.walking(
            once: {
                while try hasParked() { guard wait() else { return false } }
                return true
            }, walk)
    }

    private func hasParked() throws(Errno) -> Bool {
        try names(in: staging).contains { $0.hasPrefix(Self.parkedStagingPrefix) }
    }
}
