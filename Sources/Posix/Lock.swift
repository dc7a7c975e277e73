public import Glibc

/// A mutex and the state it guards.
///
/// Over pthread_mutex_t and not `Synchronization.Mutex`, which the thread sanitizer does not see on Linux.
// Unchecked: `state` is touched only inside `withLock`, under `mutex`, which has a fixed address.
public final class Lock<State: ~Copyable>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// By address, so that the runtime does not check each access for overlap: the mutex rules that out.
    @usableFromInline let state: UnsafeMutablePointer<State>

    @usableFromInline let rank: LockRank

    public init(_ state: consuming State, rank: LockRank = .unordered) {
        self.rank = rank
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Runs `body` alone with the state. Never call out (system calls that wait, other locks) from `body`
    /// unless the declaration of this lock says so.
    @inlinable @inline(__always)
    public func withLock<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try rank.checking { () throws(E) -> R in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state.pointee)
        }
    }

    /// As `withLock`, where nobody has the lock.
    /// - Returns: nil where somebody has it.
    public func withLockIfFree<R>(_ body: (inout State) -> R) -> R? {
        rank.checking {
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return body(&state.pointee)
        }
    }
}
