internal import CSQLite

/// What SQLite answered.
package struct SQLiteError: Error, Equatable {
    package let code: Int32
    package let message: String

    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ connection: OpaquePointer) {
        code = sqlite3_errcode(connection) & 0xff
        message = String(cString: sqlite3_errmsg(connection))
    }

    /// What was opened is no whole database.
    package var isDamage: Bool { [SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_TOOBIG].contains(code) }
    package var isNoSpace: Bool { code == SQLITE_FULL }
}
