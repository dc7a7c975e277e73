internal import CloudSync
internal import SyncContent

/// Logs that a device reads without having their app. They outlive its lives.
// Unchecked: see WorldExecutor.
final class DeviceReplicas: ReplicaStorages, @unchecked Sendable {
    private var storages: [LogName: MemoryStorage] = [:]
    /// Told of each that begins.
    var didBegin: () -> Void = {}

    func replica(of log: LogName) throws -> any SyncStorage {
        if let storage = storages[log] { return storage }
        let storage = MemoryStorage()
        storages[log] = storage
        didBegin()
        return storage
    }

    func removeReplica(of log: LogName) { storages[log] = nil }
}
