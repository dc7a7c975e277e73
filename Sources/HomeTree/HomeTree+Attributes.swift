public import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

extension HomeTree {
    /// The inode's attributes now.
    public func attributes(of number: InodeNumber) throws(Errno) -> stat {
        let status = try inodes.withInode(number) { (directory, name) throws(Errno) in
            try stat(directory, name)
        }
        let isSame = tables.withLock { tables in
            tables.note(status, of: number)
            return tables.isInode(number, status)
        }
        // The kernel looks the name up anew then.
        guard isSame else { throw .staleHandle }
        return status
    }

    /// Whether something is mounted there, beside the home's own mounts.
    public func isMount(_ number: InodeNumber) throws(Errno) -> Bool {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            try ItemStamp(directory, name).isMount
        }
    }

    /// As `attributes(of:)`, through an open handle.
    public func attributes(of handle: FileHandle) throws(Errno) -> stat {
        try stat(of: handle.descriptor)
    }

    /// Changes attributes, in the order that the kernel applies them.
    /// - Parameter handle: where the change was asked for through an open file.
    /// - Returns: the attributes after the change.
    public func change(
        _ changes: AttributeChanges, of number: InodeNumber, handle: FileHandle? = nil
    ) throws(Errno) -> stat {
        let status: stat
        if let handle {
            try apply(changes, handle.descriptor, InodeAccess.ownName, sizeDescriptor: handle.descriptor)
            status = try stat(of: handle.descriptor)
        } else {
            status = try inodes.withInode(number) { (directory, name) throws(Errno) in
                try apply(changes, directory, name, sizeDescriptor: nil)
                return try stat(directory, name)
            }
        }
        tables.withLock { $0.note(status, of: number) }
        if status.isDirectory, changes.mode ?? changes.uid ?? changes.gid != nil {
            noteAccessChanged(of: number)
        }
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
        let status = try stat(directory, name)
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
        try RequestRights.asRoot(administers: false) { () throws(Errno) in
            try stripPrivileges(descriptor, InodeAccess.ownName)
        }
    }

    /// Writes a symlink's target, without NUL, and returns its length.
    public func readLink(
        _ number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try withAttribute(nil, of: number) { (directory, name) throws(Errno) in
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

    public func stamp(of number: InodeNumber) throws(Errno) -> ItemStamp {
        try inodes.withInode(number) { (directory, name) throws(Errno) in try ItemStamp(directory, name) }
    }

    public func stamp(of handle: FileHandle) throws(Errno) -> ItemStamp {
        try ItemStamp(handle.descriptor, InodeAccess.ownName)
    }
}

// MARK: Extended attributes

extension HomeTree {
    /// Reads an extended attribute by its name in the backing file system.
    /// - Returns: the value's length; an empty buffer asks for it alone.
    /// - Throws: ENODATA, ERANGE, or what getxattr(2) answers.
    public func extendedAttribute(
        backingName: UnsafePointer<CChar>, of number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try withAttribute(backingName, of: number) { (directory, name) throws(Errno) in
            Int(
                try valueOrErrno(
                    lx_getxattrat(directory, name, backingName, buffer.baseAddress, UInt64(buffer.count))))
        }
    }

    /// The names in the backing file system, each with its NUL; otherwise as `extendedAttribute`.
    public func extendedAttributeNames(
        of number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return Int(try valueOrErrno(lx_listxattrat(directory, name, start, UInt64(buffer.count))))
        }
    }

    /// Sets an extended attribute. Errors as setxattr(2).
    public func setExtendedAttribute(
        backingName: UnsafePointer<CChar>, to value: UnsafeRawBufferPointer, of number: InodeNumber,
        flags: Int32
    ) throws(Errno) {
        try withAttribute(backingName, of: number) { (directory, name) throws(Errno) in
            _ = try valueOrErrno(
                lx_setxattrat(directory, name, backingName, value.baseAddress, UInt64(value.count), flags))
        }
        tables.withLock { $0.noteAttribute(of: number) }
        noteChanged(number)
    }

    /// Removes an extended attribute. Errors as removexattr(2).
    public func removeExtendedAttribute(
        backingName: UnsafePointer<CChar>, of number: InodeNumber
    ) throws(Errno) {
        try withAttribute(backingName, of: number) { (directory, name) throws(Errno) in
            _ = try valueOrErrno(lx_removexattrat(directory, name, backingName))
        }
        noteChanged(number)
    }

    /// - Parameter attribute: nil for the list of all.
    private func withAttribute<R>(
        _ attribute: UnsafePointer<CChar>?, of number: InodeNumber,
        _ body: (Int32, UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            try RequestRights.withAttribute(attribute) { () throws(Errno) in try body(directory, name) }
        }
    }

    /// The attributes that travel; none of an item of a kind that has none.
    public func appleAttributes(of number: InodeNumber) throws(Errno) -> AppleAttributes {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            try AppleAttributes(directory, name)
        }
    }

    /// Flags an item (SPEC 4), durably. Seen through every mount when it returns.
    public func setSkipBackup(_ number: InodeNumber) throws(Errno) {
        let flag = UnsafeRawBufferPointer(
            start: SkipBackup.excludeItem.utf8Start, count: SkipBackup.excludeItem.utf8CodeUnitCount)
        try AttributeName.withBackingName(of: flag) { (backing) throws(Errno) in
            try SkipBackup.value.withUnsafeBufferPointer { (value) throws(Errno) in
                try setExtendedAttribute(
                    backingName: backing, to: UnsafeRawBufferPointer(value), of: number, flags: 0)
            }
        }
        let file = try inodes.openContents(of: number)
        try retrying { lx_fsync(file.raw, 0) }
        caches.announce([], contents: [number])
    }
}

// MARK: What sync sets

extension HomeTree {
    /// Sets attributes of an item that is what the caller expects. Seen through every mount when it returns.
    ///
    /// A file is kept from being opened for writing meanwhile: the times of a write that came between the
    /// look and the change would be lost, and with them the write's notice.
    /// - Returns: the stamp after it; nil where the item is something unexpected.
    /// - Throws: EWOULDBLOCK where somebody may be writing to the file.
    public func apply(
        _ attributes: TravellingAttributes, to number: InodeNumber, if isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let isFile = tables.withLock { $0.isRegular(number) }
        let stamp =
            isFile
            ? try applyToFile(attributes, number, isExpected)
            : try inodes.withInode(number) { (directory, name) throws(Errno) in
                try attributes.set(directory, name, if: isExpected)
            }
        if stamp != nil {
            if stamp?.isDirectory == true, attributes.mode != nil { noteAccessChanged(of: number) }
            noteChanged(number)
            caches.announce([], contents: [number])
        }
        return stamp
    }

    /// As `apply`, of a file that nobody else has seen yet.
    public func applyUnseen(_ attributes: TravellingAttributes, through handle: FileHandle) throws(Errno) {
        _ = try attributes.set(handle.descriptor, InodeAccess.ownName) { _ in true }
    }

    private func applyToFile(
        _ attributes: TravellingAttributes, _ number: InodeNumber, _ isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let file = try inodes.openContents(of: number)
        let raw = file.raw
        return try inodes.leases.holding(lx_take_read_lease, of: [raw]) { () throws(Errno) in
            try attributes.set(raw, InodeAccess.ownName, if: isExpected)
        }
    }
}
