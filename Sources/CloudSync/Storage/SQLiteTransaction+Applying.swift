internal import Foundation
internal import GRDB
internal import SyncLog

/// What sync is about to do, or may have to take back. All these tables are small.
extension SQLiteTransaction: SyncedStorage {
    // MARK: What this device took out of the cloud
    static let departureSchema = [
        "CREATE TABLE syncedDeparture (file BLOB PRIMARY KEY, revisions BLOB) WITHOUT ROWID",
        "CREATE INDEX syncedToName ON syncedDeparture (file) WHERE revisions IS NOT NULL",
    ]

    func departure(_ file: FileID) throws -> [Revision]? {
        try first("SELECT revisions FROM syncedDeparture WHERE file = ?", [file.blob], Self.revisions)
    }

    func setDeparture(_ file: FileID, naming revisions: [Revision]) throws {
        var writer = CBORWriter(capacity: 64)
        writer.revisions(revisions)
        try execute(
            "INSERT OR REPLACE INTO syncedDeparture (file, revisions) VALUES (?, ?)",
            [file.blob, revisions.isEmpty ? nil : Data(writer.bytes)])
    }

    func departuresToName() throws -> [(file: FileID, revisions: [Revision])] {
        try all(
            "SELECT revisions, file FROM syncedDeparture WHERE revisions IS NOT NULL ORDER BY file", []
        ) { row in (file: try row.file(1), revisions: try Self.revisions(row)) }
    }

    private static func revisions(_ row: Row) throws -> [Revision] {
        let bytes = try row.bytes(0)
        var reader = CBORReader(bytes)
        return bytes.isEmpty ? [] : try reader.revisions()
    }

    // MARK: Applying
    func intentions() throws -> [Intention] {
        try all("SELECT kind, record FROM syncedIntention ORDER BY file", []) { row in
            guard let kind = Intention.Kind(rawValue: UInt8(clamping: row[0] as Int)) else {
                throw TreeError.damaged("an intention of an unknown kind")
            }
            return Intention(kind: kind, after: try SyncedItem(record: row.bytes(1)))
        }
    }

    func setIntention(_ intention: Intention) throws {
        try execute(
            "INSERT OR REPLACE INTO syncedIntention (file, kind, record) VALUES (?, ?, ?)",
            [intention.after.file.blob, Int(intention.kind.rawValue), Data(intention.after.record)])
    }

    func removeIntention(_ file: FileID) throws {
        try execute("DELETE FROM syncedIntention WHERE file = ?", [file.blob])
    }

    func displaced(_ name: String) throws -> DisplacedItem? {
        try first("SELECT record FROM syncedDisplaced WHERE name = ?", [name]) {
            try DisplacedItem(record: $0.bytes(0))
        }
    }

    func allDisplaced() throws -> [DisplacedItem] {
        try all("SELECT record FROM syncedDisplaced ORDER BY name", []) {
            try DisplacedItem(record: $0.bytes(0))
        }
    }

    func setDisplaced(_ item: DisplacedItem) throws {
        try execute(
            "INSERT OR REPLACE INTO syncedDisplaced (name, record) VALUES (?, ?)",
            [item.name, Data(item.record)])
    }

    func removeDisplaced(_ name: String) throws {
        try execute("DELETE FROM syncedDisplaced WHERE name = ?", [name])
    }

    func replaceRevisions(_ replacements: [Revision: Revision]) throws {
        var last: FileID?
        while true {
            let page = try all(
                "SELECT record FROM synced WHERE file > ? ORDER BY file LIMIT 1000",
                [last?.blob ?? Data()]
            ) { try SyncedItem(record: $0.bytes(0)) }
            guard let end = page.last else { break }
            for item in page {
                if let changed = item.replacing(replacements) { try setSynced(changed) }
            }
            last = end.file
        }
        try replaceRevisionsOfSteps(replacements)
    }

    private func replaceRevisionsOfSteps(_ replacements: [Revision: Revision]) throws {
        for intention in try intentions() {
            guard let changed = intention.after.replacing(replacements) else { continue }
            try setIntention(Intention(kind: intention.kind, after: changed))
        }
        for var item in try allDisplaced() {
            guard let base = replacements[item.base] else { continue }
            item.base = base
            try setDisplaced(item)
        }
    }
}
