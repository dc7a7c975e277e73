internal import CSQLite

/// Databases that are this process's alone, as all that the daemon opens by their paths are.
package enum OwnDatabases {
    /// From here on, what connections of this process to one database share lies in memory, and other
    /// processes are locked out: a file beside it (`-shm`) would be mapped, and whoever owns the folder could
    /// cut it short.
    /// - Throws: where SQLite has no such way.
    package static func keepToThisProcess() throws(SQLiteError) {
        guard let alone = sqlite3_vfs_find("unix-excl"), sqlite3_vfs_register(alone, 1) == SQLITE_OK else {
            throw SQLiteError(code: SQLITE_ERROR, "no way to keep databases to one process")
        }
    }
}
