/// What became of a search in a database; goes from the helper process to who started it.
public struct DatabaseReport: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable {
        /// All of it was read.
        case examined
        /// It was changed each time it was read: something may have been missed.
        case changing
        /// Its app is in the middle of a transaction, or was when it ended.
        case inTransaction
        /// Not a database that SQLite can read.
        case unreadable
        /// Some of its values are too long to be read, or it has too many tables.
        case tooLarge
        /// Its time was over, or that of all databases of the run.
        case outOfTime
        /// The helper process did not get to its end.
        case failed
    }

    public struct Match: Codable, Equatable, Sendable {
        public var table: String
        public var column: String
        /// Of the first one; nil in a table without row numbers.
        public var row: Int64?
        /// How many values.
        public var count: Int
        public var container: String
    }

    public var outcome: Outcome
    public var matches: [Match]
    /// Tables that only their app can read: a bounded number.
    public var unread: [String]

    public init(_ outcome: Outcome, _ matches: [Match] = [], unread: [String] = []) {
        self.outcome = outcome
        self.matches = matches
        self.unread = unread
    }

    /// Why not all of it was looked at, each a sentence's part.
    var reasons: [String] {
        let tables = unread.map { table in
            "table \(table.quoted) was not read: it needs what its app alone has, as a collation of its own"
        }
        return tables + (outcome.reason.map { [$0] } ?? [])
    }
}

extension DatabaseReport.Outcome {
    fileprivate var reason: String? {
        switch self {
        case .examined: nil
        case .changing: "its app changed it each time it was read"
        case .inTransaction: "its app is in the middle of a transaction, or crashed in one"
        case .unreadable: "damaged, or no database that SQLite can read"
        case .tooLarge: "it has values too long, or too many tables, to be read here"
        case .outOfTime: "the time for it was over: its own, or that for all databases together"
        case .failed: "reading it took too long, or the process that did so ended"
        }
    }
}

/// Searches databases of a home.
public protocol DatabaseExaminer {
    /// - Parameter path: as findings have it.
    func search(_ path: String) -> DatabaseReport
}
