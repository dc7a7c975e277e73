internal import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

extension HomeTree {
    /// Makes a directory. Errors as mkdir(2), and those of `check`.
    public func makeDirectory(
        _ name: FileName, in directory: InodeNumber, mode: UInt32, owner: Owner,
        _ matching: NameMatching = .asShown
    ) throws(Errno) -> Found {
        try make(name, in: directory, owner: owner, matching, isDirectory: true) {
            lx_mkdirat($0, $1, mode)
        }
    }

    /// Makes an empty file, fifo or socket.
    /// - Throws: EPERM for device nodes: the home is mounted nodev, and no app may make them.
    public func makeNode(
        _ name: FileName, in directory: InodeNumber, mode: UInt32, owner: Owner
    ) throws(Errno) -> Found {
        let type = mode & FileMode.typeMask
        if type == FileMode.characterDevice || type == FileMode.blockDevice { throw .notPermitted }
        return try make(name, in: directory, owner: owner) {
            lx_mknodat($0, $1, mode, 0)
        }
    }

    /// Makes a symlink, whose target is stored as it is.
    public func makeSymlink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: InodeNumber, owner: Owner,
        _ matching: NameMatching = .asShown
    ) throws(Errno) -> Found {
        try make(name, in: directory, owner: owner, matching) { lx_symlinkat(target, $0, $1) }
    }

    private func make(
        _ name: FileName, in directory: InodeNumber, owner: Owner, _ matching: NameMatching = .asShown,
        isDirectory: Bool = false, _ call: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(Errno) -> Found {
        let made = try withShortName(of: name) { (short) throws(Errno) in
            try make(short, for: name, in: directory, owner: owner, matching, isDirectory: isDirectory, call)
        }
        noteChanged(made.inode)
        return made
    }

    /// - Parameter long: the name that was asked for; the same where a disk takes it.
    private func make(
        _ name: FileName, for long: FileName, in directory: InodeNumber, owner: Owner,
        _ matching: NameMatching, isDirectory: Bool, _ call: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(Errno) -> Found {
        try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
            try refuseTaken(name, in: directory, descriptor, matching)
            try RequestRights.making(for: owner.uid, owner.gid) { () throws(Errno) in
                _ = try valueOrErrno(call(descriptor, name.cString))
            }
            // What comes next is in a new directory, as a rule, and to remove it takes a descriptor.
            let own = isDirectory ? (try? inodes.openPath(descriptor, name.cString)) ?? -1 : -1
            var (status, opened) = (stat(), stat())
            do throws(Errno) {
                opened = try own >= 0 ? stat(of: own) : stat(descriptor, name.cString)
                status = opened
                try give(&status, to: owner, descriptor, name.cString)
                try LongNames.write(long, as: name, of: name.cString, in: descriptor)
            } catch {
                if own >= 0 { _ = lx_close(own) }
                // Nobody asked for an item of the daemon's own; another's is not ours to remove.
                if error != .staleHandle {
                    _ = lx_unlinkat(descriptor, name.cString, status.isDirectory ? lx_at_removedir : 0)
                }
                throw error
            }
            noteAdded(name, in: directory)
            let made = remember(status, name: name, in: directory)
            noteNew(made.inode, isDirectory: status.isDirectory)
            if own >= 0 { _ = try? inodes.adopt(own, opened, for: made.inode) }
            return made
        }
    }

    /// - Throws: EEXIST where the directory holds the name in another spelling. The same spelling is the
    ///   backing file system's matter.
    func refuseTaken(
        _ name: FileName, in directory: InodeNumber, _ descriptor: Int32,
        _ matching: NameMatching = .asShown
    ) throws(Errno) {
        guard hasOtherSpellings(name, matching) else { return }
        if try storedSpelling(of: name, in: directory, descriptor, matching) != nil { throw .fileExists }
    }

    /// Gives a new item to the caller's group, where the daemon could not make it as that group.
    ///
    /// The directory's set-group-id decides before it. chown(2) clears suid and sgid, so the mode is set
    /// again after it.
    func give(
        _ status: inout stat, to owner: Owner, _ directory: Int32, _ name: UnsafePointer<CChar>
    ) throws(Errno) {
        if status.st_uid == owner.uid && status.st_gid == owner.gid { return }
        if RequestRights.areLent {
            // It was made as the caller's; what is another's was put there since, and nothing is given away
            // by a name.
            guard status.st_uid == owner.uid else { throw .staleHandle }
            return
        }
        let parent = try stat(of: directory)
        let gid = parent.st_mode & FileMode.setGroupID != 0 ? status.st_gid : owner.gid
        if status.st_uid == owner.uid && status.st_gid == gid { return }
        try valueOrErrno(lx_chownat(directory, name, owner.uid, gid))
        if status.isPrivileged {
            try valueOrErrno(lx_chmodat(directory, name, status.permissions))
        }
        status = try stat(directory, name)
    }

    /// Gives an inode another name.
    /// - Throws: as linkat(2); ENOENT where no link of the inode is left.
    public func link(
        _ number: InodeNumber, as name: FileName, in directory: InodeNumber
    ) throws(Errno) -> Found {
        try withShortName(of: name) { (short) throws(Errno) in
            try link(number, as: short, for: name, in: directory)
        }
    }

    private func link(
        _ number: InodeNumber, as name: FileName, for long: FileName, in directory: InodeNumber
    ) throws(Errno) -> Found {
        // The source is held by a descriptor, so that one directory lock is enough.
        let raw = try inodes.withInode(number) { (parent, own) throws(Errno) in
            own.pointee == 0
                ? try budget.retryingWithRoom { lx_dup_cloexec(parent) } : try inodes.openPath(parent, own)
        }
        let source = Descriptor(owning: raw)
        let linked = try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
            try refuseTaken(name, in: directory, descriptor)
            try LongNames.write(long, as: name, of: InodeAccess.ownName, in: source.raw)
            try valueOrErrno(lx_link_descriptor(source.raw, descriptor, name.cString))
            noteAdded(name, in: directory)
            return remember(try stat(descriptor, name.cString), name: name, in: directory)
        }
        noteChanged(linked.inode)
        noteName(name, in: directory)
        return linked
    }
}
