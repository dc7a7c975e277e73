internal import CLinux
internal import Posix
public import SystemPackage

/// For the mounts whose kernel checks no mode bits: the backing files are asked.
extension HomeTree {
    /// Asks whether this thread may do that to an inode, as access(2) does by the effective ids.
    /// - Parameter mode: R_OK, W_OK and X_OK, together.
    /// - Throws: EACCES; as `attributes(of:)`.
    public func checkAccess(_ mode: Int32, to number: InodeNumber) throws(Errno) {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            _ = try valueOrErrno(lx_accessat(directory, name, mode))
        }
    }

    /// The mode or the owner of a directory has changed. Where it may not be searched any more, such mounts'
    /// kernels look its names up anew.
    func noteAccessChanged(of number: InodeNumber) {
        let blind = caches.withoutChecks
        guard !blind.isEmpty, (try? checkAccess(lx_may_search, to: number)) == nil else { return }
        // With the directory's lock: what was found in it before is known by now.
        let names = inodes.locks.withLock(of: number) { tables.withLock { $0.names(in: number) } }
        let own = tables.withLock { $0.nameAndParent(of: number) }
        for cache in blind { cache.searchWasLost(of: number, names: names, own: own) }
    }
}
