import Foundation
import GRDB

@testable import CloudSync
@testable import SyncLog

/// Marks a database as made by a version with one more migration.
func addMigration(_ name: String, to path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name]) }
}

/// What a process leaves that is killed as it makes a database, before its first migration.
func beginMigrations(in path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write {
        try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }
}

/// Takes back what the migrations from "journal 3" on made.
private let afterJournal3 = """
    DROP TABLE journalAbandoned; DROP TABLE journalFollowing; DROP TABLE noteList; DROP TABLE notePlace;
    DROP TABLE noteDoomed; DROP TABLE noteCollection; DROP TABLE journalTime;
    DROP TABLE treeProgress; DROP TABLE fetchedPage; DROP TABLE journalUsage; DROP TABLE treeKeyValue;
    DROP TABLE journalKeyValue; DROP TABLE journalKeyValueClock; DROP TABLE journalAccount;
    DROP TABLE journalDropped;
    DELETE FROM grdb_migrations
    WHERE identifier IN
        ('journal 3', 'journal 4', 'notes 1', 'time 1', 'tree 2', 'fetched 1', 'journal 5', 'tree 3',
         'journal 6', 'account 1', 'journal 7')
    """

/// Makes of a database what the version before the migration "journal 3" left, with an upload that it noted.
func takeBackJournal3(in path: String, with upload: PendingUpload) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write {
        try $0.execute(sql: afterJournal3)
        try $0.execute(
            sql: "INSERT INTO journalUpload VALUES (?, ?)",
            arguments: [Data(upload.chunk.bytes), Data(upload.locator.encoding)])
    }
}

/// Makes of a database what the version before the migration "synced 3" left: one more table.
func takeBackSynced3(in path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write {
        try $0.execute(
            sql: "CREATE TABLE syncedBefore (file BLOB PRIMARY KEY, record BLOB) WITHOUT ROWID")
        // With what has come since.
        try $0.execute(sql: "DROP TABLE journalRemoval")
        try $0.execute(sql: afterJournal3)
        try $0.execute(
            sql: "DELETE FROM grdb_migrations WHERE identifier IN ('synced 3', 'journal 2')")
    }
}
