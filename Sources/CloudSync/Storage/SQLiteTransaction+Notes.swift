internal import GRDB
internal import StoreBasics
internal import SyncLog

/// What the collector is told, in SQLite.
extension SQLiteTransaction {
    static let notesSchema = [
        "CREATE TABLE noteList (sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL, locator BLOB NOT NULL)",
        "CREATE TABLE notePlace (id INTEGER PRIMARY KEY CHECK (id = 1), readFrom INTEGER NOT NULL)",
        "CREATE TABLE noteDoomed (pack BLOB PRIMARY KEY, ending INTEGER NOT NULL) WITHOUT ROWID",
        """
        CREATE TABLE noteCollection (
            id INTEGER PRIMARY KEY CHECK (id = 1), ended INTEGER NOT NULL, objects INTEGER NOT NULL,
            bytes INTEGER NOT NULL)
        """,
    ]

    func entriesReadFrom() throws -> UInt64? {
        try first("SELECT readFrom FROM notePlace", []) { UInt64(clamping: $0[0] as Int64) }
    }

    func setEntriesReadFrom(_ sequence: UInt64) throws {
        try execute(
            "INSERT OR REPLACE INTO notePlace (id, readFrom) VALUES (1, ?)", [Int64(clamping: sequence)])
    }

    func operationLists(after sequence: UInt64, limit: Int) throws -> [OperationList] {
        try all(
            "SELECT sequence, hash, locator FROM noteList WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [Int64(clamping: sequence), limit]
        ) { row in
            var reader = CBORReader(try row.bytes(2))
            return OperationList(
                sequence: UInt64(clamping: row[0] as Int64), hash: try row.hash(1),
                locator: try Locator(from: &reader))
        }
    }

    func addOperationList(_ list: OperationList) throws {
        try execute(
            "INSERT OR REPLACE INTO noteList (sequence, hash, locator) VALUES (?, ?, ?)",
            [Int64(clamping: list.sequence), list.hash.blob, list.locator.blob])
    }

    func removeOperationLists(before sequence: UInt64) throws {
        try execute("DELETE FROM noteList WHERE sequence < ?", [Int64(clamping: sequence)])
    }

    func doomedPacks() throws -> [DoomedPack] {
        try all("SELECT pack, ending FROM noteDoomed ORDER BY pack", []) { row in
            DoomedPack(pack: Bits128(try row.file(0).bits), end: StoreTime(seconds: row[1]))
        }
    }

    func addDoomedPack(_ doomed: DoomedPack) throws {
        try execute(
            """
            INSERT INTO noteDoomed (pack, ending) VALUES (?, ?)
                ON CONFLICT (pack) DO UPDATE SET ending = max(ending, excluded.ending)
            """,
            [FileID(bits: doomed.pack.value).blob, doomed.end.seconds])
    }

    func removeDoomedPack(_ pack: Bits128, endedBy time: StoreTime) throws {
        try execute(
            "DELETE FROM noteDoomed WHERE pack = ? AND ending <= ?",
            [FileID(bits: pack.value).blob, time.seconds])
    }

    func lastCollection() throws -> CollectionRun? {
        try first("SELECT ended, objects, bytes FROM noteCollection", []) { row in
            CollectionRun(
                ended: StoreTime(seconds: row[0]), deletedObjects: UInt64(clamping: row[1] as Int64),
                deletedBytes: UInt64(clamping: row[2] as Int64))
        }
    }

    func setLastCollection(_ run: CollectionRun) throws {
        try execute(
            "INSERT OR REPLACE INTO noteCollection (id, ended, objects, bytes) VALUES (1, ?, ?, ?)",
            [run.ended.seconds, Int64(clamping: run.deletedObjects), Int64(clamping: run.deletedBytes)])
    }
}
