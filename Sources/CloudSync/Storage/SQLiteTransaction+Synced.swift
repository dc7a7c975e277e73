internal import Foundation
internal import GRDB
internal import SyncLog

/// The synced tree in SQLite: a row's record is all of it, the other columns are what is searched for.
extension SQLiteTransaction {
    static let syncedSchema = [
        """
        CREATE TABLE synced (
            file BLOB NOT NULL UNIQUE, parent BLOB NOT NULL, name TEXT NOT NULL, inode INTEGER NOT NULL,
            isDataless INTEGER NOT NULL, record BLOB NOT NULL)
        """,
        "CREATE INDEX syncedName ON synced (parent, name)",
        "CREATE INDEX syncedInode ON synced (inode)",
        "CREATE INDEX syncedDataless ON synced (file) WHERE isDataless = 1",
        "CREATE TABLE syncedPending (file BLOB PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE syncedBefore (file BLOB PRIMARY KEY, record BLOB) WITHOUT ROWID",
        """
        CREATE TABLE syncedIntention (
            file BLOB PRIMARY KEY, kind INTEGER NOT NULL, record BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE TABLE syncedDisplaced (name TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
    ]

    private static func item(_ row: Row) throws -> SyncedItem { try SyncedItem(record: row.bytes(0)) }

    // MARK: Items
    func synced(_ file: FileID) throws -> SyncedItem? {
        try first("SELECT record FROM synced WHERE file = ?", [file.blob], Self.item)
    }

    func synced(in parent: FileID, named name: String) throws -> SyncedItem? {
        try first(
            "SELECT record FROM synced WHERE parent = ? AND name = ?",
            [parent.blob, NormalizedName(name).text], Self.item)
    }

    func synced(inode fingerprint: Fingerprint, ignoringBirth: Bool) throws -> [SyncedItem] {
        // A birth time is compared afterwards: few items share a number.
        try all(
            "SELECT record FROM synced WHERE inode = ? ORDER BY file",
            [Int64(bitPattern: fingerprint.inode)], Self.item
        ).filter {
            ignoringBirth
                ? $0.fingerprint.device == fingerprint.device : $0.fingerprint.isSameInode(as: fingerprint)
        }
    }

    func syncedChildren(of parent: FileID) throws -> [SyncedItem] {
        try all("SELECT record FROM synced WHERE parent = ?", [parent.blob], Self.item)
    }

    func syncedChildren(of parent: FileID, after item: SyncedItem?, limit: Int) throws -> [SyncedItem] {
        guard let item else {
            return try all(
                "SELECT record FROM synced WHERE parent = ? ORDER BY name, file LIMIT ?",
                [parent.blob, limit], Self.item)
        }
        return try all(
            """
            SELECT record FROM synced WHERE parent = ? AND (name, file) > (?, ?) ORDER BY name, file LIMIT ?
            """, [parent.blob, NormalizedName(item.name).text, item.file.blob, limit], Self.item)
    }

    func syncedNames(of parent: FileID) throws -> SyncedNames {
        var names = SyncedNames()
        try forEach("SELECT name, inode FROM synced WHERE parent = ?", [parent.blob]) { row in
            names.add(NormalizedName(row[0] as String), of: UInt64(bitPattern: row[1] as Int64))
        }
        return names
    }

    func setSynced(_ item: SyncedItem) throws {
        try execute(
            """
            INSERT INTO synced (file, parent, name, inode, isDataless, record) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (file) DO UPDATE SET parent = excluded.parent, name = excluded.name,
                inode = excluded.inode, isDataless = excluded.isDataless, record = excluded.record
            """,
            [
                item.file.blob, item.parent.blob, NormalizedName(item.name).text,
                Int64(bitPattern: item.fingerprint.inode), item.isDataless, Data(item.record),
            ])
    }

    func removeSynced(_ file: FileID) throws {
        try execute("DELETE FROM synced WHERE file = ?", [file.blob])
    }

    func syncedCount() throws -> Int { try count("SELECT COUNT(*) FROM synced") }

    func datalessCount() throws -> Int { try count("SELECT COUNT(*) FROM synced WHERE isDataless = 1") }

    private func count(_ sql: String) throws -> Int {
        try first(sql, []) { $0[0] as Int } ?? 0
    }

    // MARK: What the cloud changed
    func addPending(_ files: [FileID]) throws {
        for file in files { try execute("INSERT OR IGNORE INTO syncedPending VALUES (?)", [file.blob]) }
    }

    func removePending(_ file: FileID) throws {
        try execute("DELETE FROM syncedPending WHERE file = ?", [file.blob])
    }

    func pending(after file: FileID?, limit: Int) throws -> [FileID] {
        try all(
            "SELECT file FROM syncedPending WHERE file > ? ORDER BY file LIMIT ?",
            // Every id comes after the empty blob.
            [file?.blob ?? Data(), limit]
        ) { try $0.file(0) }
    }

    func pendingCount() throws -> Int { try count("SELECT COUNT(*) FROM syncedPending") }
}
