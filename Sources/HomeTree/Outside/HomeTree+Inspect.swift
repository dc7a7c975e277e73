internal import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

/// How sync looks at a home: quietly, without events, and with what only the disk knows of an item.
extension HomeTree {
    /// As `lookup`, for a look that no program asked for: absence is no event. Holds a reference; nil where
    /// nothing has the name.
    public func peek(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Found? {
        try check(name)
        return try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
            try find(name, in: directory, descriptor)
        }
    }

    public func stamp(of number: InodeNumber) throws(Errno) -> ItemStamp {
        try inodes.withInode(number) { (directory, name) throws(Errno) in try ItemStamp(directory, name) }
    }

    public func stamp(of handle: FileHandle) throws(Errno) -> ItemStamp {
        try ItemStamp(handle.descriptor, InodeAccess.ownName)
    }

    /// Whether somebody has a file open for writing, or may write to it through a mapping.
    public func mayBeWritten(_ number: InodeNumber) -> Bool {
        if tables.withLock({ $0.hasWriteHandle(number) }) { return true }
        return probe(number, lx_probe_read_lease)
    }

    /// As `mayBeWritten`, through an open handle for reading.
    public func mayBeWritten(_ number: InodeNumber, through handle: FileHandle) -> Bool {
        if tables.withLock({ $0.hasWriteHandle(number) }) { return true }
        return isRefused(inodes.leases.withLock { _ in lx_probe_read_lease(handle.descriptor) })
    }

    /// As `mayBeWritten`, from what the tree knows already where it does: for a look at many.
    public func seemsWritten(_ number: InodeNumber) -> Bool {
        let (isOpen, isRestless) = tables.withLock { ($0.hasWriteHandle(number), $0.isRestless(number)) }
        return isOpen || isRestless && probe(number, lx_probe_read_lease)
    }

    /// Whether anybody has a file open or mapped. Where its file system does not tell, who has it open
    /// through the tree.
    public func isInUse(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.isOpen(number) } || probe(number, lx_probe_write_lease)
    }

    /// Keeps everybody from opening a file for writing until `endLease`. Nothing of the product does: whoever
    /// opens it then waits, this process too. For the test that shows it.
    public func holdLease(_ handle: FileHandle) {
        _ = inodes.leases.withLock { _ in lx_take_read_lease(handle.descriptor) }
    }

    public func endLease(_ handle: FileHandle) { lx_give_lease_back(handle.descriptor) }

    private func probe(_ number: InodeNumber, _ lease: (Int32) -> Int32) -> Bool {
        do throws(Errno) {
            let file = try inodes.openContents(of: number)
            return isRefused(inodes.leases.withLock { _ in lease(file.raw) })
        } catch {
            return error == .wouldBlock
        }
    }

    /// Other answers say that there are no leases here: then RELEASE comes after the last mapping.
    private func isRefused(_ lease: Int32) -> Bool { lease == -Errno.wouldBlock.rawValue }

    /// The numbers of the backing file system and the names of all that is in a directory.
    public func backingNumbers(in directory: InodeNumber) throws(Errno) -> [(
        name: [UInt8], inode: UInt64, isDirectory: Bool
    )] {
        var entries: [(name: [UInt8], inode: UInt64, isDirectory: Bool)] = []
        try openDirectory(directory).read(from: 0) { (item) throws(Errno) in
            if !item.name.isDotOrDotDot {
                let isDirectory = item.mode & FileMode.typeMask == FileMode.directory
                entries.append((Array(item.name.bytes), item.inode, isDirectory))
            }
            return true
        }
        return entries
    }
}
