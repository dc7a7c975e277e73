internal import CSQLite
internal import SystemPackage

/// A connection to a database of a backup, and its statements. Used by one thread.
final class Database {
    enum Mode {
        /// Somebody else's: never written, no lock, no journal, nothing made beside it.
        case immutable
        /// Ours, being made: no journal, for a crash throws all of it away.
        case new
    }

    fileprivate let handle: OpaquePointer

    /// One value of a row: far above a record, far below what would hurt.
    private static let valueLimitBytes: Int32 = 16 << 20
    private static let cacheKibibytes = 32 << 10

    /// Opens `name` in the open directory `directory`.
    init(_ directory: Int32, _ name: String, _ mode: Mode) throws(DatabaseError) {
        guard DescriptorVFS.isRegistered else { throw DatabaseError(code: SQLITE_ERROR, "no file system") }
        let path = "file:/proc/self/fd/\(directory)/\(name)"
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        flags |= mode == .new ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let location = mode == .new ? path : path + "?immutable=1"
        let code = sqlite3_open_v2(location, &opened, flags, DescriptorVFS.name.description)
        guard let opened else { throw DatabaseError(code: code, "out of memory") }
        handle = opened
        guard code == SQLITE_OK else { throw DatabaseError(handle) }
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimitBytes)
        // The schema comes from outside: nothing in it may call functions with side effects.
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cache_size = -\(Self.cacheKibibytes)")
        // Nothing of what is listed goes to another disk.
        try run("PRAGMA temp_store = MEMORY")
        guard mode == .new else { return }
        try run("PRAGMA journal_mode = OFF")
        try run("PRAGMA synchronous = OFF")
        try run("PRAGMA locking_mode = EXCLUSIVE")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements whose rows nobody wants.
    func run(_ statements: String) throws(DatabaseError) {
        guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
            throw DatabaseError(handle)
        }
    }

    func prepare(_ text: String) throws(DatabaseError) -> Statement {
        try Statement(handle, text)
    }
}

/// A prepared statement. It may outlive its connection, which SQLite then closes with it.
final class Statement {
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    fileprivate init(_ connection: OpaquePointer, _ text: String) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, text, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw DatabaseError(connection) }
        self.connection = connection
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// - Returns: whether there is a row.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = DatabaseError(connection)
            sqlite3_reset(handle)
            throw error
        }
    }

    func reset() { sqlite3_reset(handle) }

    /// Binds a parameter, counted from 1.
    func bind(_ index: Int32, _ text: String) throws(DatabaseError) {
        var text = text
        try check(
            text.withUTF8 {
                sqlite3_bind_text64(
                    handle, index, UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
            })
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(DatabaseError) {
        try check(
            bytes.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
            })
    }

    func bind(_ index: Int32, _ number: Int64) throws(DatabaseError) {
        try check(sqlite3_bind_int64(handle, index, number))
    }

    /// The text in a column, counted from 0; nil for another type, or what is not UTF-8.
    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(handle, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func integer(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(handle, column)
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw DatabaseError(connection) }
    }

    /// SQLite copies what is bound.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}

/// What SQLite answered.
struct DatabaseError: Error, Equatable {
    let code: Int32
    let message: String

    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    fileprivate init(_ connection: OpaquePointer) {
        code = sqlite3_errcode(connection) & 0xff
        message = String(cString: sqlite3_errmsg(connection))
    }

    /// In one line about `what`.
    func backupError(_ what: String) -> BackupError {
        switch code {
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_TOOBIG:
            .damaged("cannot \(what): Manifest.db is no whole SQLite database (\(message))")
        case SQLITE_FULL: .system(what, .noSpace)
        default: BackupError(.system, "cannot \(what): SQLite answers \"\(message)\"")
        }
    }
}
