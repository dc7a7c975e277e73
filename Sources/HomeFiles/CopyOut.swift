internal import CLinux
public import HomeTree
public import Posix
public import SystemPackage

extension HomeTree {
    /// Copies an item out of the home, a directory with all below it. Links are copied as links and never
    /// followed; sockets, fifos and devices are left out.
    ///
    /// - Parameters:
    ///   - target: the directory that gets it, opened by whoever asked.
    ///   - newName: its name there. It has that when it is complete, and not before.
    ///   - replacing: what it may take the place of.
    ///   - owner: who gets what is made, where the process may give it; nil leaves it the process's.
    /// - Throws: EEXIST, ENOENT, ENAMETOOLONG for a tree over 500 levels deep, and what reading and writing
    ///   answer.
    public func copyOut(
        _ name: FileName, in directory: InodeNumber, to target: Int32, as newName: FileName,
        _ replacing: AtomicItem.Replacing = .nothing, owner: Owner?, progress: CopyProgress = { _ in }
    ) throws(Errno) {
        let copy = try AtomicItem(named: newName.text, in: target, replacing)
        do throws(Errno) {
            try copy.temporaryName.withFileName { (temporary) throws(Errno) in
                try copyOut(
                    name, in: directory, to: target, as: temporary, owner, levels: Self.deepestCopy,
                    except: copy.temporaryName, progress)
            }
            try copy.finish()
        } catch {
            copy.discard()
            throw error
        }
    }

    /// How many bytes the files of an item have, as far down as it is copied.
    public func contentBytes(of name: FileName, in directory: InodeNumber) throws(Errno) -> Int64 {
        try contentBytes(of: name, in: directory, levels: Self.deepestCopy)
    }

    private func contentBytes(
        of name: FileName, in directory: InodeNumber, levels: Int
    ) throws(Errno) -> Int64 {
        guard levels > 0, let found = try peek(name, in: directory) else { return 0 }
        defer { forget(found.inode) }
        if found.status.isRegular { return Int64(found.status.st_size) }
        guard found.status.isDirectory else { return 0 }
        var bytes: Int64 = 0
        for child in try names(in: found.inode) {
            bytes += try child.withFileName { (child) throws(Errno) in
                try contentBytes(of: child, in: found.inode, levels: levels - 1)
            }
        }
        return bytes
    }

    /// One descriptor and some stack for each level: deeper trees are refused.
    private static var deepestCopy: Int { 500 }

    private func copyOut(
        _ name: FileName, in directory: InodeNumber, to target: Int32, as newName: FileName,
        _ owner: Owner?, levels: Int, except unfinished: String, _ progress: CopyProgress
    ) throws(Errno) {
        if levels == 0 { throw .fileNameTooLong }
        let found = try lookup(name, in: directory)
        defer { forget(found.inode) }
        if found.status.isDirectory {
            try copyDirectory(
                found, to: target, as: newName, owner, levels: levels, except: unfinished, progress)
        } else if found.status.isRegular {
            try copyFile(found, to: target, as: newName, owner, progress)
        } else if found.status.isSymlink {
            try copyLink(found, to: target, as: newName, owner)
        }
    }

    private func copyDirectory(
        _ found: Found, to target: Int32, as name: FileName, _ owner: Owner?, levels: Int,
        except unfinished: String, _ progress: CopyProgress
    ) throws(Errno) {
        try valueOrErrno(lx_mkdirat(target, name.cString, 0o700))
        let made = Descriptor(
            owning: try valueOrErrno(lx_openat(target, name.cString, lx_o_directory | lx_o_nofollow, 0)))
        for child in try names(in: found.inode) {
            // Also where no bytes are copied somebody may want it no more.
            try progress(0)
            try child.withFileName { (child) throws(Errno) in
                // The copy itself may lie below what is copied, where its target is in the home.
                if child.text == unfinished { return }
                try shownName(of: child, in: found.inode).withFileName { (shown) throws(Errno) in
                    try copyOut(
                        child, in: found.inode, to: made.raw, as: shown, owner, levels: levels - 1,
                        except: unfinished, progress)
                }
            }
        }
        try finish(made.raw, as: found, owner)
    }

    private func copyFile(
        _ found: Found, to target: Int32, as name: FileName, _ owner: Owner?, _ progress: CopyProgress
    ) throws(Errno) {
        let source = try open(found.inode, flags: 0)
        defer { close(source, of: found.inode) }
        let flags = lx_o_wronly | lx_o_creat | lx_o_excl | lx_o_nofollow
        let made = Descriptor(owning: try valueOrErrno(lx_openat(target, name.cString, flags, 0o600)))
        try FileCopy.contents(of: source.descriptor, to: made.raw, progress: progress)
        try finish(made.raw, as: found, owner)
    }

    private func copyLink(
        _ found: Found, to target: Int32, as name: FileName, _ owner: Owner?
    ) throws(Errno) {
        try withUnsafeTemporaryAllocation(byteCount: 4097, alignment: 1) { (buffer) throws(Errno) in
            let count = try readLink(found.inode, into: .init(rebasing: buffer[..<4096]))
            buffer[count] = 0
            try valueOrErrno(
                lx_symlinkat(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), target, name.cString))
            if let owner { try valueOrErrno(lx_chownat(target, name.cString, owner.uid, owner.gid)) }
            let times = [found.status.st_atim, found.status.st_mtim]
            try valueOrErrno(lx_utimensat(target, name.cString, times))
        }
    }

    /// By its descriptor: whose folder it was copied to can put something else under its name.
    private func finish(_ made: Int32, as found: Found, _ owner: Owner?) throws(Errno) {
        if let owner { try valueOrErrno(lx_chownat(made, "", owner.uid, owner.gid)) }
        // Never set-user-id in somebody's folder, nor for others to write: it is a copy of whoever asked.
        try valueOrErrno(lx_fchmod(made, found.status.st_mode & 0o755))
        try valueOrErrno(lx_futimens(made, [found.status.st_atim, found.status.st_mtim]))
    }
}
