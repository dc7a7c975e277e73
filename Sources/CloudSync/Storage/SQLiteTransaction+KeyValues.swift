internal import Foundation
internal import GRDB
internal import SyncLog

/// Keys and values in SQLite.
extension SQLiteTransaction {
    static let keyValueSchema = [
        """
        CREATE TABLE treeKeyValue (
            name BLOB PRIMARY KEY, removedAt INTEGER, removedCount INTEGER, record BLOB NOT NULL)
            WITHOUT ROWID
        """,
        """
        CREATE INDEX treeRemovedKey ON treeKeyValue (removedAt, removedCount, name) WHERE removedAt NOT NULL
        """,
    ]

    static let keyValueJournalSchema = [
        """
        CREATE TABLE journalKeyValue (
            name BLOB PRIMARY KEY, value BLOB, milliseconds INTEGER NOT NULL, count INTEGER NOT NULL,
            isHeld INTEGER NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE journalKeyValueClock (
            id INTEGER PRIMARY KEY CHECK (id = 1), milliseconds INTEGER NOT NULL, count INTEGER NOT NULL,
            ahead INTEGER)
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

extension SQLiteTransaction: KeyValueJournal {
    private static func pending(_ row: Row) throws -> PendingKeyValue {
        let value: Data? = row[1]
        return PendingKeyValue(
            key: KeyName(String(decoding: try row.bytes(0), as: UTF8.self)), value: value.map(Array.init),
            stamp: KeyValueStamp(milliseconds: row[2], count: row[3]), isHeld: row[4])
    }

    func pendingKeyValues() throws -> [PendingKeyValue] {
        try all(
            "SELECT name, value, milliseconds, count, isHeld FROM journalKeyValue ORDER BY name", [],
            Self.pending)
    }

    func pendingKeyValue(_ key: KeyName) throws -> PendingKeyValue? {
        try first(
            "SELECT name, value, milliseconds, count, isHeld FROM journalKeyValue WHERE name = ?",
            [key.blob], Self.pending)
    }

    func setPendingKeyValue(_ pending: PendingKeyValue) throws {
        try execute(
            """
            INSERT OR REPLACE INTO journalKeyValue (name, value, milliseconds, count, isHeld)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                pending.key.blob, pending.value.map { Data($0) }, pending.stamp.milliseconds,
                pending.stamp.count, pending.isHeld,
            ])
    }

    func removePendingKeyValue(_ key: KeyName) throws {
        try execute("DELETE FROM journalKeyValue WHERE name = ?", [key.blob])
    }

    func keyValueClock() throws -> KeyValueClock {
        try first("SELECT milliseconds, count, ahead FROM journalKeyValueClock", []) { row in
            var clock = KeyValueClock()
            clock.latest = KeyValueStamp(milliseconds: row[0], count: row[1])
            clock.offset = row[2]
            return clock
        } ?? KeyValueClock()
    }

    func setKeyValueClock(_ clock: KeyValueClock) throws {
        try execute(
            """
            INSERT OR REPLACE INTO journalKeyValueClock (id, milliseconds, count, ahead) VALUES (1, ?, ?, ?)
            """, [clock.latest.milliseconds, clock.latest.count, clock.offset])
    }
}

extension KeyName {
    fileprivate var blob: Data { Data(text.utf8) }
}
