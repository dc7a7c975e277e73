internal import CLinux
internal import Databases
internal import Posix
internal import SystemPackage
internal import Wire

/// What is remembered of findings, on the disk. One that is damaged, or not as this version makes it, is
/// thrown away: it is worth no refusal. Used under the lock of `FindingMemory`.
final class FindingFile {
    static let name = "findings.sqlite"
    private static let companions = ["-wal", "-shm", "-journal"]
    private static let version: Int64 = 1
    private static let table = """
        CREATE TABLE finding (id INTEGER PRIMARY KEY, app TEXT NOT NULL, code TEXT NOT NULL, \
        path TEXT NOT NULL, program TEXT NOT NULL, detail TEXT NOT NULL, count INTEGER NOT NULL, \
        first INTEGER NOT NULL, last INTEGER NOT NULL, UNIQUE (app, code, path, program))
        """
    private static let index = "CREATE INDEX findingByLast ON finding (last)"
    private static let counters = """
        CREATE TABLE counters (forgotten INTEGER NOT NULL, unexamined INTEGER NOT NULL)
        """

    private let database: Connection
    /// The database is reached through it.
    private let folder: SharedDescriptor

    /// The columns are never null: "" stands for nothing.
    private static let columns = "app, code, path, program, detail, count, first, last"

    /// Opens the file, or makes it.
    /// - Throws: `SQLiteError`, `Errno`.
    init(in folder: SharedDescriptor) throws {
        self.folder = folder
        if let database = try Self.open(folder) {
            self.database = database
        } else {
            try Self.remove(in: folder)
            guard let database = try Self.open(folder) else { throw Errno.fileExists }
            self.database = database
        }
    }

    static func exists(in folder: SharedDescriptor) throws(Errno) -> Bool {
        try FileTree.exists(folder.raw, name)
    }

    static func remove(in folder: SharedDescriptor) throws(Errno) {
        for suffix in [""] + companions {
            if try ItemStamp.ifPresent(folder.raw, name + suffix) != nil {
                try TreeRemoval.remove(folder.raw, name + suffix)
            }
        }
    }

    /// - Returns: nil where another file is there.
    private static func open(_ folder: SharedDescriptor) throws -> Connection? {
        // SQLite opens by name: only a plain file of nobody else may have it.
        let owner = try ItemStamp(of: folder.raw).uid
        for suffix in [""] + companions {
            guard let stamp = try ItemStamp.ifPresent(folder.raw, name + suffix) else { continue }
            guard stamp.isRegular, stamp.links == 1, stamp.uid == owner else { return nil }
        }
        if try !exists(in: folder) { try FileTree.create(folder.raw, name, [], mode: 0o600) }
        do throws(SQLiteError) {
            let database = try Connection(folder.raw, name, .kept)
            return try isOurs(database) ? database : nil
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Whether the database has exactly what belongs into it, which is made in an empty one. Whoever owns the
    /// folder can put one there in which a table is a view that never ends.
    private static func isOurs(_ database: Connection) throws(SQLiteError) -> Bool {
        let list = try database.prepare(
            "SELECT type || ' ' || tbl_name || ' ' || ifnull(sql, '') AS item FROM sqlite_master "
                + "ORDER BY item LIMIT 10")
        var found: [String] = []
        while try list.step() { found.append(list.text(0) ?? "") }
        let number = try database.prepare("PRAGMA user_version")
        let version = try number.step() ? number.integer(0) : nil
        if found.isEmpty, version == 0 {
            try database.run(
                """
                BEGIN IMMEDIATE; \(table); \(index); \(counters); INSERT INTO counters VALUES (0, 0);
                PRAGMA user_version = \(Self.version); COMMIT
                """)
            return true
        }
        let ours = ["index finding ", "index finding " + index, "table counters " + counters]
        return version == Self.version && found == ours + ["table finding " + table]
    }

    // MARK: - Writing

    /// Adds what has happened since, all of it or nothing.
    /// - Parameter most: so many are kept; those that were seen least recently go.
    func add(
        _ findings: some Collection<RememberedFinding>, _ more: FindingCounters, keeping most: Int
    ) throws(SQLiteError) {
        try transaction { () throws(SQLiteError) in
            let insert = try database.prepare(
                """
                INSERT INTO finding (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                ON CONFLICT (app, code, path, program) DO UPDATE SET detail = excluded.detail,
                count = count + excluded.count, last = max(last, excluded.last)
                """)
            for finding in findings {
                try Self.bind(finding, to: insert)
                try insert.bind(5, finding.detail ?? "")
                try insert.bind(6, Int64(clamping: finding.count))
                try insert.bind(7, Self.microseconds(finding.first))
                try insert.bind(8, Self.microseconds(finding.last))
                _ = try insert.step()
                insert.reset()
            }
            let excess = try integer("SELECT count(*) FROM finding") - Int64(most)
            if excess > 0 {
                try database.run(
                    """
                    DELETE FROM finding WHERE id IN
                    (SELECT id FROM finding ORDER BY last, id LIMIT \(excess))
                    """)
            }
            let forgotten = more.forgotten + UInt64(max(excess, 0))
            try database.run(
                """
                UPDATE counters SET forgotten = forgotten + \(forgotten),
                unexamined = unexamined + \(more.unexamined)
                """)
        }
    }

    func remove(of apps: some Collection<String>) throws(SQLiteError) {
        try transaction { () throws(SQLiteError) in
            let removal = try database.prepare("DELETE FROM finding WHERE app = ?1")
            for app in apps {
                try removal.bind(1, app)
                _ = try removal.step()
                removal.reset()
            }
        }
    }

    private func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try database.run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try body()
            try database.run("COMMIT")
        } catch {
            // Some errors have done that already.
            try? database.run("ROLLBACK")
            throw error
        }
    }

    private static func bind(_ finding: RememberedFinding, to statement: Statement) throws(SQLiteError) {
        try statement.bind(1, finding.app)
        try statement.bind(2, finding.code)
        try statement.bind(3, finding.path ?? "")
        try statement.bind(4, finding.program ?? "")
    }

    private static func microseconds(_ time: Timestamp) -> Int64 { Int64((time.seconds * 1e6).rounded()) }

    private func integer(_ query: String) throws(SQLiteError) -> Int64 {
        let statement = try database.prepare(query)
        return try statement.step() ? statement.integer(0) ?? 0 : 0
    }

    // MARK: - Reading

    /// The findings behind `id`, in the order of their ids.
    /// - Parameters:
    ///   - apps: nil: all.
    ///   - limit: asked before each one.
    /// - Returns: them, and the id of the last where there are more.
    func page(
        of apps: [String]?, after id: Int64, while isRoom: (RememberedFinding) -> Bool
    ) throws(SQLiteError) -> (findings: [RememberedFinding], next: Int64?) {
        let query = try prepare("SELECT \(Self.columns), id FROM finding WHERE id > ?", id, of: apps)
        var (findings, last): ([RememberedFinding], Int64) = ([], id)
        while try query.step() {
            let finding = Self.finding(query)
            guard isRoom(finding) else { return (findings, last) }
            findings.append(finding)
            last = query.integer(8) ?? last
        }
        return (findings, nil)
    }

    /// - Parameter apps: as for `page`.
    func count(of apps: [String]?) throws(SQLiteError) -> Int {
        let query = try prepare("SELECT count(*) FROM finding WHERE id > ?", 0, of: apps)
        return try query.step() ? Int(clamping: query.integer(0) ?? 0) : 0
    }

    /// A query of rows behind `id`, and in their order, for the apps alone.
    private func prepare(
        _ query: String, _ id: Int64, of apps: [String]?
    ) throws(SQLiteError) -> Statement {
        let places = apps.map { "AND app IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        let statement = try database.prepare("\(query) \(places) ORDER BY id")
        try statement.bind(1, id)
        for (index, app) in (apps ?? []).enumerated() { try statement.bind(Int32(index) + 2, app) }
        return statement
    }

    private static func finding(_ row: Statement) -> RememberedFinding {
        let text = { (column: Int32) in row.text(column).flatMap { $0.isEmpty ? nil : $0 } }
        let time = { (column: Int32) in Timestamp(seconds: Double(row.integer(column) ?? 0) / 1e6) }
        return RememberedFinding(
            app: text(0) ?? "", code: text(1) ?? "", path: text(2), program: text(3), detail: text(4),
            count: UInt64(clamping: row.integer(5) ?? 0), first: time(6), last: time(7))
    }

    func contains(_ finding: RememberedFinding) throws(SQLiteError) -> Bool {
        let query = try database.prepare(
            "SELECT 1 FROM finding WHERE app = ?1 AND code = ?2 AND path = ?3 AND program = ?4")
        try Self.bind(finding, to: query)
        return try query.step()
    }

    func counters() throws(SQLiteError) -> FindingCounters {
        FindingCounters(
            forgotten: UInt64(clamping: try integer("SELECT forgotten FROM counters")),
            unexamined: UInt64(clamping: try integer("SELECT unexamined FROM counters")))
    }

    /// The identifiers of all that has findings.
    func apps() throws(SQLiteError) -> Set<String> {
        let query = try database.prepare("SELECT DISTINCT app FROM finding")
        var apps: Set<String> = []
        while try query.step() { apps.insert(query.text(0) ?? "") }
        return apps
    }
}

/// What is not remembered.
struct FindingCounters: Equatable {
    /// Findings that made room for others.
    var forgotten: UInt64 = 0
    /// Events that came too fast to be looked at.
    var unexamined: UInt64 = 0
}
