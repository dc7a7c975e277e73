internal import Databases
internal import Glibc
internal import Posix
internal import SystemPackage

/// Searches the values of a database's tables for containers, while its app may use it: in slices, each on a
/// connection of its own. Where no lock keeps what is read together (see `Connection`), a slice during which
/// the database changed is read again.
struct DatabaseSearch {
    private let site: DatabaseSite
    /// Closed only with the process.
    private let file: Int32
    private let search: ContainerSearch
    private var found: [DatabaseReport.Match] = []
    private var outcome = DatabaseReport.Outcome.examined
    /// Where the next slice begins.
    private var position = Position()

    private struct Position {
        var table = 0
        /// The last row that was read.
        var row: Int64?
        var isAtEnd = false
    }

    /// How long a slice takes where nothing keeps what it reads together: less after a change meanwhile.
    private var pace = Self.slowestSeconds

    private static let slowestSeconds = 0.25
    private static let fastestSeconds = 0.001
    /// With a log, which cannot begin anew meanwhile.
    private static let loggedSeconds = 0.05
    private static let mostRetries = 8
    /// From when on nothing is read again.
    private static let retrySeconds = 40.0
    /// How long an app's transaction is waited for.
    private static let transactionSeconds = 3.0
    private static let pauseMicroseconds: UInt32 = 20_000
    private static let mostMatches = 64

    /// - Parameter path: absolute, without links.
    init(_ path: String, _ search: ContainerSearch) throws {
        site = try DatabaseSite(path)
        file = try site.open()
        self.search = search
    }

    mutating func run() -> DatabaseReport {
        // Of what changed meanwhile, and of what could not be looked at: neither takes the other's.
        var (retries, failures) = (0, 0)
        let patience = Deadline(seconds: Self.retrySeconds)
        var transactionEnd = Deadline(seconds: Self.transactionSeconds)
        while !position.isAtEnd {
            do {
                let before = try DatabaseState(site, file)
                if before.hasJournal {
                    guard !transactionEnd.hasPassed else { return report(.inTransaction) }
                    usleep(Self.pauseMicroseconds)
                    continue
                }
                let isLogged = before.isInLogMode && before.hasLog
                if isLogged, !before.hasIndex { return report(.logWithoutIndex) }
                let slice = Result { () throws(SQLiteError) in try self.slice(isLogged: isLogged) }
                if try isLogged || DatabaseState(site, file) == before {
                    adopt(try slice.get())
                    pace = min(pace * 2, Self.slowestSeconds)
                } else if retries < Self.mostRetries, !patience.hasPassed {
                    pace = max(pace / 4, Self.fastestSeconds)
                    retries += 1
                    usleep(Self.pauseMicroseconds)
                    continue
                } else {
                    // What is damaged may be so because two states are mixed in it.
                    outcome = .changing
                    guard let read = try? slice.get() else { return report(.changing) }
                    adopt(read)
                }
                (retries, failures) = (0, 0)
                transactionEnd = Deadline(seconds: Self.transactionSeconds)
            } catch let error as SQLiteError where error.isBusy && !transactionEnd.hasPassed {
                usleep(Self.pauseMicroseconds)
            } catch let error as SQLiteError {
                return report(error.isBusy ? .inTransaction : .unreadable)
            } catch {
                guard failures < Self.mostRetries else { return report(.unreadable) }
                failures += 1
                usleep(Self.pauseMicroseconds)
            }
        }
        return report(outcome)
    }

    private func report(_ outcome: DatabaseReport.Outcome) -> DatabaseReport {
        DatabaseReport(outcome, found)
    }

    private mutating func adopt(_ slice: TableSearch) {
        position = Position(table: slice.table, row: slice.row, isAtEnd: slice.isAtEnd)
        if slice.hasOmitted, outcome == .examined { outcome = .tooLarge }
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

    /// Reads on from where the last slice ended. Its connection is closed when this returns.
    private func slice(isLogged: Bool) throws(SQLiteError) -> TableSearch {
        let connection = try Connection(lookingAt: site, isLogged: isLogged)
        var tables = TableSearch(
            table: position.table, row: position.row, search,
            until: Deadline(seconds: isLogged ? Self.loggedSeconds : pace))
        try tables.run(on: connection)
        return tables
    }
}
