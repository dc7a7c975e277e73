internal import Foundation
internal import GRDB
internal import SandboxRules

/// An app that was taken off the device, and whose files may still be there: a row of the journal.
///
/// Written in the transaction that takes the app's own row away, and removed after the last file.
struct Removal: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "removal"

    let bundleID: String
    /// Nil for a placeholder.
    let bundleContainer: UUID?
    let dataContainer: UUID
    /// Containers of groups whose last owner it was; known with the commit.
    var orphans: [UUID] = []

    init(_ app: InstalledApp) {
        bundleID = app.bundleID.value
        bundleContainer = app.bundleContainer
        dataContainer = app.dataContainer
    }
}

/// The steps of a removal, in order. A process can end before the first, or after each: the device then has
/// the app whole, or nothing of it.
enum RemovalStep: CaseIterable, Sendable {
    /// The catalogue has the app no more.
    case committed
    /// What sync remembered of it is gone.
    case forgotten
    case bundleRemoved
    case dataRemoved
    /// What its last restore replaced is gone too.
    case replacedRemoved
    case groupsRemoved
    case ended
}

extension Catalogue {
    static func createRemovals(_ database: Database) throws {
        try database.create(table: Removal.databaseTableName) { table in
            table.primaryKey("bundleID", .text)
            table.column("bundleContainer", .text)
            table.column("dataContainer", .text).notNull()
        }
    }

    /// The step that takes the app away: its row, its switch of sync, groups that nobody else has, and the
    /// journal's entry change in one.
    ///
    /// - Returns: the journal's row.
    func commit(_ removal: Removal) throws -> Removal {
        var removal = removal
        return try write { database in
            let app = try AppRecord.fetchOne(database, key: removal.bundleID)
            let before = app?.groups ?? []
            try Self.noteFormer(app, replacedBy: nil, database)
            try AppRecord.deleteOne(database, key: removal.bundleID)
            try database.execute(
                sql: "DELETE FROM appWithoutCloud WHERE bundleID = ?", arguments: [removal.bundleID])
            removal.orphans = try Self.takeOrphans(among: before, database)
            try removal.insert(database)
            return removal
        }
    }
}
