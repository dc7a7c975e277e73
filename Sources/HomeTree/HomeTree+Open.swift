internal import CLinux
public import Posix
public import SystemPackage

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
        try check(name)
        guard handles.take() else { throw .tooManyOpenFilesInSystem }
        do throws(Errno) {
            let made = try inodes.withLockedDirectory(directory) { (parent) throws(Errno) in
                try withStored(name, in: directory, parent) { (stored) throws(Errno) in
                    let isOther = stored.cString != name.cString
                    if isOther && flags & lx_o_excl != 0 { throw .fileExists }
                    var status = stat()
                    let descriptor = try openNew(
                        stored, parent, &status, mode: mode, flags: flags, owner: owner)
                    if !isOther { noteAdded(stored, in: directory) }
                    let found = remember(status, name: stored, in: directory, isBelieved: false)
                    return (found, insert(descriptor, of: found.inode, flags: flags))
                }
            }
            noteChanged(made.0.inode)
            return made
        } catch {
            handles.giveBack()
            throw error
        }
    }

    private func openNew(
        _ name: FileName, _ parent: Int32, _ status: inout stat, mode: UInt32, flags: Int32, owner: Owner
    ) throws(Errno) -> Int32 {
        let usual = InodeAccess.backingFlags(flags)
        do throws(Errno) {
            let descriptor = Descriptor(
                owning: try RequestRights.making(for: owner.uid, owner.gid) { () throws(Errno) in
                    try budget.retryingWithRoom {
                        lx_openat(parent, name.cString, usual | lx_o_creat | lx_o_excl, mode)
                    }
                })
            do throws(Errno) {
                try valueOrErrno(lx_fstat(descriptor.raw, &status))
                try give(&status, to: owner, parent, name.cString)
            } catch {
                // Nobody asked for a file of the daemon's own.
                _ = lx_unlinkat(parent, name.cString, 0)
                throw error
            }
            return descriptor.release()
        } catch {
            guard error == .fileExists && flags & lx_o_excl == 0 else { throw error }
            // The kernel has not asked who may open it.
            if RequestRights.areRoots { throw .staleHandle }
            let descriptor = Descriptor(owning: try inodes.openContents(parent, name.cString, flags: flags))
            try valueOrErrno(lx_fstat(descriptor.raw, &status))
            // The kernel believes that nothing has the name, and takes a regular file only for an answer: a
            // pipe, say, it is to look up anew.
            guard status.isRegular else { throw status.isDirectory ? .isDirectory : .staleHandle }
            if flags & lx_o_trunc != 0 { try empty(descriptor.raw, flags: flags) }
            return descriptor.release()
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
}
