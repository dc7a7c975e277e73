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

    /// - Throws: `notABackup` where the database holds no list of files.
    init(_ directory: Int32, _ name: String) throws {
        database = try Connection(directory, name, .immutable)
        let schema = try database.prepare("SELECT type, sql FROM sqlite_schema WHERE name = 'Files'")
        // A view or a virtual table would run what its maker wrote.
        guard try schema.step(), schema.text(0) == "table",
            schema.text(1)?.uppercased().hasPrefix("CREATE TABLE") == true
        else { throw BackupError(.notABackup, "Manifest.db has no table of files: this is no backup") }
    }

    /// Calls `body` with each row, in no order.
    /// - Parameters:
    ///   - domain: only its rows.
    ///   - kind: only its rows, and those that only their record tells the kind of.
    func forEachRow(
        in domain: String? = nil, maybe kind: RowKind? = nil, _ body: (Row) throws -> Void
    ) throws {
        var condition = domain == nil ? "" : " WHERE domain = ?1"
        let others = Self.kinds.filter { $0 != kind }.map { "\($0.rawValue)" }.joined(separator: ",")
        if domain != nil, kind != nil { condition += " AND flags NOT IN (\(others))" }
        let statement = try database.prepare("SELECT \(Self.columns) FROM Files\(condition)")
        if let domain { try statement.bind(1, domain) }
        while try statement.step() { try body(try Self.row(statement)) }
    }

    /// The names of all domains, sorted.
    func domains() throws -> [String] {
        let statement = try database.prepare("SELECT DISTINCT domain FROM Files ORDER BY domain")
        var domains: [String] = []
        while try statement.step() {
            guard let domain = statement.text(0), domain.utf8.count <= Self.domainLimitBytes else {
                throw BackupError.damaged("a domain has no name")
            }
            domains.append(domain)
            guard domains.count <= 100_000 else { throw BackupError.damaged("there are too many domains") }
        }
        return domains
    }

    /// Finds rows by identifier, many times.
    func lookup() throws -> Lookup {
        Lookup(try database.prepare("SELECT \(Self.columns) FROM Files WHERE fileID = ?1"))
    }

    struct Lookup {
        private let statement: Statement

        fileprivate init(_ statement: Statement) { self.statement = statement }

        func row(_ identifier: FileIdentifier) throws -> Row? {
            defer { statement.reset() }
            try statement.bind(1, identifier.description)
            return try statement.step() ? try ManifestReader.row(statement) : nil
        }
    }

    private static func row(_ statement: Statement) throws -> Row {
        guard let text = statement.text(0), let identifier = FileIdentifier(text) else {
            throw BackupError.damaged("an item's identifier is not of 40 hexadecimal digits")
        }
        guard let domain = statement.text(1), !domain.isEmpty, domain.utf8.count <= domainLimitBytes,
            let path = statement.text(2), FileIdentifier(domain: domain, path: path) == identifier
        else { throw BackupError.damaged("item \(identifier) is not the one that its path says") }
        guard let archived = statement.bytes(4) else {
            throw BackupError.damaged("\(domain)/\(path) has no record")
        }
        let record: FileRecord
        do throws(BinaryPlistError) { record = try FileRecord(archived: archived) } catch {
            throw BackupError.damaged("the record of \(domain)/\(path) is \(error.reason)")
        }
        guard let kind = try kind(statement.integer(3), record) else {
            throw BackupError.damaged("\(domain)/\(path) is no file, directory or link")
        }
        return Row(
            identifier: identifier, domain: domain, path: path, kind: kind, record: record, archived: archived
        )
    }

    /// The kind that `flags` and the record's mode agree on; some tools leave `flags` at other values, then
    /// the mode alone tells.
    private static func kind(_ flags: Int64?, _ record: FileRecord) throws -> RowKind? {
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
