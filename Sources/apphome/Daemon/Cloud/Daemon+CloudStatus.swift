internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules

extension Daemon {
    /// - Parameter name: nil for all apps that are not switched off, or are and have been synced.
    func cloudStatus(of name: String?) throws -> CloudStatusReport {
        let url = try cloud.url
        let off = try device.appsWithoutCloud()
        let quota = try device.settings().quotaBytes
        var report = CloudStatusReport(
            account: url.description, state: "signed-out", quotaBytes: quota, apps: [])
        guard url != .none else { return report }
        let apps = try name.map { [try device.app(named: $0)] } ?? device.apps()
        try cloud.withSession { session in
            for app in apps {
                let isOn = !off.contains(app.bundleID.value)
                report.apps.append(try status(of: app, isOn: isOn, session))
            }
            report.lastContact = try session.lastContact(of: apps)
        }
        report.state = report.apps.map(\.state).first { $0 != "idle" && $0 != "off" } ?? "idle"
        report.text = report.apps.compactMap(\.text).first
        report.usedBytes = report.apps.map(\.documentBytes).reduce(0, +)
        return report
    }

    private func status(
        of app: InstalledApp, isOn: Bool, _ session: CloudSession
    ) throws -> CloudAppStatus {
        let identifier = app.bundleID.value
        let live = try session.wait { await $0.status(identifier) }
        let counts = try session.counts(of: app)
        var report = CloudAppStatus(
            app: app.name, bundleID: identifier, isOn: isOn, isWatched: cloud.isWatched(app),
            state: isOn ? "idle" : "off", pendingFiles: 0, pendingBytes: 0, uploadRate: 0, conflicts: 0,
            dataless: 0, heldDeletes: 0, documents: counts.documents, documentBytes: counts.bytes)
        if isOn, let live { report.take(live) }
        return report
    }
}

extension CloudAppStatus {
    fileprivate mutating func take(_ status: SyncStatus) {
        (pendingFiles, pendingBytes) = (
            status.pendingUploads, Int64(clamping: status.pendingUploadBytes)
        )
        uploadRate = Int64(clamping: status.bytesPerSecond)
        (conflicts, dataless) = (status.conflicts, status.dataless)
        if case .deletesHeld(let count) = status.trouble { heldDeletes = count }
        text = status.trouble?.description
        state =
            status.trouble.map(\.word) ?? (status.isPaused ? "paused" : status.isCurrent ? "idle" : "syncing")
    }
}

extension SyncTrouble {
    /// One word, for programs.
    fileprivate var word: String {
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
        case .unknownFormat: "unknown-format"
        case .unknownFeature: "unknown-feature"
        case .overQuota: "over-quota"
        case .deletesHeld: "deletes-held"
        case .disk: "disk"
        }
    }
}
