internal import CLinux
internal import CSQLite
internal import Posix
package import SystemPackage

/// The write-ahead log of a database of ours that has to be written when the disk is full: it has its room
/// from the beginning, and keeps it.
///
/// SQLite makes the log at the first change, removes it with the last connection, and lets it grow as long as
/// a checkpoint finds no room. Without it no row could be removed that would make room. It is never
/// `journal_mode` MEMORY or OFF that helps there: a process that ends in the middle of a transaction would
/// leave a database that is damaged.
package enum KeptLog {
    /// A checkpoint follows the commit after which the log has so many pages; the next transaction begins at
    /// the log's start again.
    private static let checkpointPages: Int32 = 32
    /// Of the log: the pages before a checkpoint, and as many for a transaction that is larger than usual,
    /// each of 4096 bytes with its header.
    private static let logBytes: Int64 = 32 + 64 * (4096 + 24)
    /// The database grows by so much at a time, so that a checkpoint mostly finds room for a new page.
    private static let growthBytes: Int32 = 64 << 10

    /// To be called for each connection before it reads: from its first transaction on it keeps the log.
    package static func keep(on connection: OpaquePointer) throws(SQLiteError) {
        var keeps: Int32 = 1
        var growth = growthBytes
        let codes = [
            // No -shm: what connections share of the log is in this process's memory.
            sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil),
            // A log that is reset is not cut short.
            sqlite3_exec(connection, "PRAGMA journal_size_limit = -1", nil, nil, nil),
            sqlite3_wal_autocheckpoint(connection, checkpointPages),
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps),
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_CHUNK_SIZE, &growth),
        ]
        if let failed = codes.first(where: { $0 != SQLITE_OK }) {
            throw SQLiteError(code: failed, on: connection)
        }
    }

    /// Gives the log its room, where it lacks it; where there is none, the next time.
    ///
    /// To be called while the database is open: the log of an empty database is removed by who opens it. What
    /// comes after its last frame SQLite does not believe.
    /// - Parameter database: the database's name in `directory`.
    package static func fill(_ directory: Int32, _ database: String) throws(Errno) {
        let flags = lx_o_rdwr | lx_o_nonblock | lx_o_noctty
        let log = Descriptor(
            owning: try retrying { lx_openat_beneath(directory, database + "-wal", flags, 0) })
        let stamp = try ItemStamp(of: log.raw)
        guard stamp.isRegular else { throw .invalidArgument }
        let missing = logBytes - Int64(clamping: stamp.sizeBytes)
        guard missing > 0 else { return }
        // Zeros that are written, and not a promise of blocks: turning one into the other may need a block.
        let zeros = [UInt8](repeating: 0, count: Int(missing))
        try FileTree.write(log.raw, zeros, offset: Int64(clamping: stamp.sizeBytes))
    }
}
