internal import CSQLite

/// A connection to a database that is in use by its app: it waits a little for locks, and its end leaves the
/// write-ahead log as it is.
struct Connection: ~Copyable {
    private let handle: OpaquePointer

    private static let busyMilliseconds: Int32 = 2000

    /// - Parameter keepsLog: false lets the last connection check the log in and remove it, as an app's does.
    init(_ path: String, keepsLog: Bool) throws(DatabaseFailure) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw DatabaseFailure(.failed) }
        // Before anything throws: a value that does not come to be closes nothing.
        let failure = code == SQLITE_OK && keepsLog ? csqlite_keep_log(opened) : code
        if failure != SQLITE_OK {
            sqlite3_close(opened)
            throw DatabaseFailure(code: failure)
        }
        sqlite3_busy_timeout(opened, Self.busyMilliseconds)
        handle = opened
    }

    deinit { sqlite3_close(handle) }

    /// Runs statements.
    /// - Returns: the text in the first column of the first row, where there is one.
    @discardableResult
    func run(_ statement: String) throws(DatabaseFailure) -> String? {
        var prepared: OpaquePointer?
        var code = sqlite3_prepare_v2(handle, statement, -1, &prepared, nil)
        defer { sqlite3_finalize(prepared) }
        guard code == SQLITE_OK else { throw DatabaseFailure(code: code) }
        var first: String?
        while true {
            code = sqlite3_step(prepared)
            guard code == SQLITE_ROW else { break }
            if first == nil, let text = sqlite3_column_text(prepared, 0) { first = String(cString: text) }
        }
        guard code == SQLITE_DONE else { throw DatabaseFailure(code: code) }
        return first
    }
}

/// Why a task with a database did not succeed.
struct DatabaseFailure: Error {
    let outcome: DatabaseOutcome

    init(_ outcome: DatabaseOutcome) { self.outcome = outcome }

    /// From a result code of SQLite, extended or not.
    init(code: Int32) {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: outcome = .busy
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_CANTOPEN: outcome = .unreadable
        case SQLITE_FULL: outcome = .full
        default: outcome = .failed
        }
    }
}
