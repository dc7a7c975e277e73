internal import CLinux
public import Posix
public import SystemPackage

extension HomeTree {
    /// Removes a name of anything but a directory. Errors as unlink(2).
    /// - Returns: the inode, where it is known: whoever has it open sees another count of names, too.
    @discardableResult
    public func removeFile(
        _ name: FileName, in directory: InodeNumber, by asker: Asker = .daemon
    ) throws(Errno) -> InodeNumber? {
        try remove(name, in: directory, flags: 0, by: asker)
    }

    /// Removes an empty directory. Errors as rmdir(2).
    /// - Returns: as `removeFile`.
    @discardableResult
    public func removeDirectory(
        _ name: FileName, in directory: InodeNumber, by asker: Asker = .daemon
    ) throws(Errno) -> InodeNumber? {
        try remove(name, in: directory, flags: lx_at_removedir, by: asker)
    }

    private func remove(
        _ name: FileName, in directory: InodeNumber, flags: Int32, by asker: Asker
    ) throws(Errno) -> InodeNumber? {
        let removed = try remove(name, in: directory) { (_, _) throws(Errno) in flags }
        // Somebody may make it anew under its name.
        if removed?.wasFlagged == true { outlet.mayLackFlag(name, in: directory, by: asker, of: self) }
        return removed?.inode
    }

    /// Removes a name, of an empty directory too, if it stands for what the caller expects: nothing that goes
    /// through the tree comes between.
    /// - Returns: false where it does not.
    public func remove(
        _ name: FileName, in directory: InodeNumber, _ matching: NameMatching = .asShown,
        if isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> Bool {
        var isRemoved = true
        let removed = try remove(name, in: directory, matching) {
            (descriptor, stored) throws(Errno) -> Int32? in
            let stamp = try ItemStamp(descriptor, stored.cString)
            isRemoved = isExpected(stamp)
            return isRemoved ? (stamp.isDirectory ? lx_at_removedir : 0) : nil
        }
        if isRemoved { caches.announce([(name, directory)], contents: [removed?.inode].compactMap { $0 }) }
        return isRemoved
    }

    /// - Parameter decide: with the directory locked; gives the flags of unlinkat(2), nil to leave the name.
    /// - Returns: what went; nil where it was left.
    private func remove(
        _ name: FileName, in directory: InodeNumber, _ matching: NameMatching = .asShown,
        _ decide: (Int32, FileName) throws(Errno) -> Int32?
    ) throws(Errno) -> Removed? {
        try withShortName(of: name) { (name) throws(Errno) in
            try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
                try withStored(name, in: directory, descriptor, matching) {
                    (stored) throws(Errno) -> Removed? in
                    guard let flags = try decide(descriptor, stored) else { return nil }
                    let removed = try remove(stored, in: directory, descriptor, flags: flags)
                    tellStored(stored, askedAs: name, in: directory)
                    return removed
                }
            }
        }
    }

    private struct Removed {
        /// Where it is known.
        let inode: InodeNumber?
        /// Whether it carried a skip-backup flag itself.
        let wasFlagged: Bool
    }

    /// Removes a stored name from a directory that is locked.
    @discardableResult
    private func remove(
        _ stored: FileName, in directory: InodeNumber, _ descriptor: Int32, flags: Int32
    ) throws(Errno) -> Removed {
        let isDirectory = flags & lx_at_removedir != 0
        var removal = try NameRemoval(
            of: stored, in: directory, descriptor, isDirectory: isDirectory, inodes)
        let wasFlagged = isFlagged(removal.inode, descriptor, stored)
        try valueOrErrno(lx_unlinkat(descriptor, stored.cString, flags))
        finish(&removal, of: stored, in: directory)
        noteRemoved(stored, in: directory)
        noteName(stored, in: directory, as: isDirectory ? .alone : .removed(removal.identity.number))
        return Removed(inode: removal.inode, wasFlagged: wasFlagged)
    }

    /// Whether an item carries a skip-backup flag itself. Asks the file system only where the table does not
    /// know, and somebody wants to.
    /// - Parameter known: its inode, where that is known.
    func isFlagged(_ known: InodeNumber?, _ directory: Int32, _ name: FileName) -> Bool {
        guard outlet.examinesFlags, known.map({ known in tables.withLock { $0.mayBeFlagged(known) } }) ?? true
        else { return false }
        return AppleAttributes.isFlagged(directory, name.cString)
    }

    func finish(_ removal: inout NameRemoval, of name: FileName, in directory: InodeNumber) {
        removal.finish(name, in: directory)
        if let number = removal.inodeThatStays { noteChanged(number) }
    }

    /// Removes files beside one that nobody has open, and keeps it from being opened meanwhile: who opens it
    /// first would have written to them.
    /// - Parameter name: the file's, as sync has it. The companions are what the app's program has for them.
    /// - Returns: false where somebody has it open.
    /// - Throws: what unlink(2) answers; a name that is not there is none to remove.
    public func removeCompanions(
        _ companions: [String], of name: FileName?, in directory: InodeNumber
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
                func act() throws(Errno) {
                    for companion in companions {
                        try removeIfPresent(companion, in: directory, descriptor)
                    }
                }
                guard let name else { return try act() }
                try withStored(name, in: directory, descriptor, .asSynced) { (stored) throws(Errno) in
                    try whileUnused([(descriptor, stored.cString)], act)
                }
            }
        } catch {
            if error == .wouldBlock { return false }
            throw error
        }
        for companion in companions {
            companion.withFileName { caches.announce($0, in: directory) }
        }
        return true
    }

    /// In whichever spelling: SQLite names its files as the program named the database.
    private func removeIfPresent(
        _ name: String, in directory: InodeNumber, _ descriptor: Int32
    ) throws(Errno) {
        try name.withFileName { (name) throws(Errno) in
            try withStored(name, in: directory, descriptor) { (stored) throws(Errno) in
                if try ItemStamp.ifPresent(descriptor, stored.cString) == nil { return }
                try remove(stored, in: directory, descriptor, flags: 0)
                tellStored(stored, askedAs: name, in: directory)
            }
        }
    }
}
