internal import CLinux
internal import Posix
internal import SystemPackage

/// How a system call reaches an inode: by a descriptor of its own, or by its name in its parent's directory.
///
/// Descriptors are a bounded cache, so most files have none; one call by name costs no more than one by
/// descriptor. The directory lock keeps the name true for the length of the call.
extension HomeTree {
    /// Runs `body` with a directory's descriptor, which stays open meanwhile.
    /// - Throws: ESTALE where the directory is gone, or what opening answers.
    func withDirectory<R>(_ number: InodeNumber, _ body: (Int32) throws(Errno) -> R) throws(Errno) -> R {
        let ready = try pin(number)
        defer { unpin(number) }
        let descriptor = ready >= 0 ? ready : try openDescriptor(of: number)
        return try body(descriptor)
    }

    /// Runs `body` with a directory's descriptor and its lock held.
    func withLockedDirectory<R>(_ number: InodeNumber, _ body: (Int32) throws(Errno) -> R) throws(Errno) -> R
    {
        try withDirectory(number) { (descriptor) throws(Errno) in
            locks.lock(number)
            defer { locks.unlock(number) }
            return try body(descriptor)
        }
    }

    /// Runs `body` with `(directory, name)` that reach the inode in one *at call; name "" means the
    /// descriptor itself.
    /// - Throws: ESTALE where nothing reaches it any more.
    func withInode<R>(
        _ number: InodeNumber, _ body: (Int32, UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R {
        while true {
            switch try tables.withLock({ (tables) throws(Errno) in try tables.reach(number) }) {
            case .itself(let descriptor):
                defer { unpin(number) }
                return try body(descriptor, Self.ownName)
            case .parent(let parent, let ready):
                defer { unpin(parent) }
                let directory = ready >= 0 ? ready : try openDescriptor(of: parent)
                locks.lock(parent)
                defer { locks.unlock(parent) }
                let result = try withName(of: number, in: parent) { (name) throws(Errno) in
                    guard RequestRights.areRoots else { return try body(directory, name) }
                    // The owner can put another file there: root's rights go by what was compared.
                    let file = Descriptor(owning: try openPath(directory, name))
                    guard isInode(number, file.raw) else { throw .staleHandle }
                    return try body(file.raw, Self.ownName)
                }
                if let result { return result }
            }
        }
    }

    /// Whether a descriptor that was opened by name is of this inode, and not of what came there meanwhile.
    func isInode(_ number: InodeNumber, _ descriptor: Int32) -> Bool {
        var status = stat()
        guard lx_fstat(descriptor, &status) == 0 else { return false }
        return tables.withLock { $0.isInode(number, status) }
    }

    /// Runs `body` with a copy of the inode's name, true while the parent's directory lock is held.
    ///
    /// A copy: the record's own goes where the inode is found in another directory, whose lock is another.
    /// - Returns: nil where it is elsewhere now.
    private func withName<R>(
        of number: InodeNumber, in parent: InodeNumber,
        _ body: (UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R? {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.longestName + 1) {
            (copy) throws(Errno) -> R? in
            let length = tables.withLock { $0.copyName(of: number, in: parent, to: copy) }
            guard length != nil, let name = copy.baseAddress else { return nil }
            return try body(UnsafePointer(name))
        }
    }

    /// NAME_MAX.
    private static var longestName: Int { 255 }

    /// Keeps the record and its descriptor from ending.
    /// - Returns: the descriptor, or -1 where it has to be opened.
    func pin(_ number: InodeNumber) throws(Errno) -> Int32 {
        try tables.withLock { (tables) throws(Errno) in try tables.pin(number) }
    }

    func unpin(_ number: InodeNumber) {
        var leftovers = Leftovers()
        tables.withLock { $0.unpin(number, into: &leftovers) }
        close(leftovers)
    }

    /// Opens an O_PATH descriptor of a pinned inode, walking down from the nearest parent that has one.
    ///
    /// A loop, not a recursion: a home may be deeper than a stack.
    /// - Throws: ESTALE where it is gone, or is not what it was: somebody changed the backing directory.
    func openDescriptor(of number: InodeNumber) throws(Errno) -> Int32 {
        // All but the first are pinned by this call, for as long as they are in the chain.
        var chain = [number]
        defer { for parent in chain.dropFirst() { unpin(parent) } }
        while let last = chain.last {
            var opened: Int32?
            switch try tables.withLock({ (tables) throws(Errno) in try tables.reach(last) }) {
            case .itself(let descriptor):
                unpin(last)
                opened = descriptor
            case .parent(let parent, let ready) where ready >= 0:
                defer { unpin(parent) }
                opened = try open(last, in: parent, ready)
            case .parent(let parent, _):
                chain.append(parent)
            }
            guard let opened else { continue }
            if chain.count == 1 { return opened }
            chain.removeLast()
            unpin(last)
        }
        throw .staleHandle
    }

    /// Opens an inode by its name in an open parent; nil where it is elsewhere now.
    private func open(_ number: InodeNumber, in parent: InodeNumber, _ directory: Int32) throws(Errno)
        -> Int32?
    {
        locks.lock(parent)
        defer { locks.unlock(parent) }
        return try withName(of: number, in: parent) { (name) throws(Errno) in
            try adopt(try openPath(directory, name), for: number)
        }
    }

    /// Opens an O_PATH descriptor, making room where there are too many.
    func openPath(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) -> Int32 {
        try retryingWithRoom { lx_openat(directory, name, lx_o_path | lx_o_nofollow, 0) }
    }

    /// Calls again once after closing cached descriptors where there are too many.
    /// - Throws: ENFILE, never EMFILE: it is not the caller who has too many open.
    func retryingWithRoom(_ call: () -> Int32) throws(Errno) -> Int32 {
        let result = call()
        if result >= 0 { return result }
        guard result == -Errno.tooManyOpenFiles.rawValue else { return try valueOrErrno(result) }
        budget.makeRoom(256)
        let second = call()
        if second == -Errno.tooManyOpenFiles.rawValue { throw .tooManyOpenFilesInSystem }
        return try valueOrErrno(second)
    }

    /// Makes a new O_PATH descriptor the inode's own, or drops it where another thread was first.
    /// - Precondition: the inode is pinned.
    private func adopt(_ descriptor: Int32, for number: InodeNumber) throws(Errno) -> Int32 {
        var status = stat()
        let failure = lx_fstat(descriptor, &status)
        let own = failure == 0 ? tables.withLock { $0.adopt(descriptor, status, for: number) } : nil
        if own != descriptor { _ = lx_close(descriptor) } else { budget.didCache() }
        guard let own else { throw .staleHandle }
        return own
    }

    /// The name "" of *at calls: the descriptor itself.
    // Unsafe: never written after this; it lives as long as the process.
    nonisolated(unsafe) static let ownName: UnsafePointer<CChar> = {
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        name.pointee = 0
        return UnsafePointer(name)
    }()
}
