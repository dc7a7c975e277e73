internal import CSQLite

/// SQLite's own way to files, but for one thing: it takes a path as it is.
///
/// A database is reached through an open directory (`/proc/self/fd/N/Manifest.db`), because the directory may
/// lie where this process's own paths do not lead. SQLite would resolve the links of that path to one that it
/// then opens anew; with this it opens the path itself, and the last part never through a link (O_NOFOLLOW).
enum DescriptorVFS {
    static let name: StaticString = "apphome-descriptor"

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
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()
}
