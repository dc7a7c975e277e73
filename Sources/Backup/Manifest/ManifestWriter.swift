internal import Databases

/// Makes a new Manifest.db, in the form of iOS 10.2 and later.
struct ManifestWriter {
    private let database: Connection
    private let insertion: Statement

    private static let schema = """
        CREATE TABLE Files (
          fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB);
        CREATE INDEX FilesDomainIdx ON Files(domain);
        CREATE INDEX FilesRelativePathIdx ON Files(relativePath);
        CREATE INDEX FilesFlagsIdx ON Files(flags);
        CREATE TABLE Properties (key TEXT PRIMARY KEY, value BLOB);
        """

    init(_ directory: Int32, _ name: String) throws {
        database = try Connection(directory, name, .new)
        // The indices before the rows: items come in the order of a walk, nearly sorted, and to make an index
        // of a million rows at the end takes memory for all of them.
        try database.run(Self.schema)
        try database.run("BEGIN")
        insertion = try database.prepare("INSERT OR IGNORE INTO Files VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    /// Adds an item; one that is there already stays as it is.
    func add(
        _ identifier: FileIdentifier, domain: String, path: String, kind: RowKind, archived: [UInt8]
    ) throws {
        defer { insertion.reset() }
        try insertion.bind(1, identifier.description)
        try insertion.bind(2, domain)
        try insertion.bind(3, path)
        try insertion.bind(4, kind.rawValue)
        try insertion.bind(5, archived)
        _ = try insertion.step()
    }

    func finish() throws { try database.run("COMMIT") }
}
