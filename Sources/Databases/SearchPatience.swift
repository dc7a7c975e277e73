internal import CSQLite
internal import Posix

/// When a connection's work is ended: an app may have made its database so that SQLite takes hours.
final class SearchPatience {
    private let deadline: Deadline
    /// How often it may be asked yet while the schema is read; nil afterwards.
    private var schemaChecks: Int? = mostSchemaChecks
    private(set) var isSchemaTooLarge = false

    /// Between two checks, in steps of SQLite's machine.
    private static let stepsAtOnce: Int32 = 1000
    /// A row of the schema takes seven steps. The time that SQLite takes for each grows with their number:
    /// 10,000 are read in a second, and 100,000 in a minute. Apps have some hundred.
    private static let mostSchemaChecks = 100

    init(_ deadline: Deadline) { self.deadline = deadline }

    /// To be undone before this goes.
    func watch(_ connection: OpaquePointer) {
        // Unretained: the connection that calls it keeps it.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection, Self.stepsAtOnce,
            { context in
                guard let context else { return 1 }
                return Unmanaged<SearchPatience>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            }, context)
    }

    func schemaIsRead() { schemaChecks = nil }

    private func isOver() -> Bool {
        if let left = schemaChecks {
            schemaChecks = left - 1
            isSchemaTooLarge = left <= 0
        }
        return isSchemaTooLarge || deadline.hasPassed
    }
}
