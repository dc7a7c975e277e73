internal import Posix
package import SyncLog

/// A device's memory of one container as a value: gone with the process, all or nothing in between. For the
/// simulation and for tests, which crash a device by dropping its engine and keeping this.
package final class MemoryStorage: SyncStorage {
    // Held while a transaction runs: nothing else takes a lock of this kind, and one thread calls.
    private let state: Lock<MemoryState>

    package init() {
        state = Lock(MemoryState())
    }

    private init(_ state: MemoryState) {
        self.state = Lock(state)
    }

    package func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        let transaction = MemoryTransaction(state.withLock { $0 })
        return try body(transaction)
    }

    /// Runs `body` on a copy and keeps that where it does not throw.
    package func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        let transaction = MemoryTransaction(state.withLock { $0 })
        let result = try body(transaction)
        state.withLock { $0 = transaction.state }
        return result
    }

    package func frozen() throws -> any TreeDatabase { clone() }

    /// Another device folder with the same contents: what copying a disk makes.
    package func clone() -> MemoryStorage { MemoryStorage(state.withLock { $0 }) }
}

/// The parts that a transaction changes together.
struct MemoryState: Sendable {
    var tree = MemoryTree()
    var synced = MemorySynced()
    var journal = MemoryJournal()
    var notes = MemoryNotes()
}

/// A transaction on a copy of the state. Each part's file adds its conformance.
final class MemoryTransaction: SyncTransaction {
    var state: MemoryState

    init(_ state: MemoryState) {
        self.state = state
    }
}
