internal import CLinux
public import Posix
public import SystemPackage

extension HomeTree {
    /// Removes a name of anything but a directory. Errors as unlink(2).
    public func removeFile(_ name: FileName, in directory: InodeNumber) throws(Errno) {
        try remove(name, in: directory, flags: 0)
    }

    /// Removes an empty directory. Errors as rmdir(2).
    public func removeDirectory(_ name: FileName, in directory: InodeNumber) throws(Errno) {
        try remove(name, in: directory, flags: lx_at_removedir)
    }

    /// Removes a name, of an empty directory too, if it stands for what the caller expects: nothing that goes
    /// through the tree comes between.
    /// - Returns: false where it does not.
    public func remove(
        _ name: FileName, in directory: InodeNumber, if isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> Bool {
        var isRemoved = true
        try remove(name, in: directory) { (descriptor, stored) throws(Errno) -> Int32? in
            let stamp = try ItemStamp(descriptor, stored.cString)
            isRemoved = isExpected(stamp)
            return isRemoved ? (stamp.isDirectory ? lx_at_removedir : 0) : nil
        }
        if isRemoved { announce([(name, directory)]) }
        return isRemoved
    }

    private func remove(_ name: FileName, in directory: InodeNumber, flags: Int32) throws(Errno) {
        try remove(name, in: directory) { (_, _) throws(Errno) in flags }
    }

    /// - Parameter decide: with the directory locked; gives the flags of unlinkat(2), nil to leave the name.
    private func remove(
        _ name: FileName, in directory: InodeNumber, _ decide: (Int32, FileName) throws(Errno) -> Int32?
    ) throws(Errno) {
        try check(name)
        try withLockedDirectory(directory) { (descriptor) throws(Errno) in
            try withStored(name, in: directory, descriptor) { (stored) throws(Errno) in
                guard let flags = try decide(descriptor, stored) else { return }
                try remove(stored, in: directory, descriptor, flags: flags)
            }
        }
        forgetASCIISpelling(of: name, in: directory)
    }

    /// Removes a stored name from a directory that is locked.
    func remove(
        _ stored: FileName, in directory: InodeNumber, _ descriptor: Int32, flags: Int32
    ) throws(Errno) {
        let victim = try prepareRemoval(of: stored, in: directory, descriptor)
        do throws(Errno) {
            try valueOrErrno(lx_unlinkat(descriptor, stored.cString, flags))
        } catch {
            undoRemoval(victim)
            throw error
        }
        finishRemoval(victim, stored, in: directory)
        noteRemoved(stored, in: directory)
        let removed = victim.status.isDirectory ? nil : UInt64(victim.status.st_ino)
        noteName(stored, in: directory, as: removed.map(ChangeFeed.Role.removed) ?? .alone)
    }

    /// What a call is about to take a name from; its record is pinned.
    struct Victim {
        let status: stat
        /// nil: nobody knows the inode.
        var number: InodeNumber?
        /// An O_PATH descriptor that keeps it reachable without a name, or -1.
        var descriptor: Int32 = -1
        /// No other name is left.
        let isLastName: Bool
    }

    /// Looks at what `name` is before its name goes, by any call: unlink, rmdir, a rename over it.
    ///
    /// The file system may give the inode's number to a new file as soon as its last name is gone, so the
    /// inode leaves the table of identities first, and comes back if the call fails.
    /// - Precondition: the directory's lock is held.
    /// - Throws: ENOENT where there is nothing.
    func prepareRemoval(
        of name: FileName, in directory: InodeNumber, _ descriptor: Int32
    ) throws(Errno) -> Victim {
        var status = stat()
        try valueOrErrno(lx_fstatat(descriptor, name.cString, &status, lx_at_symlink_nofollow))
        let isLast = status.st_nlink <= 1 || status.isDirectory
        var victim = Victim(status: status, number: nil, isLastName: isLast)
        let known = tables.withLock {
            $0.pinVictim(Identity(status), name, in: directory, isLastName: isLast)
        }
        victim.number = known?.number
        if known?.needsDescriptor == true {
            // Without one the inode would just be stale to a program that still holds it by O_PATH or cwd.
            victim.descriptor = (try? openPath(descriptor, name.cString)) ?? -1
            if let number = victim.number, victim.descriptor >= 0, !isInode(number, victim.descriptor) {
                _ = lx_close(victim.descriptor)
                victim.descriptor = -1
            }
        }
        if isLast, let number = victim.number { tables.withLock { $0.forgetIdentity(of: number) } }
        return victim
    }

    /// The call failed: the inode is known again under its number.
    func undoRemoval(_ victim: Victim) {
        guard let number = victim.number else { return }
        tables.withLock { $0.restoreIdentity(Identity(victim.status), of: number) }
        if victim.descriptor >= 0 { _ = lx_close(victim.descriptor) }
        unpin(number)
    }

    /// The call succeeded: `name` in `directory` is no longer the inode's.
    func finishRemoval(_ victim: Victim, _ name: FileName, in directory: InodeNumber) {
        guard let number = victim.number else { return }
        let keeps = tables.withLock {
            $0.removeName(
                name, in: directory, of: number, isLastName: victim.isLastName, descriptor: victim.descriptor)
        }
        if keeps { budget.didCache() } else if victim.descriptor >= 0 { _ = lx_close(victim.descriptor) }
        // Its other names have another time of change.
        if !victim.isLastName { noteChanged(number) }
        unpin(number)
    }
}
