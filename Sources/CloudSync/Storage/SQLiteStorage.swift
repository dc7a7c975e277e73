internal import Databases
internal import GRDB
internal import Posix
package import SyncLog

/// A device's memory of one container in a file of its own.
///
/// SQLite in WAL mode, written through to the disk at each commit (`synchronous` FULL): one fsync a
/// transaction, and readers of a command see the last one.
package final class SQLiteStorage: SyncStorage {
    /// Runs what opens the file, as whoever may.
    package typealias Opening = @Sendable (_ open: () throws -> Void) throws -> Void

    private static let logBytes = 16 << 20

    private let queue: DatabaseQueue
    private let opening: Opening

    /// Opens or makes the file at a path in the device's folder; at an empty one a file without a name, which
    /// goes with this.
    /// - Parameter opening: of the same file once more, from any thread.
    /// - Throws: `StorageError.newer`, with nothing changed, where a later version of this program made it.
    package init(path: String, opening: @escaping Opening = { try $0() }) throws {
        self.opening = opening
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase {
            // 16 MiB of pages at most: a million items must not show in the daemon's memory. Nor on the disk
            // for good what was written while somebody read for long: so much of the log is kept.
            try $0.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16384;
                    PRAGMA journal_size_limit = \(Self.logBytes)
                    """)
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.refuseOthers(queue)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try Self.migrator.migrate(queue)
    }

    /// Opens for reading a file that is there and in use, beside whoever writes it: neither waits for the
    /// other. `write` throws.
    package init(reading path: String) throws {
        opening = { try $0() }
        queue = try Self.connection(reading: path, cacheKiB: 1024, busySeconds: 1)
        try Self.refuseOthers(queue)
    }

    /// A connection to a file that is there and in use, which does not write.
    static func connection(
        reading path: String, cacheKiB: Int, busySeconds: Double, staysInTransaction: Bool = false
    ) throws -> DatabaseQueue {
        _ = try Descriptor(path, flags: 0)
        var configuration = Configuration()
        configuration.busyMode = .timeout(busySeconds)
        configuration.allowsUnsafeTransactions = staysInTransaction
        configuration.prepareDatabase {
            // Opened as for writing: SQLite keeps to this process only what it may lock for itself.
            try $0.execute(
                sql: """
                    PRAGMA trusted_schema = OFF; PRAGMA cache_size = -\(cacheKiB); PRAGMA query_only = ON
                    """)
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    package func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try queue.read { try body(SQLiteTransaction($0)) }
    }

    package func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try queue.write { database in
            let transaction = SQLiteTransaction(database)
            let result = try body(transaction)
            try transaction.finish()
            return result
        }
    }

    /// Only whoever reads a file without a name writes to it, and so it stands still meanwhile.
    package func frozen() throws -> any TreeDatabase {
        guard !queue.path.isEmpty else { return self }
        var tree: FrozenTree?
        try opening { tree = try FrozenTree(path: queue.path) }
        return tree ?? self
    }

    private static let schemas = Result { try KnownSchemas(migrator) }

    private static func refuseOthers(_ queue: DatabaseQueue) throws {
        switch try queue.read(schemas.get().judge) {
        case .ours: break
        case .newer: throw StorageError.newer
        case .foreign: throw StorageError.foreign
        }
    }

    /// Each part's tables are in its own file. A later migration comes after all that were there before it:
    /// what an earlier version left is then a schema on the way, and known.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.register("tree 1", SQLiteTransaction.treeSchema)
        migrator.register("synced 1", SQLiteTransaction.syncedSchema)
        migrator.register("journal 1", SQLiteTransaction.journalSchema)
        migrator.register("synced 2", SQLiteTransaction.departureSchema)
        // It kept rows of a batch that was not sent yet, and was empty at the end of each transaction.
        migrator.register("synced 3", ["DROP TABLE syncedBefore"])
        migrator.register("journal 2", SQLiteTransaction.removalSchema)
        migrator.register("journal 3", SQLiteTransaction.abandonedSchema)
        migrator.register("journal 4", SQLiteTransaction.followingSchema)
        migrator.register("notes 1", SQLiteTransaction.notesSchema)
        migrator.register("time 1", SQLiteTransaction.timeSchema)
        migrator.register("tree 2", SQLiteTransaction.progressSchema)
        migrator.register("fetched 1", SQLiteTransaction.fetchedSchema)
        migrator.register("journal 5", SQLiteTransaction.usageSchema)
        migrator.register("tree 3", SQLiteTransaction.keyValueSchema)
        migrator.register("journal 6", SQLiteTransaction.keyValueJournalSchema)
        migrator.register("account 1", SQLiteTransaction.accountSchema)
        migrator.register("journal 7", SQLiteTransaction.droppedSchema)
        return migrator
    }
}

extension DatabaseMigrator {
    fileprivate mutating func register(_ name: String, _ statements: [String]) {
        registerMigration(name) { database in
            for statement in statements { try database.execute(sql: statement) }
        }
    }
}

package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A later version of this program made the file: install that version.
    case newer
    /// Something else has made or changed it.
    case foreign
    /// A tree that stands still is not written to.
    case frozen

    package var description: String {
        switch self {
        case .newer: "a later version of apphome has synced this device; install that version again"
        case .foreign: "what this device remembers of its sync is not as apphome makes it"
        case .frozen: "this tree is only read"
        }
    }
}

/// A transaction of the database. Each part's file adds its conformance.
final class SQLiteTransaction: SyncTransaction {
    let database: Database
    /// What the tree keeps of itself while the transaction lasts.
    var tree = SQLiteTreeMemory()

    init(_ database: Database) {
        self.database = database
    }

    /// Writes what was held back to the end.
    func finish() throws {
        try finishTree()
    }
}
