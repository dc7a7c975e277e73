internal import GRDB
internal import SandboxRules

/// The names that apps have in the Files app: given once, so that of two apps that are called the same each
/// keeps its number whatever is installed or removed beside it.
extension Catalogue {
    static func createFilesNames(_ database: Database) throws {
        try database.alter(table: AppRecord.databaseTableName) { $0.add(column: "filesName", .text) }
        let offered = try Row.fetchAll(
            database,
            sql: """
                SELECT bundleID, displayName FROM app WHERE opensInPlace OR documentBrowser
                ORDER BY bundleID
                """)
        for app in offered {
            let name = try freeName(for: app["displayName"], of: app["bundleID"], database)
            try database.execute(
                sql: "UPDATE app SET filesName = ? WHERE bundleID = ?", arguments: [name, app["bundleID"]])
        }
    }

    /// Writes an app's row. Its name in Files stays while the app is called the same, and goes when it offers
    /// its documents no more.
    static func put(_ record: AppRecord, _ database: Database) throws {
        let old = try AppRecord.fetchOne(database, key: record.bundleID)
        try noteFormer(old, replacedBy: record, database)
        var record = record
        record.filesName = old?.displayName == record.displayName ? old?.filesName : nil
        if !record.opensInPlace, !record.documentBrowser {
            record.filesName = nil
        } else if record.filesName == nil {
            record.filesName = try freeName(for: record.displayName, of: record.bundleID, database)
        }
        try record.upsert(database)
    }

    private static func freeName(
        for displayName: String, of bundleID: String, _ database: Database
    ) throws -> String {
        let taken = try String.fetchSet(
            database, sql: "SELECT filesName FROM app WHERE filesName IS NOT NULL AND bundleID <> ?",
            arguments: [bundleID])
        var names = FilesNames(taken: taken)
        return names.name(for: displayName)
    }
}
