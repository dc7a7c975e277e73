internal import CloudStore
internal import Posix
package import SyncContent
internal import SyncLog

/// Where logs are read to by a device that has no part in them. They are kept, so that each entry is read
/// once.
package protocol ReplicaStorages: Sendable {
    /// A log's replica, empty or as it was left.
    func replica(of log: LogName) throws -> any SyncStorage
    /// The log is read elsewhere from now on. What is not there is no error.
    func removeReplica(of log: LogName) throws
}

/// In files without a name, which go with the process.
package struct ScratchReplicas: ReplicaStorages {
    package init() {}
    package func replica(of log: LogName) throws -> any SyncStorage { try SQLiteStorage(path: "") }
    package func removeReplica(of log: LogName) {}
}

/// The replicas that are open.
final class LogReplicas: Sendable {
    private struct State {
        var open: [LogName: any SyncStorage] = [:]
        /// Nothing is there to remove.
        var removed: Set<LogName> = []
    }

    private let surroundings: SyncSurroundings
    // Held while a replica is opened or removed, by whoever looks after the store: nobody else asks.
    private let state = Lock(State())

    init(_ surroundings: SyncSurroundings) {
        self.surroundings = surroundings
    }

    /// Reads a log to its end.
    /// - Parameter account: with the store that is asked.
    func read(_ log: LogName, of account: Account) async throws(SyncFailure) -> any SyncStorage {
        let storage = try opened(log)
        let client = LogClient(
            name: log, app: nil, account: account, storage: storage, surroundings: surroundings)
        try client.open()
        try await client.pull()
        return storage
    }

    func remove(_ log: LogName) throws {
        try state.withLock { state in
            state.open[log] = nil
            guard !state.removed.contains(log) else { return }
            try surroundings.replicas.removeReplica(of: log)
            state.removed.insert(log)
        }
    }

    private func opened(_ log: LogName) throws(SyncFailure) -> any SyncStorage {
        do {
            return try state.withLock { state in
                if let there = state.open[log] { return there }
                state.removed.remove(log)
                let made = try surroundings.replicas.replica(of: log)
                state.open[log] = made
                return made
            }
        } catch { throw SyncFailure(storage: error) }
    }
}

/// Whose tree is read on by itself.
protocol ReadableLog: Sendable {
    /// Reads the log to its end.
    /// - Returns: its tree.
    func readToEnd() async throws(SyncFailure) -> any SyncStorage
}

/// An account's logs as this device has them: those of its own apps by their own trees, all others by
/// replicas.
struct SyncedLogs: AccountLogs {
    let account: Account
    let replicas: LogReplicas
    let own: [LogName: any ReadableLog]

    func tree(of log: LogName) async throws(CollectionError) -> any TreeDatabase {
        do throws(SyncFailure) {
            guard let read = own[log] else { return try await replicas.read(log, of: account) }
            return try await read.readToEnd()
        } catch { throw CollectionError(error, reading: account.layout.logPrefix(log)) }
    }
}

extension CollectionError {
    /// Why a log could not be read to its end.
    fileprivate init(_ error: SyncFailure, reading prefix: String) {
        switch error {
        case .ended: self = .store(.cancelled)
        case .trouble(let trouble) where trouble.isOfContents:
            self = .unreadable(prefix, trouble.description)
        case .trouble(let trouble): self = .trouble(trouble)
        }
    }
}

extension SyncTrouble {
    /// What the store has is not what it should be.
    fileprivate var isOfContents: Bool {
        switch self {
        case .storeLies, .logHole, .treeDiffers, .unknownFormat, .unknownFeature: true
        default: false
        }
    }
}
