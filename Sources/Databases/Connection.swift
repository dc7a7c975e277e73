internal import CSQLite
package import Posix

/// A connection to a SQLite database that GRDB cannot open, for it reaches one by its path alone and as its
/// owner: one that an app has open, or one in a folder that only a descriptor leads to. Or that it cannot
/// close without leaving a thread behind: one that is thrown away where it is damaged. Used by one thread at
/// a time.
package final class Connection {
    package enum Mode {
        /// Somebody else's: never written, no lock, no journal, nothing made beside it.
        case immutable
        /// Ours, being made: no journal, for a crash throws all of it away.
        case new
        /// Ours alone, and kept: a process that is killed damages nothing, and a power cut takes the latest
        /// transactions at most. Nothing waits for the disk but a checkpoint.
        case kept
    }

    private let handle: OpaquePointer
    private var patience: SearchPatience?

    private static let busyMilliseconds: Int32 = 2000
    /// One value of a row: far above a record, far below what would hurt.
    private static let valueLimitBytes: Int32 = 16 << 20
    private static let cacheKibibytes = 32 << 10
    private static let keptCacheKibibytes = 1 << 10
    private static let keptLogBytes = 1 << 20

    /// Opens a database that its app may have open: waits a little for its locks.
    /// - Parameter keepsLog: false lets the last connection checkpoint and remove the log, as an app's does.
    init(inUse site: DatabaseSite, keepsLog: Bool) throws(SQLiteError) {
        handle = try Self.open(site.path, SQLITE_OPEN_READWRITE)
        if keepsLog { try check(csqlite_keep_log(handle)) }
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    }

    /// Opens what an app's database was at one moment. The app is kept from nothing: no lock is taken,
    /// nothing is written, nothing is made beside it.
    /// - Parameter deadline: when whatever is done with it ends with `isInterrupt`.
    /// - Throws: also `isTooLarge`, where it has more tables, indexes and views than anybody makes.
    package init(lookingAt snapshot: DatabaseSnapshot, until deadline: Deadline) throws(SQLiteError) {
        handle = try Self.open(snapshot)
        let patience = SearchPatience(deadline)
        self.patience = patience
        patience.watch(handle)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.lookLimitBytes)
        // The schema is an app's: nothing in it may call functions, and its pages may say anything.
        try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")
        try run("PRAGMA temp_store = MEMORY")
        // Here the schema is read.
        do { try run("SELECT 1 FROM sqlite_schema LIMIT 1") } catch {
            throw patience.isSchemaTooLarge ? SQLiteError(code: SQLITE_NOMEM, error.message) : error
        }
        patience.schemaIsRead()
    }

    /// Opens a database that comes from outside: nothing is written, no lock is taken, nothing is made beside
    /// it, and no log of it is read.
    /// - Parameter cacheBytes: so much of it is kept in memory at most.
    package init(reading bytes: any DatabaseBytes, cacheBytes: Int) throws(SQLiteError) {
        handle = try Self.open(bytes)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimitBytes)
        // The schema comes from outside: nothing in it may call functions, and its pages may say anything.
        try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")
        try run("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(cacheBytes >> 10)")
    }

    private static func open(_ bytes: any DatabaseBytes) throws(SQLiteError) -> OpaquePointer {
        try ReadOnlyVFS.open(bytes) { (name, vfs) throws(SQLiteError) in
            try open(name, SQLITE_OPEN_READONLY, vfs)
        }
    }

    /// A row has all its values in memory at once; longer ones are read in parts, by `value`.
    private static let lookLimitBytes: Int32 = 1 << 20

    /// How much memory all connections of this process may have; more fails with `isTooLarge`.
    package static func limitMemory(bytes: Int64) { sqlite3_hard_heap_limit64(bytes) }

    /// A long text or blob, to be read in parts.
    /// - Throws: where the value is neither, or the table has no row numbers.
    package func value(_ table: String, _ column: String, row: Int64) throws(SQLiteError) -> LongValue {
        var opened: OpaquePointer?
        try check(sqlite3_blob_open(handle, "main", table, column, row, 0, &opened))
        guard let opened else { throw SQLiteError(code: SQLITE_ERROR, "no value") }
        return LongValue(opened, of: handle)
    }

    /// Opens `name` in the open directory `directory`.
    package init(_ directory: Int32, _ name: String, _ mode: Mode) throws(SQLiteError) {
        let path = "file:" + DescriptorVFS.path(directory, name)
        switch mode {
        case .immutable:
            handle = try Self.open(path + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        case .new, .kept:
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
            handle = try Self.open(path, flags)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimitBytes)
        // The schema comes from outside: nothing in it may call functions with side effects.
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cache_size = -\(Self.cacheKibibytes)")
        // Nothing of what is listed goes to another disk.
        try run("PRAGMA temp_store = MEMORY")
        switch mode {
        case .immutable: break
        case .new:
            try run("PRAGMA journal_mode = OFF")
            try run("PRAGMA synchronous = OFF")
            try run("PRAGMA locking_mode = EXCLUSIVE")
        case .kept:
            // First: what the log's readers share is then in this process's memory.
            try run("PRAGMA locking_mode = EXCLUSIVE")
            try run("PRAGMA journal_mode = WAL")
            try run("PRAGMA synchronous = NORMAL")
            try run("PRAGMA journal_size_limit = \(Self.keptLogBytes)")
            try run("PRAGMA cache_size = -\(Self.keptCacheKibibytes)")
        }
    }

    deinit {
        // A statement may outlive this.
        if patience != nil { sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_close_v2(handle)
    }

    private static func open(_ path: String, _ flags: Int32) throws(SQLiteError) -> OpaquePointer {
        guard DescriptorVFS.isRegistered else { throw SQLiteError(code: SQLITE_ERROR, "no file system") }
        return try open(path, flags, DescriptorVFS.name.description)
    }

    private static func open(_ path: String, _ flags: Int32, _ vfs: String) throws(SQLiteError)
        -> OpaquePointer
    {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard let opened else { throw SQLiteError(code: code, "out of memory") }
        guard code == SQLITE_OK else {
            defer { sqlite3_close(opened) }
            throw SQLiteError(code: code, on: opened)
        }
        return opened
    }

    /// Runs statements whose rows nobody wants.
    package func run(_ statements: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    package func prepare(_ text: String) throws(SQLiteError) -> Statement {
        try Statement(handle, text)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }
}
