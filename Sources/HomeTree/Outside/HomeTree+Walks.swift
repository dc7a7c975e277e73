internal import Posix
internal import SystemPackage

/// Who walks the container behind the mounts: a walk misses what sync moves from where it has not been yet to
/// where it was already, and what waits in staging meanwhile.
struct Walks {
    /// Those that are to begin, too: nothing new goes to staging.
    var announced = 0
    /// Nothing moves at all.
    var underWay = 0
}

extension HomeTree {
    /// Begins the names of what sync keeps in the staging directory, through a restart too.
    public static let keptStagingPrefix = "sync-"

    /// Begins the names of what sync has parked in the staging directory.
    public static let parkedStagingPrefix = keptStagingPrefix + "parked-"

    /// Runs `body`, which moves an item for sync, unless somebody walks the tree.
    /// - Parameter parks: whether it leaves the item in staging.
    /// - Returns: nil where it has to wait.
    public func moving<R, E: Error>(parks: Bool, _ body: () throws(E) -> R) throws(E) -> R? {
        try walks.withLock { (walks) throws(E) -> R? in
            guard (parks ? walks.announced : walks.underWay) == 0 else { return nil }
            return try body()
        }
    }

    /// Runs `walk` while sync moves nothing, and has nothing parked.
    /// - Parameter wait: whether to wait on, asked while something is parked; some time should pass in it.
    /// - Returns: nil where it was not waited for.
    public func whileNothingMoves<R>(waiting wait: () -> Bool, _ walk: () throws -> R) throws -> R? {
        walks.withLock { $0.announced += 1 }
        defer { walks.withLock { $0.announced -= 1 } }
        while try hasParked() {
            guard wait() else { return nil }
        }
        walks.withLock { $0.underWay += 1 }
        defer { walks.withLock { $0.underWay -= 1 } }
        return try walk()
    }

    private func hasParked() throws(Errno) -> Bool {
        try names(in: staging).contains { name in
            name.map { UInt8(bitPattern: $0) }.starts(with: Self.parkedStagingPrefix.utf8)
        }
    }
}
