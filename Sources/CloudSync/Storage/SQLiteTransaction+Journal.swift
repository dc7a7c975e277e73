internal import CloudStore
internal import Foundation
internal import GRDB
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// The journal in SQLite. Numbers that the log holds fit in SQLite's (see `LogLimits`).
extension SQLiteTransaction: JournalStorage {
    static let journalSchema = [
        """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1), device BLOB NOT NULL, nextBatch INTEGER NOT NULL,
            headModified INTEGER, storeTime INTEGER, floor INTEGER NOT NULL,
            entriesSinceSnapshot INTEGER NOT NULL, bytesSinceSnapshot INTEGER NOT NULL,
            newestOwn INTEGER NOT NULL, areDeletesConfirmed INTEGER NOT NULL, isPaused INTEGER NOT NULL)
        """,
        """
        CREATE TABLE journalBatch (
            id INTEGER PRIMARY KEY CHECK (id = 1), device BLOB NOT NULL, n INTEGER NOT NULL,
            operations BLOB NOT NULL)
        """,
        "CREATE TABLE journalUpload (chunk BLOB PRIMARY KEY, locator BLOB NOT NULL) WITHOUT ROWID",
        "CREATE TABLE journalUnproven (file BLOB PRIMARY KEY) WITHOUT ROWID",
        """
        CREATE TABLE journalApp (
            identifier TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE TABLE journalDevice (device BLOB PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID",
    ]

    static let removalSchema = ["CREATE TABLE journalRemoval (file BLOB PRIMARY KEY) WITHOUT ROWID"]

    static let droppedSchema = [
        """
        CREATE TABLE journalDropped (
            file BLOB NOT NULL, device BLOB NOT NULL, n INTEGER NOT NULL, position INTEGER NOT NULL,
            PRIMARY KEY (file, device, n, position)) WITHOUT ROWID
        """
    ]

    static let followingSchema = [
        "CREATE TABLE journalFollowing (n INTEGER PRIMARY KEY, operations BLOB NOT NULL)"
    ]

    static let timeSchema = [
        """
        CREATE TABLE journalTime (
            id INTEGER PRIMARY KEY CHECK (id = 1), reached INTEGER NOT NULL, credit INTEGER NOT NULL,
            clock INTEGER NOT NULL, date INTEGER NOT NULL)
        """
    ]

    static let usageSchema = [
        "CREATE TABLE journalUsage (container BLOB PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID"
    ]

    static let accountSchema = [
        "CREATE TABLE journalAccount (id INTEGER PRIMARY KEY CHECK (id = 1), identity BLOB NOT NULL)"
    ]

    static let abandonedSchema = [
        """
        CREATE TABLE journalAbandoned (
            chunk BLOB NOT NULL, locator BLOB NOT NULL, since INTEGER NOT NULL, isOwn INTEGER NOT NULL,
            PRIMARY KEY (chunk, locator)) WITHOUT ROWID
        """,
        // An earlier version went on with these after it had found that it was a copy: the other one may take
        // them back.
        """
        INSERT INTO journalAbandoned
            SELECT chunk, locator, COALESCE((SELECT storeTime FROM journal), 4102444800), 0 FROM journalUpload
        """,
        "DELETE FROM journalUpload",
    ]

    func journal() throws -> Journal? {
        try first(
            """
            SELECT device, nextBatch, headModified, storeTime, floor, entriesSinceSnapshot,
                bytesSinceSnapshot, newestOwn, areDeletesConfirmed, isPaused FROM journal
            """, []
        ) { row in
            var journal = Journal(device: DeviceID(bits: try row.file(0).bits))
            journal.nextBatch = row.number(1)
            journal.headModified = (row[2] as Int64?).map(StoreTime.init(seconds:))
            journal.storeTime = (row[3] as Int64?).map(StoreTime.init(seconds:))
            journal.floor = row.number(4)
            journal.entriesSinceSnapshot = row.number(5)
            journal.bytesSinceSnapshot = row.number(6)
            journal.newestOwn = row.number(7)
            journal.areDeletesConfirmed = row[8]
            journal.isPaused = row[9]
            return journal
        }
    }

    func setJournal(_ journal: Journal) throws {
        try execute(
            """
            INSERT OR REPLACE INTO journal
                (id, device, nextBatch, headModified, storeTime, floor, entriesSinceSnapshot,
                bytesSinceSnapshot, newestOwn, areDeletesConfirmed, isPaused)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                journal.device.blob, Int64(clamping: journal.nextBatch), journal.headModified?.seconds,
                journal.storeTime?.seconds, Int64(clamping: journal.floor),
                Int64(clamping: journal.entriesSinceSnapshot), Int64(clamping: journal.bytesSinceSnapshot),
                Int64(clamping: journal.newestOwn), journal.areDeletesConfirmed, journal.isPaused,
            ])
    }

    func frozenBatch() throws -> EncodedBatch? {
        try first("SELECT device, n, operations FROM journalBatch", []) { try $0.batch() }
    }

    func setFrozenBatch(_ batch: EncodedBatch?) throws {
        guard let batch else { return try execute("DELETE FROM journalBatch", []) }
        try execute(
            "INSERT OR REPLACE INTO journalBatch (id, device, n, operations) VALUES (1, ?, ?, ?)",
            [batch.batch.device.blob, Int64(clamping: batch.batch.n), Data(batch.operations)])
    }

    private static let following =
        "SELECT device, n, journalFollowing.operations FROM journalFollowing, journal ORDER BY n"

    func followingBatch() throws -> EncodedBatch? {
        try first(Self.following + " LIMIT 1", []) { try $0.batch() }
    }

    func followingBatches() throws -> [EncodedBatch] {
        try all(Self.following, []) { try $0.batch() }
    }

    func addFollowingBatch(_ batch: EncodedBatch) throws {
        try execute(
            "INSERT OR REPLACE INTO journalFollowing (n, operations) VALUES (?, ?)",
            [Int64(clamping: batch.batch.n), Data(batch.operations)])
    }

    func removeFollowingBatch(_ n: UInt64) throws {
        try execute("DELETE FROM journalFollowing WHERE n = ?", [Int64(clamping: n)])
    }

    func pendingUploads() throws -> [PendingUpload] {
        try all("SELECT chunk, locator FROM journalUpload ORDER BY chunk", []) { try $0.upload() }
    }

    func setPendingUpload(_ upload: PendingUpload) throws {
        try execute(
            "INSERT OR REPLACE INTO journalUpload (chunk, locator) VALUES (?, ?)",
            [upload.chunk.blob, upload.locator.blob])
    }

    func removePendingUpload(_ chunk: ContentHash) throws {
        try execute("DELETE FROM journalUpload WHERE chunk = ?", [chunk.blob])
    }

    func abandonedUploads() throws -> [AbandonedUpload] {
        try all("SELECT chunk, locator, since, isOwn FROM journalAbandoned ORDER BY chunk, locator", []) {
            row in
            AbandonedUpload(upload: try row.upload(), since: StoreTime(seconds: row[2]), isOwn: row[3])
        }
    }

    func hasAbandonedUploads() throws -> Bool {
        try first("SELECT 1 FROM journalAbandoned LIMIT 1", []) { _ in true } ?? false
    }

    func isAbandoned(_ upload: PendingUpload) throws -> Bool {
        try first(
            "SELECT 1 FROM journalAbandoned WHERE chunk = ? AND locator = ?",
            [upload.chunk.blob, upload.locator.blob]
        ) { _ in true } ?? false
    }

    func setAbandonedUpload(_ abandoned: AbandonedUpload) throws {
        try execute(
            "INSERT OR REPLACE INTO journalAbandoned (chunk, locator, since, isOwn) VALUES (?, ?, ?, ?)",
            [
                abandoned.upload.chunk.blob, abandoned.upload.locator.blob, abandoned.since.seconds,
                abandoned.isOwn,
            ])
    }

    func removeAbandonedUpload(_ upload: PendingUpload) throws {
        try execute(
            "DELETE FROM journalAbandoned WHERE chunk = ? AND locator = ?",
            [upload.chunk.blob, upload.locator.blob])
    }

    func unprovenFiles() throws -> [FileID] {
        try all("SELECT file FROM journalUnproven ORDER BY file", []) { try $0.file(0) }
    }

    func addUnprovenFile(_ file: FileID) throws {
        try execute("INSERT OR IGNORE INTO journalUnproven (file) VALUES (?)", [file.blob])
    }

    func clearUnprovenFiles() throws { try execute("DELETE FROM journalUnproven", []) }

    func knownRemovals() throws -> [FileID] {
        try all("SELECT file FROM journalRemoval ORDER BY file", []) { try $0.file(0) }
    }

    func addKnownRemoval(_ file: FileID) throws {
        try execute("INSERT OR IGNORE INTO journalRemoval (file) VALUES (?)", [file.blob])
    }

    func clearKnownRemovals() throws { try execute("DELETE FROM journalRemoval", []) }

    func droppedVersions() throws -> [DroppedVersion] {
        try all(
            "SELECT file, device, n, position FROM journalDropped ORDER BY file, device, n, position", []
        ) { row in
            let revision = Revision(
                device: DeviceID(bits: try row.file(1).bits), n: row.number(2),
                index: UInt32(clamping: row[3] as Int64))
            return DroppedVersion(file: try row.file(0), revision: revision)
        }
    }

    func addDroppedVersion(_ dropped: DroppedVersion) throws {
        try execute(
            "INSERT OR IGNORE INTO journalDropped (file, device, n, position) VALUES (?, ?, ?, ?)",
            dropped.row)
    }

    func removeDroppedVersion(_ dropped: DroppedVersion) throws {
        try execute(
            "DELETE FROM journalDropped WHERE file = ? AND device = ? AND n = ? AND position = ?",
            dropped.row)
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

    func accountIdentity() throws -> AccountIdentity? {
        try first("SELECT identity FROM journalAccount", []) { AccountIdentity(bits: try $0.file(0).bits) }
    }

    func setAccountIdentity(_ identity: AccountIdentity) throws {
        try execute(
            "INSERT OR REPLACE INTO journalAccount (id, identity) VALUES (1, ?)",
            [FileID(bits: identity.bits).blob])
    }

    func timeAllowance() throws -> TimeAllowance? {
        try first("SELECT reached, credit, clock, date FROM journalTime", []) { row in
            TimeAllowance(
                reachedMilliseconds: row[0], creditMilliseconds: row[1], clock: row.number(2),
                date: StoreTime(seconds: row[3]))
        }
    }

    func setTimeAllowance(_ allowance: TimeAllowance) throws {
        try execute(
            "INSERT OR REPLACE INTO journalTime (id, reached, credit, clock, date) VALUES (1, ?, ?, ?, ?)",
            [
                allowance.reachedMilliseconds, allowance.creditMilliseconds,
                Int64(clamping: allowance.clock), allowance.date.seconds,
            ])
    }

    func usage() throws -> AccountUsage? {
        // Backup snapshots are of no container.
        let backups = try first("SELECT bytes FROM journalUsage WHERE container = x''", []) { $0.number(0) }
        guard let backups else { return nil }
        let containers = try all("SELECT container, bytes FROM journalUsage WHERE container <> x''", []) {
            (ContainerName(bits: try $0.file(0).bits), $0.number(1))
        }
        return AccountUsage(
            bytes: Dictionary(containers, uniquingKeysWith: { $1 }), backupBytes: backups)
    }

    func setUsage(_ usage: AccountUsage) throws {
        let statement = "INSERT INTO journalUsage (container, bytes) VALUES (?, ?)"
        try execute("DELETE FROM journalUsage", [])
        try execute(statement, [Data(), Int64(clamping: usage.backupBytes)])
        for (container, bytes) in usage.bytes {
            try execute(statement, [FileID(bits: container.bits).blob, Int64(clamping: bytes)])
        }
    }
}

extension Row {
    /// Of the columns device, n and operations.
    fileprivate func batch() throws -> EncodedBatch {
        EncodedBatch(
            Batch(
                device: DeviceID(bits: try file(0).bits), n: number(1),
                operations: try EncodedBatch.decodeJournaled(bytes(2))))
    }

    /// Of the columns chunk and locator, which come first.
    fileprivate func upload() throws -> PendingUpload {
        var reader = CBORReader(try bytes(1))
        return PendingUpload(chunk: try hash(0), locator: try Locator(from: &reader))
    }

    fileprivate func number(_ index: Int) -> UInt64 { UInt64(clamping: self[index] as Int64) }
}

extension DroppedVersion {
    fileprivate var row: StatementArguments {
        [
            file.blob, revision.device.blob, Int64(clamping: revision.n), Int64(revision.index),
        ]
    }
}
