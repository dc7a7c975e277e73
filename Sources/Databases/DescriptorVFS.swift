internal import CLinux
internal import CSQLite
internal import Glibc
internal import Posix

/// SQLite's own way to files, but for two things: it takes a path as it is, and looks at nothing elsewhere.
///
/// A database is reached through an open directory (`/proc/self/fd/N/Manifest.db`), because the directory may
/// lie where this process's own paths do not lead. SQLite would resolve the links of that path to one that it
/// then opens anew; with this it opens the path itself, and the last part never through a link (O_NOFOLLOW).
///
/// A journal may name another one, of a transaction in several databases, which SQLite then reads and
/// removes. The name is an app's, who could write any there, and means another place in its sandbox than
/// here: such a journal is left to the app, and its database is busy until then.
enum DescriptorVFS {
    static let name: StaticString = "apphome-descriptor"

    /// The path of a file in an open directory.
    static func path(_ directory: Int32, _ name: String) -> String { "/proc/self/fd/\(directory)/\(name)" }

    /// Whether the registration succeeded; done once.
    static let isRegistered: Bool = {
        guard let standard = sqlite3_vfs_find("unix") else { return false }
        // Kept for the life of the process, as SQLite asks of a registered one.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: standard.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        own.pointee.xFullPathname = { _, path, capacity, out in
            guard let path, let out else { return SQLITE_CANTOPEN }
            var count = 0
            while path[count] != 0 { count += 1 }
            guard count < Int(capacity) else { return SQLITE_CANTOPEN }
            out.update(from: path, count: count + 1)
            return SQLITE_OK
        }
        own.pointee.xAccess = { vfs, path, flags, out in
            guard let path, isInOpenDirectory(String(cString: path)) else { return SQLITE_BUSY }
            return sqlite3_vfs_find("unix")?.pointee.xAccess(vfs, path, flags, out) ?? SQLITE_ERROR
        }
        own.pointee.xOpen = { vfs, path, file, flags, out in
            guard flags & SQLITE_OPEN_SUPER_JOURNAL == 0 else { return SQLITE_BUSY }
            return sqlite3_vfs_find("unix")?.pointee.xOpen(vfs, path, file, flags, out) ?? SQLITE_ERROR
        }
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()

    private static func isInOpenDirectory(_ path: String) -> Bool {
        path.isPath(in: "/proc/self/fd") && path.pathParts.count == 5
    }

    /// From here on SQLite opens no FIFO, in all of this process.
    /// - Returns: false where it has no way to be told.
    static func refuseFIFOs() -> Bool {
        let open: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32 = { path, flags, mode in
            let result = lx_open_no_fifo(path, flags, UInt32(bitPattern: mode))
            if result < 0 { errno = -result }
            return max(-1, result)
        }
        let pointer = unsafeBitCast(open, to: sqlite3_syscall_ptr.self)
        guard let standard = sqlite3_vfs_find("unix") else { return false }
        return standard.pointee.xSetSystemCall(standard, "open", pointer) == SQLITE_OK
    }
}
