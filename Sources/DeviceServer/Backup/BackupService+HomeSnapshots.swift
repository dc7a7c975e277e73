internal import Backup
internal import Device
internal import FoundationEssentials
internal import HomeSnapshots
internal import Posix
internal import SandboxRules
internal import Wire

/// Snapshots of an app's home and groups, to be compared later.
extension BackupService {
    /// - Parameter held: keeps what is only there to be compared with, as long as the client is there.
    func perform(
        _ request: HomeSnapshotRequest, _ held: HeldSnapshots, _ progress: BackupProgress
    ) throws -> BackupAnswer {
        switch request {
        case .take(let app, let name):
            let backup = try AppBackup(of: [app], on: self)
            let report = try device.addSnapshot(name, of: backup.apps[0]) { folder in
                try take(backup, in: folder, base: try newestSnapshot(of: backup.apps[0]), progress)
            }
            log.write("snapshot \(name) of \(backup.apps[0].bundleID), \(report.items) items")
            return .homeSnapshotTaken(report.taken)
        case .list(let name):
            let app = try device.app(named: name)
            return .homeSnapshots(try device.snapshots(of: app).map { try info(of: $0, app) })
        case .remove(let app, let name):
            try device.removeSnapshot(name, of: try device.app(named: app))
            return .homeSnapshots([])
        case .compare(let name, let from, let to):
            let backup = try AppBackup(of: [name], on: self)
            let app = backup.apps[0]
            let (base, basePath) = try device.openSnapshot(from, of: app)
            if let to {
                return .comparedSnapshots(from: basePath, to: try device.openSnapshot(to, of: app).path)
            }
            let now = try Device.TemporaryFolder(in: device)
            held.keep(now)
            _ = try take(backup, in: now.folder, base: try HomeSnapshot(in: base), progress)
            return .comparedSnapshots(from: basePath, to: now.path)
        }
    }

    /// What is unchanged since then need not be read again; nil where there is none that can be read.
    private func newestSnapshot(of app: InstalledApp) throws -> HomeSnapshot? {
        try device.snapshots(of: app).compactMap { name in
            try? HomeSnapshot(in: try device.openSnapshot(name, of: app).folder)
        }.max { $0.takenAt < $1.takenAt }
    }

    private func info(of name: String, _ app: InstalledApp) throws -> HomeSnapshotInfo {
        let (folder, _) = try device.openSnapshot(name, of: app)
        let bytes = try FileWalk.fileBytes(below: try FileTree.openDirectory(folder.raw, "."))
        do {
            let snapshot = try HomeSnapshot(in: folder)
            return HomeSnapshotInfo(
                name: name, time: Timestamp(seconds: Double(snapshot.takenAt)), bytes: bytes, damage: nil)
        } catch let error as SnapshotError {
            return HomeSnapshotInfo(name: name, time: nil, bytes: bytes, damage: error.description)
        }
    }

    private func take(
        _ backup: AppBackup, in folder: SharedDescriptor, base: HomeSnapshot?, _ progress: BackupProgress
    ) throws -> SnapshotWriter.Report {
        let app = backup.apps[0]
        let writer = try SnapshotWriter(
            in: folder, app: app.bundleID.value, takenAt: Int64(Date().timeIntervalSince1970), base: base,
            check: { try progress.check() })
        let evicted = try evictedDocuments(of: app)
        try writer.add(
            try backup.tree(of: app, .everything), group: nil, isEvicted: { try evicted?.has($0) ?? false })
        for (group, tree) in try backup.groupTrees(.everything) {
            try writer.add(tree, group: group, isEvicted: { _ in false })
        }
        try writer.finish()
        return writer.report
    }
}

/// Snapshots that are there for one client alone.
final class HeldSnapshots: Sendable {
    private let folders = Lock<[Device.TemporaryFolder]>([])

    func keep(_ folder: Device.TemporaryFolder) { folders.withLock { $0.append(folder) } }
}

extension SnapshotWriter.Report {
    fileprivate var taken: HomeSnapshotTaken {
        HomeSnapshotTaken(
            items: items, files: files, bytes: Int64(clamping: bytes),
            leftOut: leftOut.map {
                BackupOmission(domain: $0.domain, path: $0.path, reason: $0.reason.rawValue)
            })
    }
}
