internal import Backup
internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

/// Snapshots of backups in the account's store (SPEC 8).
extension BackupService {
    /// Where a run took so long, or another one went on meanwhile, that its snapshot could miss something.
    private static let snapshotAttempts = 3

    func createSnapshot(
        _ arguments: SnapshotArguments, _ rights: ClientRights, _ progress: BackupProgress
    ) throws -> BackupCreated {
        do {
            return try makeSnapshot(arguments, rights, progress)
        } catch is CancellationError {
            // What was sent is found by the next one, or taken by the collector.
            throw CommandFailure("interrupted: no snapshot was made")
        }
    }

    private func makeSnapshot(
        _ arguments: SnapshotArguments, _ rights: ClientRights, _ progress: BackupProgress
    ) throws -> BackupCreated {
        let backup = try AppBackup(of: arguments.apps, on: self)
        let measure = try BackupMeter.measure(backup, progress)
        if let most = arguments.mostBytes { try measure.check(mostBytes: most) }
        progress.expect(measure.bytes)
        let device = try snapshotDevice
        return try cloud.withSession { session in
            let (upload, backups, room) = try session.wait(whileWanted: progress.check) { engine in
                let upload = try await engine.backupUpload(of: device)
                return (upload, try await engine.backups(), try await engine.backupRoom())
            }
            guard room > 0 else { throw CloudBackupError.overQuota(roomBytes: 0) }
            var (info, created) = try withAttempts {
                try rights.run {
                    let work = SnapshotWork(
                        service: self, session: session, upload: upload, backups: backups, roomBytes: room)
                    return try work.make(
                        of: backup, takesOver: !arguments.apps.isEmpty, progress: progress)
                }
            }
            if let keep = arguments.keep {
                let newest = info
                created.pruned = try Blocking.wait {
                    try await backups.prune(KeptBackups(keep), newest: newest)
                }
            }
            try session.wait { await $0.noteBackups() }
            log.write(
                "snapshot \(info.key) of \(created.apps.count) apps, \(created.sentBytes ?? 0) bytes sent")
            return created
        }
    }

    private func withAttempts<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 1..<Self.snapshotAttempts {
            do { return try body() } catch CloudBackupError.expired { continue }
        }
        return try body()
    }

    /// Whose the snapshots of this device are in the account.
    var snapshotDevice: SyncLog.DeviceID {
        get throws {
            guard let bits = UInt128(device.id.filter(\.isHexDigit), radix: 16) else {
                throw CommandFailure("the device's id is damaged")
            }
            return SyncLog.DeviceID(bits: bits)
        }
    }
}

extension KeptBackups {
    fileprivate init(_ kept: KeptSnapshots) {
        self =
            switch kept {
            case .newest(let count): .newest(count)
            case .younger(let seconds): .younger(seconds)
            }
    }
}

/// One try of a snapshot.
struct SnapshotWork {
    let service: BackupService
    let session: CloudSession
    let upload: CloudBackupUpload
    let backups: CloudBackups
    let roomBytes: UInt64

    /// - Parameter takesOver: whether what the snapshot before has of other apps stays in this one.
    func make(
        of backup: AppBackup, takesOver: Bool, progress: BackupProgress
    ) throws -> (CloudBackupInfo, BackupCreated) {
        let (upload, index) = (upload, try SQLiteBackupIndex())
        let trees = try trees()
        let storages = Dictionary(trees.map { ($0.container, $0.storage) }) { $1 }
        let start = try Blocking.wait(whileWanted: progress.check) {
            try await upload.begin(index, containers: storages)
        }
        let writer = CloudBackupWriter(
            upload.account, start, index, deviceName: try session.ownName(), roomBytes: roomBytes)
        var omissions = BackupReport()
        let run = CloudBackupRun(
            writer: writer, upload: upload, backups: backups,
            scratch: SharedDescriptor(try service.device.openScratch()),
            refersTo: { domain, path in try trees.first { $0.domain == domain }?.reference(to: path) },
            progress: progress, leaveOut: { omissions.leaveOut($0) })
        let versions = Dictionary(
            backup.apps.map { (BackupReader.domain(ofApp: $0.bundleID.value), $0.version) }
        ) { $1 }
        let sources = try backup.sources()
        for source in sources { try run.add(source, version: versions[source.domain] ?? nil) }
        let domains = Set(sources.map(\.domain))
        for domain in takesOver ? start.baseDomains : [] where !domains.contains(domain.name) {
            try run.takeOver(domain)
        }
        try run.drain(all: true)
        let root = try writer.root()
        try progress.check()
        // From here on there may be one: an interrupt is too late.
        let info = try Blocking.wait { try await upload.publish(root, start, index) }
        var created = BackupCreated(writer.report, omissions, name: timeText(Double(info.time.seconds)))
        created.take(backup)
        return (info, created)
    }

    /// What this device remembers of the account's containers.
    private func trees() throws -> [SnapshotTree] {
        try service.device.apps().compactMap { app in
            // One that never synced has none.
            guard let storage = try? session.reader(of: app) else { return nil }
            return SnapshotTree(
                domain: BackupReader.domain(ofApp: app.bundleID.value),
                container: upload.account.layout.container(app.bundleID), storage: storage,
                hasDataless: try storage.read { try $0.datalessCount() > 0 })
        }
    }
}

/// What sync knows of an app's documents.
struct SnapshotTree {
    let domain: String
    let container: ContainerName
    let storage: any SyncStorage
    let hasDataless: Bool

    /// - Parameter path: from the container's root.
    /// - Returns: nil for what has its bytes on this device.
    func reference(to path: String) throws -> FileContent? {
        guard hasDataless else { return nil }
        return try storage.read { transaction in
            guard let row = try transaction.document(at: path), row.isDataless,
                let node = try transaction.node(row.file)
            else { return nil }
            return try transaction.fileContent(of: node)
        }
    }
}

extension BackupService {
    /// nil where all documents of the app are on this device.
    func evictedDocuments(of app: InstalledApp) throws -> EvictedDocuments? {
        guard try cloud.syncs(app) else { return nil }
        let storage = try? cloud.withSession { try $0.reader(of: app) }
        guard let storage, try storage.read({ try $0.datalessCount() > 0 }) else { return nil }
        return EvictedDocuments(storage: storage)
    }
}

/// Which files of an app have their content in the cloud alone.
struct EvictedDocuments {
    let storage: any SyncStorage

    /// - Parameter path: from the container's root.
    func has(_ path: String) throws -> Bool {
        try storage.read { try $0.document(at: path)?.isDataless == true }
    }
}

extension SyncTransaction {
    /// What sync knows of a document.
    /// - Parameter path: from the container's root.
    fileprivate func document(at path: String) throws -> SyncedItem? {
        let names = path.pathParts
        guard names.first == "Documents" else { return nil }
        var row: SyncedItem?
        for name in names.dropFirst() {
            row = try synced(in: row?.file ?? .root, named: name)
            if row == nil { return nil }
        }
        return row
    }
}

extension BackupCreated {
    /// - Parameter omissions: what stayed out of it, and nothing else.
    fileprivate init(_ report: CloudBackupReport, _ omissions: BackupReport, name: String) {
        self.init(omissions, name: name)
        (items, files, bytes) = (report.items, report.files, Int64(clamping: report.bytes))
        unchangedFiles = report.unchangedFiles
        sentBytes = Int64(clamping: report.sentBytes)
    }
}
