internal import CLinux
internal import Posix
internal import SystemPackage

/// How a system call reaches an inode: by a descriptor of its own, or by its name in its parent's directory.
///
/// Descriptors are a bounded cache, so most files have none; one call by name costs no more than one by
/// descriptor. The directory lock keeps the name true for the length of the call.
final class InodeAccess: Sendable {
    /// Never held across a system call.
    let tables: Lock<InodeTable>
    let locks = DirectoryLocks()
    let budget: DescriptorBudget
    let leases = Leases()

    init(_ table: consuming InodeTable, budget: DescriptorBudget) {
        tables = Lock(table, rank: .inodeTable)
        self.budget = budget
        budget.add(self)
    }

    deinit { budget.addCached(-tables.withLock { $0.cachedCount }) }

    /// Runs `body` with a directory's descriptor, which stays open meanwhile.
    /// - Throws: ESTALE where the directory is gone, or what opening answers.
    func withDirectory<R>(_ number: InodeNumber, _ body: (Int32) throws(Errno) -> R) throws(Errno) -> R {
        let directory = try pin(number)
        return try body(try descriptor(of: directory))
    }

    /// Runs `body` with a directory's descriptor and its lock held.
    func withLockedDirectory<R>(_ number: InodeNumber, _ body: (Int32) throws(Errno) -> R) throws(Errno) -> R
    {
        try withDirectory(number) { (descriptor) throws(Errno) in
            try locks.withLock(of: number) { () throws(Errno) in try body(descriptor) }
        }
    }

    /// Runs `body` with `(directory, name)` that reach the inode in one *at call; name "" means the
    /// descriptor itself.
    /// - Throws: ESTALE where nothing reaches it any more.
    func withInode<R>(
        _ number: InodeNumber, _ body: (Int32, UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R {
        while true {
            let reached = try reach(number)
            if reached.number == number { return try body(reached.descriptor, Self.ownName) }
            let parent = reached.number
            let directory = try descriptor(of: reached)
            let result = try withLockedName(of: number, in: parent) { (name) throws(Errno) in
                guard RequestRights.areRoots else { return try body(directory, name) }
                // The owner can put another file there: root's rights go by what was compared.
                let file = Descriptor(owning: try openPath(directory, name))
                guard isInode(number, file.raw) else { throw .staleHandle }
                return try body(file.raw, Self.ownName)
            }
            if let result { return result }
        }
    }

    /// Whether a descriptor that was opened by name is of this inode, and not of what came there meanwhile.
    func isInode(_ number: InodeNumber, _ descriptor: Int32) -> Bool {
        guard let status = try? stat(of: descriptor) else { return false }
        return tables.withLock { $0.isInode(number, status) }
    }

    /// Runs `body` with a copy of the inode's name, and with its directory's lock, which keeps it true.
    ///
    /// A copy: the record's own goes where the inode is found in another directory, whose lock is another.
    /// - Returns: nil where it is elsewhere now.
    private func withLockedName<R>(
        of number: InodeNumber, in parent: InodeNumber,
        _ body: (UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R? {
        try locks.withLock(of: parent) { () throws(Errno) in
            try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.longestName + 1) {
                (copy) throws(Errno) -> R? in
                let length = tables.withLock { $0.copyName(of: number, in: parent, to: copy) }
                guard length != nil, let name = copy.baseAddress else { return nil }
                return try body(UnsafePointer(name))
            }
        }
    }

    /// NAME_MAX.
    private static var longestName: Int { 255 }

    private func pin(_ number: InodeNumber) throws(Errno) -> PinnedInode {
        let descriptor = try tables.withLock { (tables) throws(Errno) in try tables.pin(number) }
        return PinnedInode(number, descriptor, in: self)
    }

    /// What leads to an inode: itself by a descriptor, or the directory that holds its name.
    private func reach(_ number: InodeNumber) throws(Errno) -> PinnedInode {
        let reached = try tables.withLock { (tables) throws(Errno) in try tables.reach(number) }
        return PinnedInode(reached.number, reached.descriptor, in: self)
    }

    /// The descriptor of a pinned directory: open for as long as the pin lives.
    private func descriptor(of directory: borrowing PinnedInode) throws(Errno) -> Int32 {
        directory.descriptor >= 0 ? directory.descriptor : try openDescriptor(of: directory.number)
    }

    /// A directory that is open, and what is to be opened in it on the way down to an inode.
    private struct Level: ~Copyable {
        let directory: PinnedInode
        let child: InodeNumber
        /// nil where the child is the inode itself, which the caller has pinned.
        let pin: PinnedInode?
    }

    private func level(above number: InodeNumber) throws(Errno) -> Level {
        let (directory, descriptor, child) = try tables.withLock { (tables) throws(Errno) in
            try tables.pinLevel(above: number)
        }
        return Level(
            directory: PinnedInode(directory, descriptor, in: self), child: child,
            pin: child == number ? nil : PinnedInode(child, -1, in: self))
    }

    /// Opens an O_PATH descriptor of a pinned inode, walking down from the nearest parent that has one.
    ///
    /// A loop, not a recursion: a home may be deeper than a stack.
    /// - Throws: ESTALE where it is gone, or is not what it was: somebody changed the backing directory.
    private func openDescriptor(of number: InodeNumber) throws(Errno) -> Int32 {
        var level = try level(above: number)
        while level.directory.number != number {
            let opened = try open(level.child, in: level.directory.number, level.directory.descriptor)
            if let opened, level.child == number { return opened }
            // The next level is pinned before this one is let go: what was just opened stays open.
            level = try self.level(above: number)
        }
        return level.directory.descriptor
    }

    /// Opens an inode by its name in an open parent; nil where it is elsewhere now.
    private func open(_ number: InodeNumber, in parent: InodeNumber, _ directory: Int32) throws(Errno)
        -> Int32?
    {
        try withLockedName(of: number, in: parent) { (name) throws(Errno) in
            let descriptor = try openPath(directory, name)
            return try adopt(descriptor, try? stat(of: descriptor), for: number)
        }
    }

    /// Opens an O_PATH descriptor, making room where there are too many.
    func openPath(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) -> Int32 {
        try budget.retryingWithRoom { lx_openat(directory, name, lx_o_path | lx_o_nofollow, 0) }
    }

    /// Makes a new O_PATH descriptor the inode's own, or drops it where another thread was first.
    /// - Parameter status: the descriptor's.
    /// - Returns: the inode's own, open for as long as the inode is pinned.
    /// - Throws: ESTALE where the descriptor is another inode's; it is closed then.
    /// - Precondition: the inode has a pin, or a reference.
    func adopt(
        _ descriptor: Int32, _ status: stat?, for number: InodeNumber
    ) throws(Errno) -> Int32 {
        let own = status.flatMap { status in tables.withLock { $0.adopt(descriptor, status, for: number) } }
        if own != descriptor { _ = lx_close(descriptor) } else { budget.didCache() }
        guard let own else { throw .staleHandle }
        return own
    }

    /// The one place where contents are opened: by a path in a directory, or anew from a descriptor.
    func openContents(
        _ directory: Int32, _ name: UnsafePointer<CChar>, flags: Int32
    ) throws(Errno) -> Int32 {
        let usual = Self.backingFlags(flags)
        for _ in 0..<Self.leaseTries {
            do throws(Errno) { return try openOnce(directory, name, usual) } catch {
                guard error == .wouldBlock else { throw error }
            }
            // A lease is in the way. If it is our own, it is given back before the lock is.
            leases.waitForOwn()
        }
        return try openOnce(directory, name, usual)
    }

    /// Opens an inode's contents: for reading alone where nothing else is said.
    func openContents(of number: InodeNumber, flags: Int32 = 0) throws(Errno) -> Descriptor {
        Descriptor(
            owning: try withInode(number) { (directory, name) throws(Errno) in
                try openContents(directory, name, flags: flags)
            })
    }

    private func openOnce(
        _ directory: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32
    ) throws(Errno) -> Int32 {
        try budget.retryingWithRoom {
            name.pointee == 0
                ? lx_reopen(directory, flags) : lx_openat(directory, name, flags | lx_o_nofollow, 0)
        }
    }

    /// If the lease is another process's, waiting for ours does not help: the open fails after these tries.
    private static var leaseTries: Int { 8 }

    /// The caller's flags as far as they concern the backing file. Not O_DIRECT: buffers here are not
    /// aligned. Not O_APPEND: each WRITE says whether it appends, since fcntl(2) can change that. Not
    /// O_TRUNC: a file is truncated once it is known which one was opened. Not O_NOFOLLOW: a descriptor is
    /// opened anew through a link of procfs, and by name none is ever followed. O_NONBLOCK keeps an open from
    /// waiting for a lease.
    static func backingFlags(_ flags: Int32) -> Int32 {
        let others =
            lx_o_creat | lx_o_excl | lx_o_noctty | lx_o_direct | lx_o_directory | lx_o_append | lx_o_trunc
            | lx_o_nofollow
        return flags & ~others | lx_o_nonblock
    }

    /// Closes what an ended call has left.
    func close(_ leftovers: Leftovers) {
        if leftovers.isEmpty { return }
        budget.addCached(-leftovers.descriptors.count)
        for descriptor in leftovers.descriptors { _ = lx_close(descriptor) }
    }

    /// The name "" of *at calls: the descriptor itself.
    // Unsafe: never written after this; it lives as long as the process.
    nonisolated(unsafe) static let ownName: UnsafePointer<CChar> = {
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        name.pointee = 0
        return UnsafePointer(name)
    }()
}
