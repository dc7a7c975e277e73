internal import Databases

/// The list of all items of a backup: Manifest.db, read row by row.
struct ManifestReader {
    private let database: Connection

    /// A row, as far as it can be trusted: the identifier is that of domain and path.
    struct Row {
        let identifier: FileIdentifier
        let domain: String
        let path: String
        let kind: RowKind
        let record: FileRecord
        /// The record's bytes as they stand there.
        let archived: [UInt8]
    }

    private static let columns = "fileID, domain, relativePath, flags, file"
    private static let domainLimitBytes = 1024
    private static let kinds: [RowKind] = [.file, .directory, .symlink]

    /// - Parameter cacheBytes: so much of it is kept in memory at most.
    /// - Throws: `notABackup` where the database holds no list of files.
    init(_ bytes: any DatabaseBytes, cacheBytes: Int) throws {
        database = try Connection(reading: bytes, cacheBytes: cacheBytes)
        let schema = try database.prepare("SELECT type, sql FROM sqlite_schema WHERE name = 'Files'")
        // A view or a virtual table would run what its maker wrote.
        guard try schema.step(), schema.text(0) == "table",
            schema.text(1)?.uppercased().hasPrefix("CREATE TABLE") == true
        else { throw BackupError(.notABackup, "Manifest.db has no table of files: this is no backup") }
    }

    /// Calls `body` with each row, in no order.
    /// - Parameters:
    ///   - kind: only its rows, and those that only their record tells the kind of.
    ///   - refused: told of each row that is not as it should be; one ends it where this is nil.
    func forEachRow(
        of selection: RowSelection, maybe kind: RowKind? = nil,
        refused: ((RefusedRow) throws -> Void)? = nil, _ body: (Row) throws -> Void
    ) throws {
        var condition = selection.condition
        if let kind {
            let others = Self.kinds.filter { $0 != kind }.map { "\($0.rawValue)" }.joined(separator: ",")
            condition += " AND flags NOT IN (\(others))"
        }
        let statement = try database.prepare("SELECT \(Self.columns) FROM Files WHERE \(condition)")
        try selection.bind(to: statement)
        while try statement.step() {
            let row: Row
            do throws(RefusedRow) { row = try Self.row(statement) } catch {
                guard let refused else { throw error.asError }
                try refused(error)
                continue
            }
            try body(row)
        }
    }

    /// The names of all domains, sorted. With an index of them each costs one look into it.
    /// - Parameter refused: told where rows have none.
    /// - Throws: `damaged` where there are more than any device has.
    func domains(refused: (RefusedRow) throws -> Void = { _ in }) throws -> [String] {
        let (domains, isWhole) = try eachDomainByIndex() ?? allDomains()
        if !isWhole { try refused(RefusedRow("a row of the list", "has no domain that can be read")) }
        guard domains.count <= Self.domainLimit else {
            throw BackupError.damaged("there are too many domains")
        }
        return domains
    }

    private static let domainLimit = 100_000

    /// Whether looking for that value of that column is not a look at every row.
    private func isQuick(_ query: String) throws -> Bool {
        let plan = try database.prepare("EXPLAIN QUERY PLAN \(query)")
        return try plan.step() && plan.text(3)?.hasPrefix("SEARCH") == true
    }

    /// Whether a domain's rows, and an item's, are found without a look at all others.
    func indices() throws -> (ofDomains: Bool, ofIdentifiers: Bool) {
        let query = "SELECT 1 FROM Files WHERE "
        return (
            try isQuick(query + RowSelection.domain("").condition), try isQuick(query + "fileID = ?1")
        )
    }

    /// - Returns: nil where there is no such index, or it has what is no text.
    private func eachDomainByIndex() throws -> (domains: [String], isWhole: Bool)? {
        let query = """
            SELECT domain FROM Files WHERE domain COLLATE BINARY > ?1 ORDER BY domain COLLATE BINARY LIMIT 1
            """
        guard try isQuick(query) else { return nil }
        let next = try database.prepare(query)
        var domains: [String] = []
        while domains.count <= Self.domainLimit {
            try next.bind(1, domains.last ?? "")
            guard try next.step() else { break }
            guard let domain = next.text(0), Self.isDomain(domain) else { return nil }
            domains.append(domain)
            next.reset()
        }
        // What is no text comes first in the order of an index.
        let isWhole = try ["domain <= ''", "domain IS NULL"].allSatisfy {
            try !database.prepare("SELECT 1 FROM Files WHERE \($0) LIMIT 1").step()
        }
        return (domains, isWhole)
    }

    private func allDomains() throws -> (domains: [String], isWhole: Bool) {
        let statement = try database.prepare(
            "SELECT DISTINCT domain COLLATE BINARY FROM Files ORDER BY domain COLLATE BINARY")
        var domains: [String] = []
        var isWhole = true
        while domains.count <= Self.domainLimit, try statement.step() {
            if let domain = statement.text(0), Self.isDomain(domain) {
                domains.append(domain)
            } else {
                isWhole = false
            }
        }
        return (domains, isWhole)
    }

    private static func isDomain(_ text: String) -> Bool {
        (1...domainLimitBytes).contains(text.utf8.count)
    }

    /// The identifiers of all rows, as far as they are some.
    func identifiers() throws -> Set<FileIdentifier> {
        let statement = try database.prepare("SELECT fileID FROM Files")
        var found: Set<FileIdentifier> = []
        while try statement.step() {
            if let identifier = statement.text(0).flatMap(FileIdentifier.init) { found.insert(identifier) }
        }
        return found
    }

    /// Finds rows by identifier, many times.
    func lookup() throws -> Lookup {
        Lookup(try database.prepare("SELECT \(Self.columns) FROM Files WHERE fileID = ?1"))
    }

    struct Lookup {
        private let statement: Statement

        fileprivate init(_ statement: Statement) { self.statement = statement }

        func hasRow(_ identifier: FileIdentifier) throws -> Bool {
            defer { statement.reset() }
            try statement.bind(1, identifier.description)
            return try statement.step()
        }

        func row(_ identifier: FileIdentifier) throws -> Row? {
            defer { statement.reset() }
            try statement.bind(1, identifier.description)
            guard try statement.step() else { return nil }
            do throws(RefusedRow) { return try ManifestReader.row(statement) } catch { throw error.asError }
        }
    }

    private static func row(_ statement: Statement) throws(RefusedRow) -> Row {
        guard let text = statement.text(0), let identifier = FileIdentifier(text) else {
            throw RefusedRow("an item", "has no identifier of 40 hexadecimal digits")
        }
        guard let domain = statement.text(1), isDomain(domain), let path = statement.text(2),
            FileIdentifier(domain: domain, path: path) == identifier
        else { throw RefusedRow("item \(identifier)", "is not the one that its path says") }
        guard let archived = statement.bytes(4) else {
            throw RefusedRow("\(domain)/\(path)", "has no record")
        }
        let record: FileRecord
        do throws(BinaryPlistError) { record = try FileRecord(archived: archived) } catch {
            throw RefusedRow("\(domain)/\(path)", "has a record that is \(error.reason)")
        }
        guard let kind = kind(statement.integer(3), record) else {
            throw RefusedRow("\(domain)/\(path)", "is no file, directory or link")
        }
        return Row(
            identifier: identifier, domain: domain, path: path, kind: kind, record: record, archived: archived
        )
    }

    /// The kind that `flags` and the record's mode agree on; some tools leave `flags` at other values, then
    /// the mode alone tells.
    private static func kind(_ flags: Int64?, _ record: FileRecord) -> RowKind? {
        let byMode: RowKind? =
            switch record.mode & 0o170000 {
            case 0o100000: .file
            case 0o040000: .directory
            case 0o120000: .symlink
            default: nil
            }
        guard let flags, let byFlags = RowKind(rawValue: flags) else { return byMode }
        return byFlags == byMode ? byFlags : nil
    }
}

/// Which rows of a backup's list are read.
package enum RowSelection: Equatable, Sendable {
    case all
    case domain(String)
    /// Those whose identifier begins with these digits.
    case identifiers(String)

    fileprivate var condition: String {
        switch self {
        case .all: "TRUE"
        case .domain: "domain COLLATE BINARY = ?1"
        // 'g' comes after all digits.
        case .identifiers: "fileID >= ?1 AND fileID < ?1 || 'g'"
        }
    }

    fileprivate func bind(to statement: Statement) throws {
        switch self {
        case .all: break
        case .domain(let text), .identifiers(let text): try statement.bind(1, text)
        }
    }
}

/// A row, or a domain, that is not as it should be, and is not believed.
public struct RefusedRow: Error, Equatable, Sendable {
    /// Its domain and path, as far as it can be named. From outside: to be escaped before it is shown.
    public let name: String
    /// Completes a sentence that begins with the name.
    public let reason: String

    package init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }

    /// One line.
    public var text: String { reason.isEmpty ? name : "\(name) \(reason)" }

    var asError: BackupError { .damaged(text) }
}
