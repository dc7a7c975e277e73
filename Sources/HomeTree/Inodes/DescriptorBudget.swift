internal import CLinux
internal import Glibc
internal import Posix
internal import Synchronization
internal import SystemPackage

/// How many descriptors the trees of one process may have open: the hard limit can be 20,000 even for root.
///
/// Open files of callers come first; descriptors that only save a path walk get the rest. Beyond its tree's
/// share (`HandleShare`) an open is refused with ENFILE, before the process itself meets EMFILE.
public final class DescriptorBudget: Sendable {
    /// Open files and directories of callers.
    public let handleLimit: Int
    /// O_PATH descriptors that can be opened again.
    public let cachedLimit: Int

    private let handles = Atomic<Int>(0)
    private let cached = Atomic<Int>(0)
    /// After directory locks and before the table locks, which it takes one at a time. Never held across a
    /// system call.
    private let clock = Lock(DescriptorClock(), rank: .descriptorClock)

    /// Shares out a process's limit: 15,400 of 20,000 for handles, 3,000 for what can be opened again, the
    /// rest for the process itself.
    public convenience init() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let total = Int(min(limit.rlim_cur, 1 << 20))
        self.init(handleLimit: total * 3 / 4 + total / 50, cachedLimit: max(16, total * 3 / 20))
    }

    public init(handleLimit: Int, cachedLimit: Int) {
        self.handleLimit = handleLimit
        self.cachedLimit = cachedLimit
    }

    /// Takes a handle for a tree that has `own` already; false where fewer than those would be left.
    fileprivate func takeHandle(besides own: Int) -> Bool {
        let taken = handles.wrappingAdd(1, ordering: .relaxed).newValue
        if own <= handleLimit - taken { return true }
        giveHandleBack()
        return false
    }

    fileprivate func giveHandleBack() { handles.wrappingSubtract(1, ordering: .relaxed) }

    /// A tree whose descriptors count from now on.
    func add(_ inodes: InodeAccess) { clock.withLock { $0.add(inodes) } }

    func addCached(_ count: Int) { cached.wrappingAdd(count, ordering: .relaxed) }

    /// Counts a new cached descriptor, and closes others where there are too many.
    func didCache() {
        addCached(1)
        if isOverCached { makeRoom(8) }
    }

    /// Closes up to so many descriptors that can be opened again, of any tree.
    func makeRoom(_ count: Int) {
        let evicted = clock.withLock { $0.evict(count) }
        addCached(-evicted.count)
        for descriptor in evicted { _ = lx_close(descriptor) }
    }

    /// Calls again once after closing cached descriptors where there are too many.
    /// - Throws: ENFILE, never EMFILE: it is not the caller who has too many open.
    func retryingWithRoom(_ call: () -> Int32) throws(Errno) -> Int32 {
        let result = call()
        if result >= 0 { return result }
        guard result == -Errno.tooManyOpenFiles.rawValue else { return try valueOrErrno(result) }
        makeRoom(256)
        let second = call()
        if second == -Errno.tooManyOpenFiles.rawValue { throw .tooManyOpenFilesInSystem }
        return try valueOrErrno(second)
    }

    var isOverCached: Bool { cached.load(ordering: .relaxed) > cachedLimit }
}

/// One tree's open files and directories. It may have as many as are left to all others then: an app that
/// opens all it can takes half, and the next one half of the rest.
final class HandleShare: Sendable {
    private let budget: DescriptorBudget
    private let own = Atomic<Int>(0)

    init(of budget: DescriptorBudget) { self.budget = budget }

    /// Takes one; false where the share is used up.
    func take() -> Bool {
        if budget.takeHandle(besides: own.wrappingAdd(1, ordering: .relaxed).oldValue) { return true }
        own.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    func giveBack() {
        own.wrappingSubtract(1, ordering: .relaxed)
        budget.giveHandleBack()
    }
}
