internal import Foundation
internal import GRDB
internal import SyncLog

/// Keys and values in SQLite.
extension SQLiteTransaction {
    static let keyValueSchema = [
        """
        CREATE TABLE treeKeyValue (
            name BLOB PRIMARY KEY, removedAt INTEGER, removedCount INTEGER, record BLOB NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE INDEX treeRemovedKey ON treeKeyValue (removedAt, removedCount, name) WHERE removedAt NOT NULL
        """,
    ]

    private static func keyValue(_ row: Row) throws -> KeyValueRecord {
        guard case .keyValue(let record) = try SnapshotRecord(row.bytes(0)) else {
            throw TreeError.damaged("a row that is no key")
        }
        return record
    }

    func keyValue(_ key: KeyName) throws -> KeyValueRecord? {
        try first("SELECT record FROM treeKeyValue WHERE name = ?", [key.blob], Self.keyValue)
    }

    func setKeyValue(_ record: KeyValueRecord) throws {
        let bytes = SnapshotRecord.keyValue(record).encoded()
        try replaceRecord(keyValueBytes(record.key), by: bytes)
        let removed = record.value == nil ? record.stamp : nil
        try execute(
            """
            INSERT OR REPLACE INTO treeKeyValue (name, removedAt, removedCount, record) VALUES (?, ?, ?, ?)
            """, [record.key.blob, removed?.milliseconds, removed?.count, Data(bytes)])
    }

    func removeKeyValue(_ key: KeyName) throws {
        try replaceRecord(keyValueBytes(key), by: nil)
        try execute("DELETE FROM treeKeyValue WHERE name = ?", [key.blob])
    }

    private func keyValueBytes(_ key: KeyName) throws -> [UInt8]? {
        try first("SELECT record FROM treeKeyValue WHERE name = ?", [key.blob]) { try $0.bytes(0) }
    }

    func keyValues(after key: KeyName?, limit: Int) throws -> [KeyValueRecord] {
        guard let key else {
            return try all("SELECT record FROM treeKeyValue ORDER BY name LIMIT ?", [limit], Self.keyValue)
        }
        return try all(
            "SELECT record FROM treeKeyValue WHERE name > ? ORDER BY name LIMIT ?", [key.blob, limit],
            Self.keyValue)
    }

    func firstRemovedKey(before stamp: KeyValueStamp) throws -> KeyName? {
        try first(
            """
            SELECT record FROM treeKeyValue
            WHERE removedAt NOT NULL AND (removedAt, removedCount) < (?, ?)
            ORDER BY removedAt, removedCount, name LIMIT 1
            """, [stamp.milliseconds, stamp.count], Self.keyValue)?.key
    }
}

extension KeyName {
    fileprivate var blob: Data { Data(text.utf8) }
}
