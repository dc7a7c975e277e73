internal import CSQLite
internal import SystemPackage

/// What became of a task with a database. The raw value is the helper's exit status.
public enum DatabaseOutcome: Int32, Sendable {
    case done = 0
    /// Its app has it locked, or in use: later.
    case busy = 10
    /// There is no such file, or it is no database that SQLite can read.
    case unreadable = 11
    /// No room for the copy.
    case full = 12
    /// Anything else, the helper's own end by a signal included.
    case failed = 13
}

extension DatabaseOutcome {
    init(_ error: any Error) {
        self =
            switch error {
            case let error as SQLiteError: Self(code: error.code)
            case Errno.noSpace, Errno.diskQuotaExceeded: .full
            default: .failed
            }
    }

    private init(code: Int32) {
        self =
            switch code {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_CANTOPEN: .unreadable
            case SQLITE_FULL: .full
            default: .failed
            }
    }
}
