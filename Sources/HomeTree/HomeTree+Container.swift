internal import CLinux
public import Posix
public import SystemPackage

extension HomeTree {
    /// Puts another data container in the place of the one that this tree shows, and returns when every mount
    /// shows it.
    ///
    /// The home and the directories at its top keep their numbers, so that mounts of them, and who stands in
    /// them, go over. All that lies deeper is left behind: nobody reaches it through this tree any more, but
    /// by a file that he has open.
    /// - Parameter staging: that of the other container.
    /// - Throws: what fstat(2) and openat(2) answer; then nothing has changed.
    public func replaceContainer(
        _ container: consuming Descriptor, staging: consuming Descriptor
    ) throws(Errno) {
        var moves = [
            Move(number: home, try Self.status(of: container.raw), container),
            Move(number: self.staging, try Self.status(of: staging.raw), staging),
        ]
        for (number, name) in directoriesAtTop() {
            guard let opened = try openedDirectory(name, in: moves[0].raw) else { continue }
            moves.append(Move(number: number, try Self.status(of: opened.raw), opened))
        }
        var leftovers = Leftovers()
        // Names go that calls under way may be about to use: each holds its directory's lock.
        locks.lockAll()
        var changed = tables.withLock { tables in
            defer { for move in moves { tables.take(move, into: &leftovers) } }
            return tables.leaveBehind(
                [home, self.staging], moving: Set(moves.map(\.number)), into: &leftovers)
        }
        locks.unlockAll()
        budget.addCached(moves.count)
        close(leftovers)
        // A kernel may believe of names in the new one that they are absent.
        for number in moves.map(\.number) {
            changed += ((try? names(in: number)) ?? []).map { ($0, number) }
        }
        for (name, directory) in changed { name.withFileName { tellName($0, in: directory) } }
        for move in moves { announceContents(of: move.number) }
    }

    /// A directory that stays who it is and becomes another one underneath.
    fileprivate final class Move {
        let number: InodeNumber
        let status: stat
        private var descriptor: Int32

        init(number: InodeNumber, _ status: stat, _ directory: consuming Descriptor) {
            self.number = number
            self.status = status
            descriptor = directory.release()
        }

        var raw: Int32 { descriptor }

        func release() -> Int32 {
            defer { descriptor = -1 }
            return descriptor
        }

        deinit { if descriptor >= 0 { _ = lx_close(descriptor) } }
    }

    private static func status(of directory: Int32) throws(Errno) -> stat {
        var status = stat()
        try valueOrErrno(lx_fstat(directory, &status))
        return status
    }

    private func directoriesAtTop() -> [(InodeNumber, [CChar])] {
        tables.withLock { tables in
            tables.live().compactMap { number in
                let inode = tables.slab[number]
                guard inode.pointee.parent == home, inode.pointee.isDirectory, let name = inode.name,
                    !inode.pointee.flags.contains(.root)
                else { return nil }
                return (number, FileName(name).terminated)
            }
        }
    }

    /// nil where the new container has no such directory.
    private func openedDirectory(_ name: [CChar], in container: Int32) throws(Errno) -> Descriptor? {
        let result = lx_openat(container, name, lx_o_path | lx_o_nofollow | lx_o_directory, 0)
        if [Errno.noSuchFileOrDirectory, .notDirectory].contains(where: { -$0.rawValue == result }) {
            return nil
        }
        return Descriptor(owning: try valueOrErrno(result))
    }

    private func tellName(_ name: FileName, in directory: InodeNumber) {
        for cache in caches.withLock({ $0 }) { cache.forgetName(Array(name.bytes), in: directory) }
    }
}

extension Tables {
    fileprivate func live() -> [InodeNumber] {
        (0..<slab.capacity).map { InodeNumber(rawValue: $0) }.filter { slab.live($0) != nil }
    }

    /// Takes from all below `roots` but `moving` what reaches it: a number of the old container must not be
    /// found again when the backing file system gives it to another file.
    /// - Returns: the names that were known in those directories.
    fileprivate mutating func leaveBehind(
        _ roots: [InodeNumber], moving: Set<InodeNumber>, into leftovers: inout Leftovers
    ) -> [(name: [CChar], directory: InodeNumber)] {
        var names: [(name: [CChar], directory: InodeNumber)] = []
        // Asked before the first is detached: below that nothing would be of the home any more.
        for number in live().filter({ isBelow($0, roots) }) where !moving.contains(number) {
            let inode = slab[number]
            forgetIdentity(of: number)
            spellings[number] = nil
            if inode.pointee.descriptor >= 0, inode.pointee.pins == 0 {
                cache.remove(number, from: slab)
                leftovers.descriptors.append(inode.pointee.descriptor)
                inode.pointee.descriptor = -1
            }
            guard moving.contains(inode.pointee.parent), let name = inode.name else { continue }
            names.append((FileName(name).terminated, inode.pointee.parent))
            detach(number, isGone: true)
        }
        return names
    }

    /// Whether it is reached from one of them, or by no name at all.
    private func isBelow(_ number: InodeNumber, _ roots: [InodeNumber]) -> Bool {
        var current = number
        while !roots.contains(current) {
            let inode = slab[current]
            if inode.pointee.flags.contains(.root) { return false }
            guard inode.name != nil else { return true }
            current = inode.pointee.parent
        }
        return number != current
    }

    fileprivate mutating func take(_ move: HomeTree.Move, into leftovers: inout Leftovers) {
        let inode = slab[move.number]
        forgetIdentity(of: move.number)
        inode.pointee.identity = Identity(move.status)
        byIdentity[inode.pointee.identity] = move.number
        spellings[move.number] = nil
        let old = inode.pointee.descriptor
        inode.pointee.descriptor = move.release()
        guard old >= 0 else { return cache.add(move.number, to: slab) }
        // A call may be using it.
        if inode.pointee.pins == 0 {
            leftovers.descriptors.append(old)
        } else {
            retired[move.number, default: []].append(old)
        }
    }
}
