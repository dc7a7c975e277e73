package import SyncLog

/// The device's memory of one container's sync: the tree that the log makes, what both sides agreed on, and
/// the journal. SQLite in the product (one file a container, `synchronous` FULL), values in memory in the
/// simulation.
///
/// A transaction is all or nothing, through a crash too; when `write` returns it is durable. Calls come from
/// the engine's two threads, and one waits for the other.
package protocol SyncStorage: TreeDatabase {
    func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result
    func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result
}

/// What can be read and written in a transaction. Reads see the transaction's own writes.
package protocol SyncTransaction: TreeStorage, SyncedStorage, JournalStorage, KeyValueJournal {}

/// For what works on the tree alone.
extension SyncStorage {
    package func readTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result {
        try read { try body($0) }
    }

    package func writeTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result {
        try write { try body($0) }
    }
}
