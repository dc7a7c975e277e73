internal import Posix

/// An inode whose record and descriptor do not end for as long as this value lives.
struct PinnedInode: ~Copyable {
    let number: InodeNumber
    /// The inode's descriptor, or -1 where it has to be opened.
    let descriptor: Int32
    // Unsafe: a call that pins holds the tree, and need not count references to it.
    private unowned(unsafe) let inodes: InodeAccess

    /// - Precondition: the table has just pinned the inode.
    init(_ number: InodeNumber, _ descriptor: Int32, in inodes: InodeAccess) {
        self.number = number
        self.descriptor = descriptor
        self.inodes = inodes
    }

    deinit {
        var leftovers = Leftovers()
        inodes.tables.withLock { $0.unpin(number, into: &leftovers) }
        inodes.close(leftovers)
    }
}
