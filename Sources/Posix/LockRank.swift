internal import CLinux

/// The order in which a thread takes locks, so that no two threads wait for each other.
///
/// A debug build, and the one that all tests run, ends the process where a lock is taken while one of the
/// same or a later rank is held.
/// `Sources/README.md` says what each is held for.
public enum LockRank: Int32, Sendable {
    /// Has no place in the order, and is not checked.
    case unordered
    case cloudService, cloudSession, keyValueStores, devicePublishing, mounts, runningApps, shownTrees
    case treeWalks, directoryReader, viewModes, directories, leases, descriptorClock, inodeTable
    case findings, mountRecords, spaceReserve
    /// No other lock is taken while it is held.
    case leaf

    /// Runs `body`, which takes a lock of this rank and gives it back.
    @inlinable @inline(__always)
    public func checking<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        #if DEBUG || TESTED
            let before = enter()
            defer { Self.leave(before) }
        #endif
        return try body()
    }

    /// - Returns: the rank that is held by now.
    @usableFromInline func enter() -> Int32 {
        guard self != .unordered else { return lx_lock_rank() }
        let held = lx_lock_rank()
        precondition(held < rawValue, "\(self) is locked while the lock of rank \(held) is held")
        lx_set_lock_rank(rawValue)
        return held
    }

    @usableFromInline static func leave(_ before: Int32) { lx_set_lock_rank(before) }
}
