internal import CSQLite

/// What SQLite answered.
package struct SQLiteError: Error, Equatable {
    package let code: Int32
    package let message: String

    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// - Parameter code: what the call answered, extended or not.
    init(code: Int32, on connection: OpaquePointer) {
        self.init(code: code & 0xff, String(cString: sqlite3_errmsg(connection)))
    }

    /// What was opened is no whole database.
    package var isDamage: Bool { [SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_TOOBIG].contains(code) }
    package var isTooLong: Bool { code == SQLITE_TOOBIG }
    /// It takes more memory than SQLite may have here.
    package var isTooLarge: Bool { code == SQLITE_NOMEM }
    /// A connection's time was over.
    package var isInterrupt: Bool { code == SQLITE_INTERRUPT }
    package var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code) }
    /// The database is whole and something else is missing: mostly what its app alone has, as a collation.
    package var isUnknown: Bool { code == SQLITE_ERROR }
    package var isNoSpace: Bool { code == SQLITE_FULL }
}
