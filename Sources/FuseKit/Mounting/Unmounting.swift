internal import CLinux
internal import Posix
internal import SystemPackage

/// Ends mounts, with the caller's own rights.
public enum Unmounting {
    /// Unmounts what stands at `place`.
    /// - Parameter lazy: takes it out of the tree now, and ends it when the last program lets go.
    /// - Throws: `MountError.busy` with the names of the programs that hold it; `notMounted`.
    public static func unmount(_ place: MountPlace, lazy: Bool) throws {
        guard let entry = try place.entry() else { throw MountError.notMounted(place.name) }
        try unmount(entry, at: place, lazy: lazy, as: nil)
    }

    /// - Parameters:
    ///   - entry: what stands at `place`.
    ///   - rights: of the ordinary user whose mount it is, where root ends it for him.
    static func unmount(_ entry: MountEntry, at place: MountPlace, lazy: Bool, as rights: UserRights?) throws
    {
        let path = entry.mountPoint
        if Process.effectiveUserID != 0 || rights != nil {
            do {
                try Fusermount.unmount(path, lazy: lazy, as: rights)
            } catch MountError.busy {
                throw MountError.busy(path, holders: holders(of: entry))
            }
            return
        }
        do throws(Errno) {
            try place.unmount(flags: lazy ? lx_mnt_detach : 0)
        } catch {
            switch error {
            case .resourceBusy: throw MountError.busy(path, holders: holders(of: entry))
            case .invalidArgument, .noSuchFileOrDirectory: throw MountError.notMounted(path)
            case .notPermitted: throw MountError.notPermitted(path)
            default: throw MountError.failed("unmount", path, error)
            }
        }
    }

    /// Removes a mount whose server has ended, whoever still holds it.
    ///
    /// Force comes first: it ends the connection, so that callers that wait for the dead server (in an
    /// uninterruptible wait, even) get their answer; it may say "busy" and has done so all the same.
    /// - Throws: `MountError`; `notMounted` where `entry` does not stand at its mount point any more.
    public static func clean(_ entry: MountEntry) throws {
        let path = entry.mountPoint
        guard Process.effectiveUserID == 0 else { return try Fusermount.unmount(path, lazy: true) }
        do throws(Errno) {
            let place = try openPlace(of: entry)
            if (try? place.unmount(flags: lx_mnt_force)) != nil { return }
            try place.unmount(flags: lx_mnt_detach)
        } catch {
            if error == .noSuchFileOrDirectory { throw MountError.notMounted(path) }
            throw MountError.failed("clean the dead mount", path, error)
        }
    }

    /// The place of a mount that the mount table shows, held open.
    /// - Throws: `MountError.notMounted` where its path leads elsewhere by now.
    public static func place(of entry: MountEntry) throws -> MountPlace {
        do throws(Errno) {
            return try openPlace(of: entry)
        } catch {
            throw MountError.notMounted(entry.mountPoint)
        }
    }

    private static func openPlace(of entry: MountEntry) throws(Errno) -> MountPlace {
        let place = try MountPlace(path: entry.mountPoint)
        guard try place.entry()?.mountID == entry.mountID else { throw .noSuchFileOrDirectory }
        return place
    }

    private static func holders(of entry: MountEntry) -> [String] {
        let path = entry.mountPoint
        let inside = ((try? MountTable.current())?.entries ?? []).filter {
            $0.mountPoint != path && $0.mountPoint.isPath(in: path)
        }
        return inside.map { "the mount at \($0.mountPoint)" } + MountHolder.all(of: entry).map(\.description)
    }
}
