internal import CloudSync
internal import SyncContent

/// A life's way to the logs that its device reads without having their app.
// Unchecked: see WorldExecutor.
final class DeviceReplicas: ReplicaStorages, @unchecked Sendable {
    private let device: Device
    private let life: Life
    private let door: (MemoryStorage) -> StorageDoor
    /// Told of each that begins.
    private let didBegin: () -> Void

    init(
        _ device: Device, life: Life, door: @escaping (MemoryStorage) -> StorageDoor,
        didBegin: @escaping () -> Void
    ) {
        self.device = device
        self.life = life
        self.door = door
        self.didBegin = didBegin
    }

    func replica(of log: LogName) throws -> any SyncStorage {
        if life.hasEnded { throw LocalError.ended }
        if let storage = device.replicas[log] { return door(storage) }
        let storage = MemoryStorage()
        device.replicas[log] = storage
        didBegin()
        return door(storage)
    }

    func removeReplica(of log: LogName) {
        if !life.hasEnded { device.replicas[log] = nil }
    }
}
