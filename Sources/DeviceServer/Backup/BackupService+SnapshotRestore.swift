internal import Backup
internal import CloudStore
internal import CloudSync
internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

extension BackupService {
    /// All snapshots of the account, the newest last of each device. One that cannot be read is listed with
    /// the reason.
    func snapshots(_ progress: BackupProgress) throws -> [CloudSnapshot] {
        let own = try snapshotDevice
        return try cloud.withSession { session in
            let backups = try session.wait(whileWanted: progress.check) { try await $0.backups() }
            return try Blocking.wait(whileWanted: progress.check) {
                var found: [CloudSnapshot] = []
                for info in try await backups.list() {
                    var snapshot = CloudSnapshot(info, isThisDevice: info.device == own)
                    do { snapshot.take(try await backups.root(of: info)) } catch let error as CloudBackupError
                    {
                        guard case .damaged(let what) = error else { throw error }
                        snapshot.damage = what
                    }
                    found.append(snapshot)
                }
                return found
            }
        }
    }

    func restoreSnapshot(
        _ arguments: SnapshotRestoreArguments, _ rights: ClientRights, _ progress: BackupProgress
    ) throws -> RestoreOutcome {
        let own = try snapshotDevice
        return try cloud.withSession { session in
            let backups = try session.wait(whileWanted: progress.check) { try await $0.backups() }
            let (info, root) = try Blocking.wait(whileWanted: progress.check) {
                let info = try await SnapshotChoice(arguments: arguments, own: own).chosen(of: backups)
                return (info, try await backups.root(of: info))
            }
            log.write("restores from the snapshot \(info.key)")
            let backup = CloudSnapshotBackup(root, backups, whileWanted: progress.check)
            return try restore(arguments.choice, from: backup, rights, progress)
        }
    }
}

/// Which snapshot a restore is from.
struct SnapshotChoice {
    let arguments: SnapshotRestoreArguments
    let own: SyncLog.DeviceID

    func chosen(of backups: CloudBackups) async throws -> CloudBackupInfo {
        let all = try await backups.list()
        guard !all.isEmpty else {
            throw CommandFailure(
                "the account has no snapshot of a backup; make one with: apphome backup create --cloud")
        }
        let device = try await device(among: all, backups)
        let last = arguments.atSeconds ?? .max
        guard let info = all.last(where: { $0.device == device && $0.time.seconds <= last }) else {
            throw CommandFailure(
                "there is no snapshot as old as that; see which there are: apphome backup list --cloud")
        }
        return info
    }

    private func device(
        among all: [CloudBackupInfo], _ backups: CloudBackups
    ) async throws -> SyncLog.DeviceID {
        let devices = Set(all.map(\.device))
        guard let text = arguments.device else {
            if devices.contains(own) { return own }
            if let only = devices.first, devices.count == 1 { return only }
            throw CommandFailure(
                "this device has no snapshot, and \(devices.count) others have: say whose with --of DEVICE; "
                    + "see: apphome backup list --cloud")
        }
        var named: Set<SyncLog.DeviceID> = []
        for device in devices {
            if device.hex.hasPrefix(text.lowercased()) {
                named.insert(device)
            } else if let newest = all.last(where: { $0.device == device }),
                try await backups.readableRoot(of: newest)?.deviceName == text
            {
                named.insert(device)
            }
        }
        guard let found = named.first, named.count == 1 else {
            throw CommandFailure(
                "\(named.count) devices with snapshots are called \(text): give an id of: "
                    + "apphome backup list --cloud")
        }
        return found
    }
}

extension CloudSnapshot {
    fileprivate init(_ info: CloudBackupInfo, isThisDevice: Bool) {
        self.init(
            time: timeText(Double(info.time.seconds)), device: info.device.hex, isThisDevice: isThisDevice)
    }

    fileprivate mutating func take(_ root: CloudBackupRoot) {
        deviceName = root.deviceName
        for domain in root.domains {
            files = files.addingSaturated(Int64(clamping: domain.files))
            bytes = bytes.addingSaturated(Int64(clamping: domain.bytes))
            guard let (identifier, isGroup) = BackupReader.owner(of: domain.name) else { continue }
            let part = Part(
                identifier: identifier, version: domain.version,
                time: timeText(Double(domain.time.seconds)), files: Int64(clamping: domain.files),
                bytes: Int64(clamping: domain.bytes))
            if isGroup { groups.append(part) } else { apps.append(part) }
        }
    }
}
