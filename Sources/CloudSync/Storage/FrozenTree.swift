internal import GRDB
internal import SyncLog

/// A container's tree as it was in one moment, whatever is written to it meanwhile: a reading transaction
/// that stays open on a connection of its own. SQLite does not shorten the write-ahead log while this lives.
final class FrozenTree: TreeDatabase {
    private let queue: DatabaseQueue

    /// - Parameter path: of a database that is there and in use.
    init(path: String) throws {
        queue = try SQLiteStorage.connection(
            reading: path, cacheKiB: 4096, busySeconds: 5, staysInTransaction: true)
        try queue.inDatabase { database in
            try database.beginTransaction(.deferred)
            // The moment is that of the first read.
            _ = try SQLiteTransaction(database).treeHead()
        }
    }

    func readTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result {
        try queue.inDatabase { try body(SQLiteTransaction($0)) }
    }

    func writeTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result {
        throw StorageError.frozen
    }

    func frozen() -> any TreeDatabase { self }
}
