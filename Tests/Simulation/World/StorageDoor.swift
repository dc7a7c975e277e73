internal import CloudSync
internal import SyncContent
internal import SyncLog

/// A life's way to its device's memory, which outlives it. Before and after each transaction it may end.
// Unchecked: see WorldExecutor.
final class StorageDoor: SyncStorage, @unchecked Sendable {
    private let storage: MemoryStorage
    private let life: Life
    /// Told before and after each transaction that writes; it may end the life.
    private let willWrite: () -> Void
    private let didWrite: () -> Void

    init(
        _ storage: MemoryStorage, life: Life, willWrite: @escaping () -> Void, didWrite: @escaping () -> Void
    ) {
        self.storage = storage
        self.life = life
        self.willWrite = willWrite
        self.didWrite = didWrite
    }

    func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        if life.hasEnded { throw LocalError.ended }
        return try storage.read(body)
    }

    func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        if life.hasEnded { throw LocalError.ended }
        willWrite()
        if life.hasEnded { throw LocalError.ended }
        let result = try storage.write(body)
        didWrite()
        if life.hasEnded { throw LocalError.ended }
        return result
    }

    func frozen() throws -> any TreeDatabase {
        if life.hasEnded { throw LocalError.ended }
        return try storage.frozen()
    }
}
