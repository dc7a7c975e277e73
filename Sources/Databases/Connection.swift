internal import CSQLite
internal import Posix

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

    /// Opens a database to be looked at while its app may have it open. Nothing is written, nothing is made
    /// beside it, and the app is kept from nothing: a log is read under the reader's lock, which no writer
    /// waits for, and where there is none no lock is taken at all. What is read then may be of two moments:
    /// the caller compares what it knows of the file before and after.
    /// - Parameter isLogged: it has a log, and an index of it.
    package init(lookingAt site: DatabaseSite, isLogged: Bool) throws(SQLiteError) {
        // The index is read where it is there; else SQLite would make one.
        let option = isLogged ? "readonly_shm=1" : "immutable=1"
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        handle = try Self.open("file:\(Self.escaped(site.path))?\(option)", flags)
        if isLogged { try check(csqlite_keep_log(handle)) }
        sqlite3_busy_timeout(handle, Self.lookMilliseconds)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.lookLimitBytes)
        // The schema is an app's: nothing in it may call functions, and its pages may say anything.
        try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
        try run("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")
    }

    private static let lookMilliseconds: Int32 = 100
    /// A row has all its values in memory at once; longer ones are read in parts, by `value`.
    private static let lookLimitBytes: Int32 = 1 << 20

    /// A path in a URI: what would end it or mean something else there, escaped.
    private static func escaped(_ path: String) -> String {
        let bytes = path.utf8.flatMap { byte in
            "%?#".utf8.contains(byte) ? Array("%\(Hex.text([byte]))".utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

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

    deinit { sqlite3_close_v2(handle) }

    private static func open(_ path: String, _ flags: Int32) throws(SQLiteError) -> OpaquePointer {
        guard DescriptorVFS.isRegistered else { throw SQLiteError(code: SQLITE_ERROR, "no file system") }
        var opened: OpaquePointer?
        let name = DescriptorVFS.name.description
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, name)
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
