public import CLinux
public import Posix
public import SystemPackage

extension HomeTree {
    /// The inode's attributes now.
    public func attributes(of number: InodeNumber) throws(Errno) -> stat {
        var status = stat()
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            try read(&status, directory, name)
        }
        let isSame = tables.withLock { tables in
            tables.note(status, of: number)
            return tables.isInode(number, status)
        }
        // The kernel looks the name up anew then.
        guard isSame else { throw .staleHandle }
        return status
    }

    /// As `attributes(of:)`, through an open handle.
    public func attributes(of handle: FileHandle) throws(Errno) -> stat {
        var status = stat()
        try valueOrErrno(lx_fstat(handle.descriptor, &status))
        return status
    }

    /// Changes attributes, in the order that the kernel applies them.
    /// - Parameter handle: where the change was asked for through an open file.
    /// - Returns: the attributes after the change.
    public func change(
        _ changes: AttributeChanges, of number: InodeNumber, handle: FileHandle? = nil
    ) throws(Errno) -> stat {
        var status = stat()
        if let handle {
            try apply(changes, handle.descriptor, InodeAccess.ownName, sizeDescriptor: handle.descriptor)
            try valueOrErrno(lx_fstat(handle.descriptor, &status))
        } else {
            try inodes.withInode(number) { (directory, name) throws(Errno) in
                try apply(changes, directory, name, sizeDescriptor: nil)
                try read(&status, directory, name)
            }
        }
        tables.withLock { $0.note(status, of: number) }
        noteChanged(number)
        return status
    }

    private func apply(
        _ changes: AttributeChanges, _ directory: Int32, _ name: UnsafePointer<CChar>, sizeDescriptor: Int32?
    ) throws(Errno) {
        if let mode = changes.mode { try valueOrErrno(lx_chmodat(directory, name, mode)) }
        if changes.uid != nil || changes.gid != nil || changes.isEmpty {
            // Strips suid and sgid by itself, as chown(2) does for everyone; also where it changes no owner,
            // which is all that a request without any attribute can mean.
            try valueOrErrno(lx_chownat(directory, name, changes.uid ?? .max, changes.gid ?? .max))
        }
        if let size = changes.sizeBytes {
            try truncate(directory, name, to: size, sizeDescriptor)
        }
        if changes.accessTime != nil || changes.modificationTime != nil {
            let omitted = timespec(tv_sec: 0, tv_nsec: Int(lx_utime_omit))
            let times = [changes.accessTime ?? omitted, changes.modificationTime ?? omitted]
            try valueOrErrno(lx_utimensat(directory, name, times))
        }
        if changes.stripsPrivileges && changes.mode == nil { try stripPrivileges(directory, name) }
    }

    private func truncate(
        _ directory: Int32, _ name: UnsafePointer<CChar>, to size: Int64, _ descriptor: Int32?
    ) throws(Errno) {
        if let descriptor {
            try retrying { lx_ftruncate(descriptor, size) }
            return
        }
        let opened = Descriptor(owning: try inodes.openContents(directory, name, flags: lx_o_wronly))
        try retrying { lx_ftruncate(opened.raw, size) }
    }

    /// Takes set-user-id away, and set-group-id from what its group may execute: what write(2) does for a
    /// caller without CAP_FSETID, and the backing file system does not do for a daemon that has it.
    func stripPrivileges(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) {
        var status = stat()
        try read(&status, directory, name)
        guard status.isRegular else { return }
        var kept = status.permissions & ~FileMode.setUserID
        if kept & FileMode.groupExecute != 0 { kept &= ~FileMode.setGroupID }
        if kept != status.permissions { try valueOrErrno(lx_chmodat(directory, name, kept)) }
    }

    /// Strips after a write through an open descriptor, where the file may have something to strip.
    func stripPrivileges(of number: InodeNumber, _ descriptor: Int32) throws(Errno) {
        let isPrivileged = tables.withLock { $0.isPrivileged(number) }
        guard isPrivileged else { return }
        // The writer need not be the file's owner.
        try RequestRights.asRoot { () throws(Errno) in try stripPrivileges(descriptor, InodeAccess.ownName) }
    }

    func read(_ status: inout stat, _ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) {
        let flags = lx_at_symlink_nofollow | lx_at_empty_path
        try valueOrErrno(lx_fstatat(directory, name, &status, flags))
    }

    /// Writes a symlink's target, without NUL, and returns its length.
    public func readLink(
        _ number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return Int(try valueOrErrno(lx_readlinkat(directory, name, start, UInt64(buffer.count))))
        }
    }

    /// The backing file system's numbers.
    public func statistics() throws(Errno) -> statvfs {
        var statistics = statvfs()
        try inodes.withDirectory(home) { (descriptor) throws(Errno) in
            _ = try valueOrErrno(lx_fstatvfs(descriptor, &statistics))
        }
        return statistics
    }
}
