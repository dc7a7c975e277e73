internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import SystemPackage
internal import Wire

/// Looking at what is in the cloud, and bringing it to rest.
extension CloudCommands {
    /// A listing or a file is shown whole; what a hostile log makes of it is not.
    static let mostItems = 100_000
    /// So long a store may take for its first answer before a sync is not begun.
    private static let silenceSeconds = 10.0

    func cloudItems(of name: String, below text: String) throws -> [CloudItem] {
        let app = try device.app(named: name)
        return try cloud.withSession { session in
            try session.storage(of: app).read { transaction in
                let (path, node) = try Self.node(at: text, of: app, in: transaction)
                guard node?.isDirectory ?? true else {
                    return try node.map { [try CloudItem($0, text, transaction)] } ?? []
                }
                let children = try transaction.children(
                    of: node?.id ?? .root, after: nil, limit: Self.mostItems)
                return try children.filter(\.isLive).map {
                    try CloudItem($0, (path + [$0.name]).joined(separator: "/"), transaction)
                }
            }
        }
    }

    /// Syncs apps whether they are mounted or not.
    /// - Parameter meter: told how far it is; what that throws ends the waiting.
    func sync(_ arguments: CloudSyncArguments, _ meter: WorkMeter) throws -> Answer {
        let apps = try arguments.app.map { [try device.app(named: $0)] } ?? device.apps()
        guard try cloud.url != .none else { throw CommandFailure.signedOut }
        var total = CloudSyncReport()
        for app in apps {
            guard try cloud.syncs(app) else {
                if arguments.app == nil { continue }
                throw Self.syncIsOff(app)
            }
            let (status, trouble) = try sync(app, arguments, meter)
            total = total.adding(countingUnseen(CloudSyncReport(status, trouble), of: app))
            // The other apps would wait for it just as long.
            if trouble?.isOfConnection ?? false { break }
        }
        return .cloud(.synced(total))
    }

    /// An app that syncs on this device.
    func syncingApp(named name: String) throws -> InstalledApp {
        let app = try device.app(named: name)
        guard try cloud.syncs(app) else { throw Self.syncIsOff(app) }
        return app
    }

    private static func syncIsOff(_ app: InstalledApp) -> CommandFailure {
        CommandFailure("\(app.name) does not sync; switch it on first: apphome cloud on \(app.name)")
    }

    private func sync(
        _ app: InstalledApp, _ arguments: CloudSyncArguments, _ meter: WorkMeter
    ) throws -> (SyncStatus, SyncTrouble?) {
        try cloud.withSession { session in
            // Before the app joins: it would leave only when what it asked the store has failed.
            if let trouble = session.contact.trouble(seconds: Self.silenceSeconds), trouble.isOfConnection {
                return (session.engine.shownStatus(app.bundleID.value) ?? SyncStatus(), trouble)
            }
            return try session.with(app) {
                if arguments.confirmsDeletes { try session.confirmDeletes(app) }
                let shown = SyncMeter(app.bundleID.value, meter)
                let trouble: SyncTrouble?
                do { trouble = try session.syncOnce(app, waits: arguments.waits, shown) } catch Errno.canceled
                {
                    throw CommandFailure(
                        "interrupted: what is in the store stays there; the rest goes on with the next sync")
                }
                return (try session.status(of: app), trouble)
            }
        }
    }

    /// Finishes uploads of the home that is mounted there, or of the apps whose sync ends with the view of
    /// the device there, for at most so long in all.
    /// - Returns: what is left; nothing where it does not sync.
    /// - Throws: where the account cannot be used.
    func finishUploads(at directory: String, seconds: Double) throws -> CloudSyncReport {
        let deadline = Deadline(seconds: seconds)
        var left = CloudSyncReport()
        for app in try apps(endingWithMountAt: directory)
        where cloud.isWatched(app) && (try? cloud.syncs(app)) ?? false {
            left = left.adding(try finishUploads(of: app, seconds: Double(deadline.millisecondsLeft) / 1000))
        }
        return left
    }

    private func apps(endingWithMountAt directory: String) throws -> [InstalledApp] {
        guard let mount = mounts.mount(at: directory) else { return [] }
        if mount.kind.isOfDevice { return try cloud.apps(endingWithView: mount.id) }
        return mount.kind == .home ? [try device.app(named: mount.app.bundleID)] : []
    }

    private func finishUploads(of app: InstalledApp, seconds: Double) throws -> CloudSyncReport {
        let status = try cloud.withSession { try $0.finish(app, seconds: seconds) }
        var left = CloudSyncReport(status)
        if status.isPaused { left.trouble = "sync is paused; go on with: apphome cloud resume" }
        return countingUnseen(left, of: app)
    }

    /// While sync stands still, not all that changes is looked at: what is unsent is counted then.
    private func countingUnseen(_ report: CloudSyncReport, of app: InstalledApp) -> CloudSyncReport {
        guard report.isPaused || report.trouble != nil && !report.isUploadLeft,
            let changes = try? cloud.withSession({ $0.unseenChanges(of: app) })
        else { return report }
        var report = report
        (report.changes, report.isRescanDue) = (changes, false)
        return report
    }

    // MARK: Paths

    /// A path below Documents as names.
    /// - Throws: for what is no such path.
    static func names(_ text: String) throws -> [String] {
        let names = text.pathParts
        guard !names.contains("."), !names.contains(".."), !text.utf8.contains(0) else {
            throw CommandFailure("\(text): give a path below Documents, without . and ..", exitStatus: 64)
        }
        return names
    }

    /// The live item at a path; nil for Documents itself.
    static func node(
        at text: String, of app: InstalledApp, in transaction: any SyncTransaction
    ) throws -> (path: [String], node: Node?) {
        let names = try names(text)
        guard !names.isEmpty else { return ([], nil) }
        guard let node = try transaction.item(at: names), node.isLive else {
            throw CommandFailure(
                "there is no \(text) in the cloud; see: apphome cloud ls \(shellQuoted(app.name))")
        }
        return (names, node)
    }
}

extension CloudSyncReport {
    /// - Parameter standing: what stopped the sync that the status is of.
    init(_ status: SyncStatus, _ standing: SyncTrouble? = nil) {
        self.init(
            changes: status.pendingChanges, bytes: Int64(clamping: status.pendingUploadBytes),
            downloads: status.pendingDownloads, isRescanDue: status.isRescanDue, isPaused: status.isPaused,
            trouble: (standing ?? status.trouble)?.description)
    }

    /// What is left of several apps.
    func adding(_ other: CloudSyncReport) -> CloudSyncReport {
        CloudSyncReport(
            changes: changes + other.changes, bytes: bytes.addingSaturated(other.bytes),
            downloads: downloads + other.downloads, isRescanDue: isRescanDue || other.isRescanDue,
            isPaused: isPaused || other.isPaused, trouble: trouble ?? other.trouble)
    }
}

extension CloudItem {
    init(_ node: Node, _ path: String, _ transaction: any SyncTransaction) throws {
        let kind =
            switch node.current?.content {
            case .file: "file"
            case .symlink: "symlink"
            case .directory, nil: "directory"
            }
        self.init(
            path: path, kind: kind, size: node.current.map(\.sizeBytes) ?? 0,
            modified: node.isDirectory ? nil : Timestamp(seconds: Double(node.attributes.modified) / 1e9),
            status: try transaction.status(of: node).rawValue)
    }
}
