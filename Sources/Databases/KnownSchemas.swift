package import GRDB

/// What a database of ours may have in it: exactly what its migrations make.
///
/// Whoever owns the folder can put a file there in which a table is a view that never ends, or a trigger does
/// what he likes. Nothing is read of one before its list of contents is known.
package final class KnownSchemas: Sendable {
    package enum Verdict: Sendable {
        case ours
        /// A later version of this program made it.
        case newer
        case foreign
    }

    private let migrator: DatabaseMigrator
    /// Kept open: closing one leaves a thread of the dispatch library behind that wakes every second.
    private let model: DatabaseQueue
    private let schemas: Set<[String]>
    /// Of the table that says which migrations there were.
    private let record: [String]
    private static let most = 1000

    package init(_ migrator: DatabaseMigrator) throws {
        self.migrator = migrator
        model = try DatabaseQueue()
        var schemas: Set<[String]> = []
        var record: [String] = []
        for name in migrator.migrations {
            try migrator.migrate(model, upTo: name)
            let schema = try model.read { try Self.schema($0) }
            schemas.insert(schema)
            record = schema.filter { $0.hasPrefix("table grdb_migrations ") }
        }
        // Whoever was killed before the first migration left that table alone, which comes by itself.
        schemas.insert(try model.read { try Self.schema($0, of: "grdb_migrations") })
        (self.schemas, self.record) = (schemas, record)
    }

    /// To be asked before anything else is read.
    package func judge(_ database: Database) throws -> Verdict {
        let found = try Self.schema(database)
        if found.isEmpty || schemas.contains(found) {
            return try !found.isEmpty && migrator.hasBeenSuperseded(database) ? .newer : .ours
        }
        guard Set(record).isSubset(of: found), try migrator.hasBeenSuperseded(database) else {
            return .foreign
        }
        return .newer
    }

    /// - Parameter table: nil: of all.
    private static func schema(_ database: Database, of table: String? = nil) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') AS entry
                FROM sqlite_master WHERE tbl_name = ifnull(?, tbl_name) ORDER BY entry LIMIT \(most)
                """, arguments: [table])
    }
}
