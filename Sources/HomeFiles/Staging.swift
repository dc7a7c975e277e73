internal import CLinux
public import HomeTree
public import Posix
public import SystemPackage

/// How the daemon's own commands change a home: they prepare a file in a directory that no view shows, and
/// put it in place by one rename, with the same calls of the tree as everybody else.
extension HomeTree {
    /// Puts a regular file under `name`; who has open what it replaces keeps that.
    ///
    /// Durable when it returns, and seen through every mount.
    /// - Parameters:
    ///   - source: an open file, read from its start.
    ///   - replaces: whether it takes the place of a file that is there.
    /// - Throws: EISDIR where a directory has the name; EEXIST where anything has it that is not to be
    ///   replaced; ENOSPC and others of writing.
    public func place(
        _ source: Int32, as name: FileName, in directory: InodeNumber, mode: UInt32, replaces: Bool = true,
        owner: Owner, progress: CopyProgress = { _ in }
    ) throws(Errno) {
        try check(name)
        try withCopy(of: source, mode: mode, owner: owner, progress) { (staging, copy) throws(Errno) in
            if replaces {
                try rename(copy, in: staging, to: name, in: directory, flags: 0)
                caches.announce(name, in: directory)
            } else if try !moveIfFree(copy, in: staging, to: name, in: directory) {
                throw .fileExists
            }
        }
        // The bytes are on the disk; their name is only now.
        try openDirectory(directory).sync()
    }

    /// As `place`, under the first name that nothing has.
    /// - Parameter name: the name to try first, second and so on, from 1.
    /// - Returns: the name that it got.
    public func placeBeside(
        _ source: Int32, in directory: InodeNumber, mode: UInt32, owner: Owner,
        progress: CopyProgress = { _ in }, name: (Int) -> String
    ) throws(Errno) -> String {
        var attempt = 1
        try withCopy(of: source, mode: mode, owner: owner, progress) { (staging, copy) throws(Errno) in
            while try !name(attempt).withFileName({ (free) throws(Errno) in
                try moveIfFree(copy, in: staging, to: free, in: directory)
            }) { attempt += 1 }
        }
        try openDirectory(directory).sync()
        return name(attempt)
    }

    /// Gives what is staged its name: in the place of anything that has it, which lies in staging then, or
    /// only where nothing has it.
    /// - Throws: EEXIST.
    func move(
        _ staged: FileName, in staging: InodeNumber, to name: FileName, in directory: InodeNumber,
        replaces: Bool
    ) throws(Errno) {
        if try moveIfFree(staged, in: staging, to: name, in: directory) { return }
        guard replaces else { throw .fileExists }
        try rename(staged, in: staging, to: name, in: directory, flags: lx_rename_exchange)
        caches.announce(name, in: directory)
    }

    /// - Returns: false where the name is taken.
    private func moveIfFree(
        _ copy: FileName, in staging: InodeNumber, to name: FileName, in directory: InodeNumber
    ) throws(Errno) -> Bool {
        try check(name)
        do throws(Errno) {
            try rename(copy, in: staging, to: name, in: directory, flags: lx_rename_noreplace)
        } catch {
            guard error == .fileExists else { throw error }
            return false
        }
        caches.announce(name, in: directory)
        return true
    }

    /// Runs `body` with a copy of the file in the staging directory, whose bytes are on the disk.
    private func withCopy(
        of source: Int32, mode: UInt32, owner: Owner, _ progress: CopyProgress,
        _ body: (InodeNumber, FileName) throws(Errno) -> Void
    ) throws(Errno) {
        try refuseGrowth()
        try withStaged { (staging, temporary) throws(Errno) in
            let (found, handle) = try create(
                temporary, in: staging, mode: mode, flags: lx_o_rdwr | lx_o_excl | lx_o_creat, owner: owner)
            defer { forget(found.inode) }
            try fill(found.inode, handle, from: source, progress)
            try body(staging, temporary)
        }
    }

    /// Removes what has the name, a directory with all below it: gone from every view at once.
    /// - Throws: ENOENT, or what rename(2) and unlink(2) answer.
    public func discard(_ name: FileName, in directory: InodeNumber) throws(Errno) {
        _ = try discardCounting(name, in: directory)
    }

    /// As `discard`.
    /// - Returns: the bytes on the disk that became free.
    func discardCounting(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Int64 {
        var freedBytes: Int64 = 0
        try withStaged { (staging, temporary) throws(Errno) in
            try rename(name, in: directory, to: temporary, in: staging, flags: lx_rename_noreplace)
            caches.announce(name, in: directory)
            // It is gone from every view; what of it cannot go stays where nobody sees it.
            freedBytes = (try? removeAll(temporary, in: staging)) ?? 0
        }
        return freedBytes
    }

    /// Removes what an earlier process left in the staging directory, as far as this one may, but for what is
    /// kept.
    public func emptyStaging() throws(Errno) {
        for name in try names(in: staging) where !name.hasPrefix(Self.keptStagingPrefix) {
            // What cannot go (somebody else's directory) stays unseen: it must not keep the home shut.
            name.withFileName { (name) in _ = try? removeAll(name, in: staging) }
        }
    }

    /// Runs `body` with a fresh name in the staging directory, and removes what is still there afterwards.
    func withStaged(
        _ body: (InodeNumber, FileName) throws(Errno) -> Void
    ) throws(Errno) {
        let name = "\(lx_realtime_nanoseconds())-\(lx_getpid())"
        try name.withFileName { (temporary) throws(Errno) in
            defer { _ = try? removeAll(temporary, in: staging) }
            try body(staging, temporary)
        }
    }

    /// Finds a directory, or makes it. Holds a reference.
    /// - Throws: ENOTDIR where something else has the name.
    public func directory(
        _ name: FileName, in parent: InodeNumber, owner: Owner
    ) throws(Errno) -> InodeNumber {
        do throws(Errno) {
            let found = try lookup(name, in: parent)
            if found.status.isDirectory { return found.inode }
            forget(found.inode)
            throw .notDirectory
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
        }
        let made = try makeDirectory(name, in: parent, mode: 0o755, owner: owner).inode
        caches.announce(name, in: parent)
        return made
    }

    /// Copies, makes durable and closes.
    private func fill(
        _ inode: InodeNumber, _ handle: FileHandle, from source: Int32, _ progress: CopyProgress
    ) throws(Errno) {
        defer { close(handle, of: inode) }
        try FileCopy.contents(of: source, to: handle.descriptor, progress: progress)
        try sync(handle, dataOnly: false)
    }

    /// - Returns: the bytes on the disk that became free.
    private func removeAll(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Int64 {
        let found = try lookup(name, in: directory)
        defer { forget(found.inode) }
        guard found.status.isDirectory else {
            try removeFile(name, in: directory)
            return found.blockBytes
        }
        try allowRemoval(of: found)
        let freedBytes = try removeContents(of: found.inode)
        try removeDirectory(name, in: directory)
        return freedBytes + found.blockBytes
    }

    /// Lets an ordinary user's daemon empty a directory of its own that has other modes.
    /// - Throws: EBUSY for what is mounted there: that is none of the home's.
    private func allowRemoval(of found: Found) throws(Errno) {
        if try isMount(found.inode) { throw .resourceBusy }
        if found.status.permissions & 0o700 == 0o700 { return }
        var changes = AttributeChanges()
        changes.mode = 0o700
        _ = try change(changes, of: found.inode)
    }

    /// A directory that is being emptied.
    private struct Level {
        let inode: InodeNumber
        var names: [[CChar]]
    }

    /// Empties a directory: a loop, for it may be deeper than a stack.
    private func removeContents(of directory: InodeNumber) throws(Errno) -> Int64 {
        var freedBytes: Int64 = 0
        var levels = [Level(inode: directory, names: try names(in: directory))]
        defer { for level in levels.dropFirst() { forget(level.inode) } }
        while let level = levels.last {
            guard let name = level.names.last else {
                levels.removeLast()
                if let parent = levels.indices.last {
                    forget(level.inode)
                    let name = levels[parent].names.removeLast()
                    _ = try name.withFileName { (name) throws(Errno) in
                        try removeDirectory(name, in: levels[parent].inode)
                    }
                }
                continue
            }
            let found = try name.withFileName { (name) throws(Errno) in try lookup(name, in: level.inode) }
            freedBytes += found.blockBytes
            if found.status.isDirectory {
                levels.append(Level(inode: found.inode, names: []))
                try allowRemoval(of: found)
                levels[levels.count - 1].names = try names(in: found.inode)
            } else {
                forget(found.inode)
                levels[levels.count - 1].names.removeLast()
                _ = try name.withFileName { (name) throws(Errno) in try removeFile(name, in: level.inode) }
            }
        }
        return freedBytes
    }
}
