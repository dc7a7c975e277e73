internal import CLinux
public import SystemPackage

/// Removes a directory's content, whatever lies in it: any depth, names of any bytes, directories without
/// permissions. What is mounted in it is none of it: that is EBUSY, as for rmdir(2).
public struct TreeRemoval {
    // Deeper directories are moved up to `top` first: neither stack nor descriptors grow with the tree.
    private static let depthLimit = 32

    private let top: Int32
    private var moved = 0

    /// Removes `name` in the directory `directory`, with all below it; one that is not there is no error.
    ///
    /// - Parameter goesOn: asked before each item.
    /// - Throws: `canceled` where it did not go on; the rest is there.
    public static func remove(
        _ directory: Int32, _ name: String, while goesOn: () -> Bool = { true }
    ) throws(Errno) {
        let raw = name.utf8CString.map { $0 }
        guard let stamp = try ItemStamp.ifPresent(directory, raw) else { return }
        guard stamp.isDirectory else {
            try valueOrErrno(lx_unlinkat(directory, raw, 0))
            return
        }
        let opened = try opened(directory, raw, stamp)
        try empty(opened.raw, while: goesOn)
        try valueOrErrno(lx_unlinkat(directory, raw, lx_at_removedir))
    }

    /// Removes all that is in the directory `fd`, and leaves it.
    public static func empty(_ fd: Int32, while goesOn: () -> Bool = { true }) throws(Errno) {
        var removal = TreeRemoval(top: fd)
        var before = -1
        // What was moved up lies in `top` again and goes in the next round.
        while removal.moved != before {
            before = removal.moved
            try removal.empty(fd, depth: 0, goesOn)
        }
    }

    private init(top: Int32) { self.top = top }

    private mutating func empty(_ fd: Int32, depth: Int, _ goesOn: () -> Bool) throws(Errno) {
        for name in try DirectoryEntries.names(in: fd) {
            guard goesOn() else { throw .canceled }
            let stamp = try ItemStamp(fd, name)
            guard stamp.isDirectory else {
                try valueOrErrno(lx_unlinkat(fd, name, 0))
                continue
            }
            if depth >= Self.depthLimit {
                try moveUp(fd, name, stamp)
                continue
            }
            let opened = try Self.opened(fd, name, stamp)
            try empty(opened.raw, depth: depth + 1, goesOn)
            try valueOrErrno(lx_unlinkat(fd, name, lx_at_removedir))
        }
    }

    private mutating func moveUp(_ fd: Int32, _ name: [CChar], _ stamp: ItemStamp) throws(Errno) {
        // Moving a directory writes its "..": it must be writable itself.
        _ = try Self.opened(fd, name, stamp)
        while true {
            moved += 1
            do {
                try valueOrErrno(lx_renameat2(fd, name, top, ".removed-\(moved)", lx_rename_noreplace))
                return
            } catch Errno.fileExists {
                continue
            }
        }
    }

    /// Opens a directory that is to be emptied; one packed without permissions for its owner gets them.
    private static func opened(_ fd: Int32, _ name: [CChar], _ stamp: ItemStamp) throws(Errno) -> Descriptor {
        if stamp.isMount { throw .resourceBusy }
        if stamp.mode & 0o700 != 0o700 { try valueOrErrno(lx_chmodat(fd, name, 0o700)) }
        let flags = lx_o_directory | lx_o_nofollow
        return Descriptor(owning: try retrying { lx_openat_beneath(fd, name, flags, 0) })
    }
}
