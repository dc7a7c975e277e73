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
