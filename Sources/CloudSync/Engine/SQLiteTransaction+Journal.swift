internal import CloudStore
internal import Foundation
internal import GRDB

/// The journal in SQLite. Numbers that the log holds fit in SQLite's (see `LogLimits`).
extension SQLiteTransaction: JournalStorage {
    static func registerJournal(in migrator: inout DatabaseMigrator) {
        migrator.registerMigration("journal 1") { database in
            for statement in journalSchema { try database.execute(sql: statement) }
        }
    }

    private static let journalSchema = [
        """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1), device BLOB NOT NULL, nextBatch INTEGER NOT NULL,
            headModified INTEGER, storeTime INTEGER, floor INTEGER NOT NULL,
            newestOwn INTEGER NOT NULL, areDeletesConfirmed INTEGER NOT NULL, isPaused INTEGER NOT NULL)
        """,
        """
        CREATE TABLE journalBatch (
            id INTEGER PRIMARY KEY CHECK (id = 1), device BLOB NOT NULL, n INTEGER NOT NULL,
            operations BLOB NOT NULL)
        """,
        "CREATE TABLE journalUpload (chunk BLOB PRIMARY KEY, locator BLOB NOT NULL) WITHOUT ROWID",
        """
        CREATE TABLE journalApp (
            identifier TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE TABLE journalDevice (device BLOB PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID",
    ]

    func journal() throws -> Journal? {
        try first(
            """
            SELECT device, nextBatch, headModified, storeTime, floor, newestOwn, areDeletesConfirmed,
                isPaused FROM journal
            """, []
        ) { row in
            Journal(
                device: DeviceID(bits: try row.file(0).bits), nextBatch: UInt64(clamping: row[1] as Int64),
                headModified: (row[2] as Int64?).map(StoreTime.init(seconds:)),
                storeTime: (row[3] as Int64?).map(StoreTime.init(seconds:)),
                floor: UInt64(clamping: row[4] as Int64), newestOwn: UInt64(clamping: row[5] as Int64),
                areDeletesConfirmed: row[6], isPaused: row[7])
        }
    }

    func setJournal(_ journal: Journal) throws {
        try execute(
            """
            INSERT OR REPLACE INTO journal
                (id, device, nextBatch, headModified, storeTime, floor, newestOwn, areDeletesConfirmed,
                isPaused)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                journal.device.blob, Int64(clamping: journal.nextBatch), journal.headModified?.seconds,
                journal.storeTime?.seconds, Int64(clamping: journal.floor),
                Int64(clamping: journal.newestOwn), journal.areDeletesConfirmed, journal.isPaused,
            ])
    }

    func frozenBatch() throws -> EncodedBatch? {
        try first("SELECT device, n, operations FROM journalBatch", []) { row in
            EncodedBatch(
                Batch(
                    device: DeviceID(bits: try row.file(0).bits), n: UInt64(clamping: row[1] as Int64),
                    operations: try EncodedBatch.decodeOperations(row.bytes(2))))
        }
    }

    func setFrozenBatch(_ batch: EncodedBatch?) throws {
        guard let batch else { return try execute("DELETE FROM journalBatch", []) }
        try execute(
            "INSERT OR REPLACE INTO journalBatch (id, device, n, operations) VALUES (1, ?, ?, ?)",
            [batch.batch.device.blob, Int64(clamping: batch.batch.n), Data(batch.operations)])
    }

    func pendingUploads() throws -> [PendingUpload] {
        try all("SELECT chunk, locator FROM journalUpload ORDER BY chunk", []) { row in
            var reader = CBORReader(try row.bytes(1))
            return PendingUpload(chunk: try row.hash(0), locator: try Locator(from: &reader))
        }
    }

    func setPendingUpload(_ upload: PendingUpload) throws {
        var writer = CBORWriter(capacity: 32)
        upload.locator.encode(to: &writer)
        try execute(
            "INSERT OR REPLACE INTO journalUpload (chunk, locator) VALUES (?, ?)",
            [upload.chunk.blob, Data(writer.bytes)])
    }

    func removePendingUpload(_ chunk: ContentHash) throws {
        try execute("DELETE FROM journalUpload WHERE chunk = ?", [chunk.blob])
    }

    func accountApps() throws -> [SyncedApp] {
        try all("SELECT record FROM journalApp ORDER BY identifier", []) { row in
            var reader = CBORReader(try row.bytes(0))
            guard case .app(let app) = try AccountOperation.decode(&reader) else {
                throw TreeError.damaged("a row that is no app")
            }
            return app
        }
    }

    func setAccountApp(_ app: SyncedApp) throws {
        var writer = CBORWriter(capacity: 128)
        AccountOperation.app(app).encode(to: &writer)
        try execute(
            "INSERT OR REPLACE INTO journalApp (identifier, record) VALUES (?, ?)",
            [app.identifier, Data(writer.bytes)])
    }

    func accountDevices() throws -> [AccountDevice] {
        try all("SELECT device, name FROM journalDevice ORDER BY device", []) { row in
            AccountDevice(device: DeviceID(bits: try row.file(0).bits), name: row[1])
        }
    }

    func setAccountDevice(_ device: AccountDevice) throws {
        try execute(
            "INSERT OR REPLACE INTO journalDevice (device, name) VALUES (?, ?)",
            [device.device.blob, device.name])
    }

    func removeAccountDevice(_ device: DeviceID) throws {
        try execute("DELETE FROM journalDevice WHERE device = ?", [device.blob])
    }
}

extension Row {
    /// - Throws: `TreeError.damaged` where the blob is not a hash.
    fileprivate func hash(_ index: Int) throws -> ContentHash {
        let bytes = try bytes(index)
        guard bytes.count == 32 else { throw TreeError.damaged("a hash of \(bytes.count) bytes") }
        return ContentHash(
            high: bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) },
            low: bytes.suffix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}
