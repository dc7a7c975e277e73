import GRDB

/// Marks a database as made by a version with one more migration.
func addMigration(_ name: String, to path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name]) }
}
