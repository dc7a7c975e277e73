internal import Glibc
internal import Posix

/// The locks of directories: each held across one system call that reads or changes the directory's names, so
/// that look-then-change is one step.
///
/// A fixed set of mutexes shared by all directories. Never held across fsync, copying or what waits.
// Unchecked: the mutexes have fixed addresses and are made and destroyed once.
final class DirectoryLocks: @unchecked Sendable {
    private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
    private static let count = 256

    init() {
        mutexes = .allocate(capacity: Self.count)
        for index in 0..<Self.count { pthread_mutex_init(mutexes + index, nil) }
    }

    deinit {
        for index in 0..<Self.count { pthread_mutex_destroy(mutexes + index) }
        mutexes.deallocate()
    }

    @inline(__always)
    func withLock<R, E: Error>(of directory: InodeNumber, _ body: () throws(E) -> R) throws(E) -> R {
        try LockRank.directories.checking { () throws(E) -> R in
            let mutex = mutex(directory)
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body()
        }
    }

    /// Locks two directories, which may be one, in the order of their addresses.
    @inline(__always)
    func withLocks<R, E: Error>(
        of one: InodeNumber, _ other: InodeNumber, _ body: () throws(E) -> R
    ) throws(E) -> R {
        try LockRank.directories.checking { () throws(E) -> R in
            let first = min(mutex(one), mutex(other))
            let second = max(mutex(one), mutex(other))
            pthread_mutex_lock(first)
            if second != first { pthread_mutex_lock(second) }
            defer {
                if second != first { pthread_mutex_unlock(second) }
                pthread_mutex_unlock(first)
            }
            return try body()
        }
    }

    /// Locks every directory, in the same order. For what changes who all of them are.
    func withAllLocks<R>(_ body: () -> R) -> R {
        LockRank.directories.checking {
            for index in 0..<Self.count { pthread_mutex_lock(mutexes + index) }
            defer { for index in 0..<Self.count { pthread_mutex_unlock(mutexes + index) } }
            return body()
        }
    }

    private func mutex(_ directory: InodeNumber) -> UnsafeMutablePointer<pthread_mutex_t> {
        mutexes + Int(directory.rawValue) % Self.count
    }
}
