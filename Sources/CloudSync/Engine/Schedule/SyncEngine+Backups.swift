package import SyncContent
package import SyncLog

/// What backup snapshots need of the account.
extension SyncEngine {
    package func backups() async throws(SyncTrouble) -> CloudBackups {
        CloudBackups(try await openAccount(), limit: surroundings.downloadLimit)
    }

    /// - Parameter device: whose snapshot is to be made.
    package func backupUpload(of device: DeviceID) async throws(SyncTrouble) -> CloudBackupUpload {
        let account = try await openAccount()
        return CloudBackupUpload(account, writer: maintenanceWriter(of: account), device: device)
    }

    /// Bytes that the quota leaves for a snapshot; asks the store.
    package func backupRoom() async throws -> UInt64 {
        _ = try await openAccount()
        guard let limit = surroundings.settings.quotaBytes, let quota = session?.quota else { return .max }
        let used = try await quota.refresh().total(with: await ownUsage())
        return used > limit ? 0 : limit - used
    }

    /// A snapshot was made, or some went: uploads count it, and the collector has something to look for.
    package func noteBackups() async {
        upkeep.slots = nil
        _ = try? await session?.quota.refresh()
    }

    func ownUsage() async -> [ContainerName: UInt64] {
        var own: [ContainerName: UInt64] = [:]
        for container in containers.values {
            guard case .container(let name) = container.log.name else { continue }
            own[name] = await container.ownBytes
        }
        return own
    }
}
