internal import CLinux
internal import Posix
internal import SystemPackage

/// Ends mounts, with the caller's own rights.
public enum Unmounting {
    /// Unmounts what stands at the absolute path.
    /// - Parameter lazy: takes it out of the tree now, and ends it when the last program lets go.
    /// - Throws: `MountError.busy` with the names of the programs that hold it.
    public static func unmount(_ path: String, lazy: Bool) throws {
        if Process.effectiveUserID != 0 {
            do {
                try Fusermount.unmount(path, lazy: lazy)
            } catch MountError.busy {
                throw MountError.busy(path, holders: holders(of: path))
            }
            return
        }
        let flags = lx_umount_nofollow | (lazy ? lx_mnt_detach : 0)
        switch Errno(rawValue: -lx_umount(path, flags)) {
        case Errno(rawValue: 0): return
        case .resourceBusy: throw MountError.busy(path, holders: holders(of: path))
        case .invalidArgument, .noSuchFileOrDirectory: throw MountError.notMounted(path)
        case .notPermitted: throw MountError.notPermitted(path)
        case let errno: throw MountError.failed("unmount", path, errno)
        }
    }

    /// Removes a mount whose server has ended, whoever still holds it.
    ///
    /// Force comes first: it ends the connection, so that callers that wait for the dead server (in an
    /// uninterruptible wait, even) get their answer; it may say "busy" and has done so all the same.
    public static func clean(_ path: String) throws {
        guard Process.effectiveUserID == 0 else { return try Fusermount.unmount(path, lazy: true) }
        if lx_umount(path, lx_mnt_force | lx_umount_nofollow) == 0 { return }
        let errno = Errno(rawValue: -lx_umount(path, lx_mnt_detach | lx_umount_nofollow))
        if errno != Errno(rawValue: 0) { throw MountError.failed("clean the dead mount", path, errno) }
    }

    private static func holders(of path: String) -> [String] {
        guard let table = try? MountTable.current(), let entry = table.entry(at: path) else { return [] }
        let inside = table.entries.filter { $0.mountPoint != path && contains(path, $0.mountPoint) }
        return inside.map { "the mount at \($0.mountPoint)" } + MountHolder.all(of: entry).map(\.description)
    }
}
