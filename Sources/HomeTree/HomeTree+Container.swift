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
            MovedDirectory(home, try Self.status(of: container.raw), container),
            MovedDirectory(self.staging, try Self.status(of: staging.raw), staging),
        ]
        for (number, name) in tables.withLock({ $0.directories(in: home) }) {
            guard let opened = try openedDirectory(name, in: moves[0].raw) else { continue }
            moves.append(MovedDirectory(number, try Self.status(of: opened.raw), opened))
        }
        var leftovers = Leftovers()
        // Names go that calls under way may be about to use: each holds its directory's lock.
        inodes.locks.lockAll()
        var changed = tables.withLock {
            $0.replace(moves, below: [home, self.staging], into: &leftovers)
        }
        inodes.locks.unlockAll()
        budget.addCached(moves.count)
        inodes.close(leftovers)
        // A kernel may believe of names in the new one that they are absent.
        for number in moves.map(\.number) {
            changed += ((try? names(in: number)) ?? []).map { ($0, number) }
        }
        for (name, directory) in changed { name.withFileName { tellName($0, in: directory) } }
        for move in moves { announceContents(of: move.number) }
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
