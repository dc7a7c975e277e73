internal import Glibc
internal import Posix
internal import SystemPackage

/// What the helper process does: the program calls it before anything else, where its first argument says so.
public enum DatabaseTool {
    /// The first argument that makes a program this one:
    /// `PROGRAM database-helper copy|checkpoint PATH [UID GID]`.
    public static let argument = "database-helper"
    /// The descriptor that a copy is written to.
    static let targetNumber: Int32 = 3
    /// A mount that does not answer must not keep the helper for ever.
    private static let limitSeconds: UInt32 = 300

    enum Task: String {
        case copy
        /// Has SQLite checkpoint and remove the write-ahead log, and roll a journal back: what the app's own
        /// next open and close would do.
        case checkpoint
    }

    /// - Parameter arguments: those after the first.
    /// - Returns: the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        guard [2, 4].contains(arguments.count), let task = Task(rawValue: arguments[0]),
            becomeUser(arguments.dropFirst(2)), DescriptorVFS.refuseFIFOs()
        else { return DatabaseOutcome.failed.rawValue }
        alarm(limitSeconds)
        do {
            let site = try DatabaseSite(arguments[1])
            switch task {
            case .copy: try DatabaseCopy.make(of: site, to: targetNumber)
            case .checkpoint: try checkpoint(site)
            }
            return DatabaseOutcome.done.rawValue
        } catch {
            return DatabaseOutcome(error).rawValue
        }
    }

    /// Before anything of a user's is opened.
    /// - Parameter numbers: user and group to become; with none the process keeps its own.
    private static func becomeUser(_ numbers: ArraySlice<String>) -> Bool {
        guard let first = numbers.first, let last = numbers.last else { return true }
        guard let user = UInt32(first), let group = UInt32(last) else { return false }
        do throws(Errno) {
            try UserRights(userID: user, groupID: group).becomeProcess()
            return true
        } catch {
            return false
        }
    }

    private static func checkpoint(_ site: DatabaseSite) throws(SQLiteError) {
        let connection = try Connection(inUse: site, keepsLog: false)
        // With a shared lock first: this is where a journal is rolled back.
        try connection.run("SELECT count(*) FROM sqlite_schema")
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
