internal import CloudStore
internal import CloudSync
internal import Device
internal import SandboxRules
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

extension CloudCommands {
    /// So long a store may take to answer whether it is there, and to be opened then.
    private static let silenceSeconds = 5.0
    private static let patienceSeconds = 3.0

    /// - Parameter name: nil for all apps that are not switched off, or are and have been synced.
    func cloudStatus(of name: String?) throws -> CloudStatusReport {
        let url = try cloud.url
        let off = try device.appsWithoutCloud()
        let quota = try device.settings().quotaBytes
        var report = CloudStatusReport(
            account: url.description, state: "signed-out", quotaBytes: quota, apps: [])
        let apps = try name.map { [try device.app(named: $0)] } ?? device.apps()
        guard url != .none else { return report }
        try cloud.withSession { session in
            // The engine is not asked where the store is silent: it may wait for that itself.
            let silence = session.contact.trouble(seconds: Self.silenceSeconds)
            let trouble = try silence ?? session.trouble(seconds: Self.patienceSeconds)
            for app in apps {
                let (isOn, isWatched) = (!off.contains(app.bundleID.value), cloud.isWatched(app))
                var status = try status(of: app, trouble, session)
                status.trouble = silence ?? status.trouble
                if isOn, !isWatched || status.isPaused || status.trouble != nil {
                    // Nobody looks at what changes then, or not at all of it.
                    status.pendingUploads = max(status.pendingUploads, session.unseenChanges(of: app) ?? 0)
                }
                var shown = CloudAppStatus(app, status, isOn: isOn, isWatched: isWatched)
                if isOn { shown.take(keys: try cloud.keyValues.pendingCount(of: app)) }
                if isOn, name != nil { shown.tellItems(of: app, status, session) }
                report.apps.append(shown)
                if let seconds = status.lastContact?.seconds {
                    let contact = Timestamp(seconds: Double(seconds))
                    report.lastContact = max(report.lastContact ?? contact, contact)
                }
                report.usedBytes = max(report.usedBytes ?? 0, Int64(clamping: status.usedBytes))
            }
            report.tell(session.engine.shownUpkeep)
            if apps.isEmpty { (report.state, report.text) = (trouble?.word ?? "idle", trouble?.description) }
            if !apps.isEmpty {
                report.state = report.apps.map(\.state).first { $0 != "idle" && $0 != "off" } ?? "idle"
                report.text = report.apps.compactMap(\.text).first
            }
            report.text = report.text ?? session.engine.shownAccount?.gap?.description
        }
        let ownBytes = report.apps.map(\.documentBytes).reduce(Int64(0), &+)
        let usedBytes = max(report.usedBytes ?? 0, ownBytes)
        // Before its first word with the store a device knows of its own documents only.
        report.usedBytes = usedBytes == 0 && report.lastContact == nil ? nil : usedBytes
        return report
    }

    /// From the engine where it has the app: it has the database open.
    /// - Parameter trouble: the account's.
    private func status(
        of app: InstalledApp, _ trouble: SyncTrouble?, _ session: CloudSession
    ) throws -> SyncStatus {
        let identifier = app.bundleID.value
        let live = session.engine.shownStatus(identifier)
        if let live, live.cursor > 0 { return live }
        var status = live ?? SyncStatus()
        // Of an app that joins just now the engine has the database open, and may be writing to it.
        let known = live == nil ? try session.storage(of: app) : try session.reader(of: app)
        try known.read { try status.take($0) }
        status.trouble = status.trouble ?? trouble
        return status
    }
}

extension CloudStatusReport {
    fileprivate mutating func tell(_ upkeep: UpkeepStatus) {
        collection = upkeep.lastCollection.map { run in
            CloudCollectionRun(
                ended: Timestamp(seconds: Double(run.ended.seconds)),
                deleted: Int(clamping: run.deletedObjects), freedBytes: Int64(clamping: run.deletedBytes))
        }
        collectionTrouble = upkeep.trouble
    }
}

extension CloudAppStatus {
    fileprivate init(_ app: InstalledApp, _ status: SyncStatus, isOn: Bool, isWatched: Bool) {
        self.init(
            app: app.name, bundleID: app.bundleID.value, isOn: isOn, isWatched: isWatched,
            state: isOn ? "idle" : "off", pendingFiles: 0, pendingBytes: 0, uploadRate: 0, conflicts: 0,
            dataless: 0, heldDeletes: 0, documents: status.documents,
            documentBytes: Int64(clamping: status.documentBytes))
        if isOn { take(status) }
    }

    /// - Parameter keys: so many were set here and are not in the account.
    fileprivate mutating func take(keys: Int) {
        pendingKeys = keys
        if keys > 0, state == "idle" { state = busy }
    }

    private var busy: String { isWatched ? "syncing" : "waiting" }

    private mutating func take(_ status: SyncStatus) {
        (pendingFiles, pendingBytes) = (
            status.pendingChanges, Int64(clamping: status.pendingUploadBytes)
        )
        // The rate is that of the last seconds, in which what is done by now went.
        uploadRate = status.isCurrent ? 0 : Int64(clamping: status.bytesPerSecond)
        downloadRate = status.isCurrent ? 0 : Int64(clamping: status.downloadBytesPerSecond)
        pendingDownloads = status.pendingDownloads
        (conflicts, dataless) = (status.conflicts, status.dataless)
        if case .deletesHeld(let count) = status.trouble { heldDeletes = count }
        isRescanDue = status.isRescanDue
        text = status.trouble?.description
        state = status.trouble.map(\.word) ?? (status.isPaused ? "paused" : status.isCurrent ? "idle" : busy)
    }
}

extension SyncTrouble {
    /// One word, for programs.
    var word: String {
        switch self {
        case .storeAway: "store-away"
        case .storeSlow: "store-slow"
        case .storeLies: "store-lies"
        case .storeFull: "store-full"
        case .storeUnfit: "store-unfit"
        case .storeReadOnly: "store-read-only"
        case .credentials: "credentials"
        case .clockSkewed: "clock-skewed"
        case .bucketMissing: "store-missing"
        case .logHole: "log-hole"
        case .treeDiffers: "tree-differs"
        case .otherAccount: "other-account"
        case .unknownFormat: "unknown-format"
        case .unknownFeature: "unknown-feature"
        case .overQuota: "over-quota"
        case .deletesHeld: "deletes-held"
        case .disk: "disk"
        }
    }
}
