internal import Glibc

/// The locks of directories: each held across one system call that reads or changes the directory's names, so
/// that look-then-change is one step.
///
/// A fixed set of mutexes shared by all directories. Order: after no other directory lock but through
/// `lock(_:_:)`, and before the table lock. Never held across fsync, copying, or anything that waits.
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

    func lock(_ directory: InodeNumber) { pthread_mutex_lock(mutex(directory)) }
    func unlock(_ directory: InodeNumber) { pthread_mutex_unlock(mutex(directory)) }

    /// Locks two directories, which may be one, in an order that all callers share.
    func lock(_ one: InodeNumber, _ other: InodeNumber) {
        let first = min(mutex(one), mutex(other))
        let second = max(mutex(one), mutex(other))
        pthread_mutex_lock(first)
        if second != first { pthread_mutex_lock(second) }
    }

    func unlock(_ one: InodeNumber, _ other: InodeNumber) {
        pthread_mutex_unlock(mutex(one))
        if mutex(one) != mutex(other) { pthread_mutex_unlock(mutex(other)) }
    }

    /// Locks every directory, in the order of `lock(_:_:)`. For what changes who all of them are.
    func lockAll() { for index in 0..<Self.count { pthread_mutex_lock(mutexes + index) } }
    func unlockAll() { for index in 0..<Self.count { pthread_mutex_unlock(mutexes + index) } }

    private func mutex(_ directory: InodeNumber) -> UnsafeMutablePointer<pthread_mutex_t> {
        mutexes + Int(directory.rawValue) % Self.count
    }
}
