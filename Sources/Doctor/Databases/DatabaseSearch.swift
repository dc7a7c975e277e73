internal import Databases
internal import Glibc
internal import Posix
internal import SystemPackage

/// Searches the values of a database's tables for containers, while its app may use it: in slices, each of a
/// snapshot. A slice that is not of one moment, because the app wrote meanwhile, is read again.
struct DatabaseSearch {
    private let site: DatabaseSite
    private let search: ContainerSearch
    private let deadline: Deadline
    /// How often slices are read again yet.
    private var retriesLeft: Int
    private var found: [DatabaseReport.Match] = []
    private var unread: [String] = []
    private var outcome = DatabaseReport.Outcome.examined
    /// What the last slice was read of, while it is the newest.
    private var reading: (snapshot: DatabaseSnapshot, connection: Connection)?
    /// The newest one that was looked at.
    private var newest: DatabaseSnapshot?
    /// Where the next slice begins.
    private var position = Position()
    private var transactionEnd = Deadline(seconds: transactionSeconds)
    /// How often in succession nothing could be read, though nothing changed.
    private var failures = 0

    private struct Position {
        var table = 0
        /// The last row that was read.
        var row: Int64?
        var isAtEnd = false
    }

    /// How long a slice takes: less after a change meanwhile.
    private var pace = Self.slowestSeconds

    private static let slowestSeconds = 0.25
    private static let fastestSeconds = 0.001
    static let mostRetries = 100
    private static let mostFailures = 3
    /// How long an app's transaction is waited for.
    private static let transactionSeconds = 3.0
    private static let pauseMicroseconds: UInt32 = 10_000
    private static let mostMatches = 64
    private static let mostUnread = 64

    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - deadline: when it ends, whatever it has found by then.
    ///   - retries: how often slices are read again that the app has written into.
    init(
        _ path: String, _ search: ContainerSearch, until deadline: Deadline, retries: Int = Self.mostRetries
    ) throws {
        site = try DatabaseSite(path)
        self.search = search
        self.deadline = deadline
        retriesLeft = retries
    }

    mutating func run() -> DatabaseReport {
        while !position.isAtEnd {
            if deadline.hasPassed { return report(.outOfTime) }
            if let end = step() { return report(end) }
        }
        return report(outcome)
    }

    /// Reads a slice, or waits a little.
    /// - Returns: what became of the search, where that ends it.
    private mutating func step() -> DatabaseReport.Outcome? {
        do throws(Errno) {
            let snapshot: DatabaseSnapshot
            if let reading {
                snapshot = reading.snapshot
            } else {
                snapshot = try DatabaseSnapshot(of: site, after: newest)
                newest = snapshot
            }
            if snapshot.hasJournal {
                guard !transactionEnd.hasPassed else { return .inTransaction }
                return pause()
            }
            let slice = Result { () throws(SQLiteError) in try self.slice(of: snapshot) }
            let now = try DatabaseSnapshot(of: site, after: snapshot)
            newest = now
            let (isSame, isWhole) = (snapshot.isSame(as: now), snapshot.isWhole(asOf: now))
            if !isSame { reading = nil }
            switch slice {
            case .success(let read) where isWhole:
                adopt(read)
                pace = min(pace * 2, Self.slowestSeconds)
                return nil
            case .failure(let error) where error.isInterrupt: return .outOfTime
            case .failure(let error) where error.isTooLarge: return .tooLarge
            case .failure where isSame: return fail()
            default: return retry(slice)
            }
        } catch {
            return fail()
        }
    }

    private func pause() -> DatabaseReport.Outcome? {
        usleep(Self.pauseMicroseconds)
        return nil
    }

    /// Damaged; or its file is just being replaced.
    private mutating func fail() -> DatabaseReport.Outcome? {
        reading = nil
        failures += 1
        return failures < Self.mostFailures ? pause() : .unreadable
    }

    private mutating func retry(_ slice: Result<TableSearch, SQLiteError>) -> DatabaseReport.Outcome? {
        reading = nil
        if retriesLeft > 0 {
            retriesLeft -= 1
            pace = max(pace / 4, Self.fastestSeconds)
            return pause()
        }
        // What cannot be read may be so because two states are mixed in it.
        guard let read = try? slice.get() else { return .changing }
        outcome = .changing
        adopt(read)
        return nil
    }

    private func report(_ outcome: DatabaseReport.Outcome) -> DatabaseReport {
        DatabaseReport(outcome, found, unread: unread)
    }

    private mutating func adopt(_ slice: TableSearch) {
        failures = 0
        transactionEnd = Deadline(seconds: Self.transactionSeconds)
        position = Position(table: slice.table, row: slice.row, isAtEnd: slice.isAtEnd)
        if slice.hasOmitted, outcome == .examined { outcome = .tooLarge }
        unread += slice.unread.prefix(Self.mostUnread - unread.count)
        for match in slice.matches {
            let index = found.firstIndex {
                ($0.table, $0.column, $0.container) == (match.table, match.column, match.container)
            }
            if let index {
                found[index].count += match.count
            } else if found.count < Self.mostMatches {
                found.append(match)
            }
        }
    }

    /// Reads on from where the last slice ended.
    private mutating func slice(of snapshot: DatabaseSnapshot) throws(SQLiteError) -> TableSearch {
        let connection: Connection
        if let reading {
            connection = reading.connection
        } else {
            connection = try Connection(lookingAt: snapshot, until: deadline)
            reading = (snapshot, connection)
        }
        var tables = TableSearch(
            table: position.table, row: position.row, search, until: Deadline(seconds: pace))
        try tables.run(on: connection)
        return tables
    }
}
