internal import CLinux
internal import Glibc

/// A value that threads wait for.
// Unchecked: `value` is touched only under `mutex`.
public final class Gate<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value
    private let rank: LockRank

    public init(_ value: Value, rank: LockRank = .unordered) {
        self.rank = rank
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes all waiting threads.
    public func update<R>(_ change: (inout Value) -> R) -> R {
        rank.checking {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            let result = change(&value)
            pthread_cond_broadcast(condition)
            return result
        }
    }

    /// Waits until `take` returns something.
    /// - Parameter timeoutSeconds: nil waits for ever.
    /// - Returns: nil after the timeout.
    public func wait<R>(timeoutSeconds: Double? = nil, until take: (inout Value) -> R?) -> R? {
        var deadline = timespec()
        if let timeoutSeconds {
            clock_gettime(CLOCK_MONOTONIC, &deadline)
            let nanoseconds = Int(timeoutSeconds * 1e9) + deadline.tv_nsec
            deadline.tv_sec += nanoseconds / 1_000_000_000
            deadline.tv_nsec = nanoseconds % 1_000_000_000
        }
        return rank.checking {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while true {
                if let taken = take(&value) { return taken }
                if timeoutSeconds == nil {
                    pthread_cond_wait(condition, mutex)
                } else if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                    return take(&value)
                }
            }
        }
    }
}
