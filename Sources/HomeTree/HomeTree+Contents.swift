internal import CLinux
public import Posix
public import SystemPackage

// MARK: Opening and closing

extension HomeTree {
    /// Opens an inode's contents. Errors as open(2); ENFILE beyond the share.
    ///
    /// - Parameters:
    ///   - flags: of open(2); O_CREAT, O_EXCL and O_NOCTTY are the caller's matter and ignored here.
    ///   - stripsPrivileges: O_TRUNC by a caller that may not keep suid and sgid.
    public func open(
        _ number: InodeNumber, flags: Int32, stripsPrivileges: Bool = false
    ) throws(Errno) -> FileHandle {
        guard handles.take() else { throw .tooManyOpenFilesInSystem }
        do throws(Errno) {
            let opened = try inodes.openContents(of: number, flags: flags)
            guard inodes.isInode(number, opened.raw) else { throw .staleHandle }
            let truncates = flags & lx_o_trunc != 0
            if truncates { try empty(opened.raw, flags: flags) }
            if stripsPrivileges && truncates { try stripPrivileges(of: number, opened.raw) }
            if truncates { noteChanged(number) }
            return insert(opened.release(), of: number, flags: flags)
        } catch {
            handles.giveBack()
            throw error
        }
    }

    /// O_TRUNC, once it is known which file was opened.
    private func empty(_ file: Int32, flags: Int32) throws(Errno) {
        guard flags & lx_o_accmode == 0 else {
            try retrying { lx_ftruncate(file, 0) }
            return
        }
        // O_RDONLY | O_TRUNC, which Linux permits to who may write the file.
        let writer = Descriptor(
            owning: try inodes.openContents(file, InodeAccess.ownName, flags: lx_o_wronly))
        try retrying { lx_ftruncate(writer.raw, 0) }
    }

    /// Makes and opens a file, or opens the one that is there where `flags` lacks O_EXCL. Errors as open(2).
    public func create(
        _ name: FileName, in directory: InodeNumber, mode: UInt32, flags: Int32, owner: Owner
    ) throws(Errno) -> (Found, FileHandle) {
        try withShortName(of: name) { (short) throws(Errno) in
            guard handles.take() else { throw .tooManyOpenFilesInSystem }
            do throws(Errno) {
                return try create(short, for: name, in: directory, mode: mode, flags: flags, owner: owner)
            } catch {
                handles.giveBack()
                throw error
            }
        }
    }

    /// - Parameter long: the name that was asked for; the same where a disk takes it.
    private func create(
        _ name: FileName, for long: FileName, in directory: InodeNumber, mode: UInt32, flags: Int32,
        owner: Owner
    ) throws(Errno) -> (Found, FileHandle) {
        let made = try inodes.withLockedDirectory(directory) { (parent) throws(Errno) in
            try withStored(name, in: directory, parent) { (stored) throws(Errno) in
                let isOther = stored.cString != name.cString
                if isOther && flags & lx_o_excl != 0 { throw .fileExists }
                var status = stat()
                let (descriptor, isNew) = try openNew(
                    stored, for: isOther ? stored : long, parent, &status, mode: mode, flags: flags,
                    owner: owner)
                if !isOther { noteAdded(stored, in: directory) }
                let found = remember(
                    status, name: stored, in: directory, isBelieved: false, isStoredName: !isOther)
                if isNew { noteNew(found.inode, isDirectory: false) }
                return (found, insert(descriptor, of: found.inode, flags: flags))
            }
        }
        noteChanged(made.0.inode)
        return made
    }

    private func openNew(
        _ name: FileName, for long: FileName, _ parent: Int32, _ status: inout stat, mode: UInt32,
        flags: Int32, owner: Owner
    ) throws(Errno) -> (descriptor: Int32, isNew: Bool) {
        let usual = InodeAccess.backingFlags(flags)
        do throws(Errno) {
            let descriptor = Descriptor(
                owning: try RequestRights.making(for: owner.uid, owner.gid) { () throws(Errno) in
                    try budget.retryingWithRoom {
                        lx_openat(parent, name.cString, usual | lx_o_creat | lx_o_excl, mode)
                    }
                })
            do throws(Errno) {
                status = try stat(of: descriptor.raw)
                try give(&status, to: owner, parent, name.cString)
                try LongNames.write(long, as: name, of: name.cString, in: parent)
            } catch {
                // Nobody asked for a file of the daemon's own.
                _ = lx_unlinkat(parent, name.cString, 0)
                throw error
            }
            return (descriptor.release(), true)
        } catch {
            guard error == .fileExists && flags & lx_o_excl == 0 else { throw error }
            // The kernel has not asked who may open it.
            if RequestRights.areRoots { throw .staleHandle }
            let descriptor = Descriptor(owning: try inodes.openContents(parent, name.cString, flags: flags))
            status = try stat(of: descriptor.raw)
            // The kernel believes that nothing has the name, and takes a regular file only for an answer: a
            // pipe, say, it is to look up anew.
            guard status.isRegular else { throw status.isDirectory ? .isDirectory : .staleHandle }
            if flags & lx_o_trunc != 0 { try empty(descriptor.raw, flags: flags) }
            return (descriptor.release(), false)
        }
    }

    /// Gives a handle back and closes it.
    public func close(_ handle: FileHandle, of number: InodeNumber) {
        let closed = tables.withLock { $0.close(handle, of: number) }
        handles.giveBack()
        if closed.closesDescriptor { _ = lx_close(handle.descriptor) } else { budget.didCache() }
        inodes.close(closed.leftovers)
        closed.listener?.changesCame()
    }

    private func insert(_ descriptor: Int32, of number: InodeNumber, flags: Int32) -> FileHandle {
        tables.withLock { $0.open(descriptor, of: number, mayWrite: flags & lx_o_accmode != 0) }
    }

    /// A file without a name on the home's file system.
    public func temporaryFile() throws(Errno) -> Descriptor {
        let raw = try inodes.withDirectory(home) { (directory) throws(Errno) in
            try valueOrErrno(lx_openat(directory, ".", lx_o_tmpfile | lx_o_rdwr, 0o600))
        }
        return Descriptor(owning: raw)
    }
}

// MARK: Reading and writing

extension HomeTree {
    /// Writes at `offset`, nil for the end of the file. Errors as pwrite(2), after which part may be written.
    /// - Returns: the bytes written, fewer only where the next would fail.
    public func write(
        _ bytes: UnsafeRawBufferPointer, to number: InodeNumber, _ handle: FileHandle, offset: Int64?,
        stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        var written = 0
        repeat {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count: Int64
            do throws(Errno) {
                count = try retrying {
                    guard let offset else {
                        return lx_append(handle.descriptor, rest.baseAddress, UInt64(rest.count))
                    }
                    return lx_pwrite(
                        handle.descriptor, rest.baseAddress, UInt64(rest.count), offset + Int64(written))
                }
            } catch {
                if written > 0 { break }
                throw error
            }
            if count == 0 { break }
            written += Int(count)
        } while written < bytes.count
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
        return written
    }

    /// Makes what was written durable. Errors as fsync(2).
    public func sync(_ handle: FileHandle, dataOnly: Bool) throws(Errno) {
        try retrying { lx_fsync(handle.descriptor, dataOnly ? 1 : 0) }
        noteSynced(handle)
    }

    /// Errors as fallocate(2); modes but KEEP_SIZE, PUNCH_HOLE and ZERO_RANGE are EOPNOTSUPP.
    public func allocate(
        _ number: InodeNumber, _ handle: FileHandle, mode: Int32, offset: Int64, sizeBytes: Int64,
        stripsPrivileges: Bool
    ) throws(Errno) {
        let known = lx_falloc_keep_size | lx_falloc_punch_hole | lx_falloc_zero_range
        if mode & ~known != 0 { throw .operationNotSupported }
        try retrying { lx_fallocate(handle.descriptor, mode, offset, sizeBytes) }
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
    }

    /// SEEK_DATA and SEEK_HOLE. Errors as lseek(2).
    public func seek(_ handle: FileHandle, offset: Int64, whence: Int32) throws(Errno) -> Int64 {
        try valueOrErrno(lx_lseek(handle.descriptor, offset, whence))
    }

    /// Copies within the home without bytes passing through. Errors as copy_file_range(2).
    public func copyRange(
        from source: FileHandle, offset: Int64, to number: InodeNumber, _ handle: FileHandle,
        offset newOffset: Int64, sizeBytes: Int, stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        var from = offset
        var to = newOffset
        let count = try retrying {
            lx_copy_file_range(source.descriptor, &from, handle.descriptor, &to, UInt64(sizeBytes))
        }
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
        return Int(count)
    }
}
