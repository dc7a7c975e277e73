/// What became of a search in a database; goes from the helper process to who started it.
public struct DatabaseReport: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable {
        /// All of it was read.
        case examined
        /// It was changed each time it was read: something may have been missed.
        case changing
        /// Its app is in the middle of a transaction, or was when it ended.
        case inTransaction
        /// It has a log and nothing that says which of it counts.
        case logWithoutIndex
        /// Not a database that SQLite can read.
        case unreadable
        /// Some of its values are too long to be read.
        case tooLarge
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

    public init(_ outcome: Outcome, _ matches: [Match] = []) {
        self.outcome = outcome
        self.matches = matches
    }
}

extension DatabaseReport.Outcome {
    /// Why not all of it was looked at, as a sentence's part.
    var reason: String? {
        switch self {
        case .examined: nil
        case .changing: "its app changed it each time it was read"
        case .inTransaction: "its app is in the middle of a transaction, or crashed in one"
        case .logWithoutIndex: "it has a log that no app has open; what is in the log is not known"
        case .unreadable: "damaged, or no database that SQLite can read"
        case .tooLarge: "it has values too long to be read here"
        case .failed: "reading it took too long, or the process that did so ended"
        }
    }
}

/// Searches databases of a home.
public protocol DatabaseExaminer {
    /// - Parameter path: as findings have it.
    func search(_ path: String) -> DatabaseReport
}
