internal import CloudStore
internal import CloudSync
internal import Device
internal import PropertyLists
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import Wire

/// What commands ask of the cloud.
struct CloudCommands: Sendable {
    let device: Device
    let devicePath: String
    let views: Views
    let cloud: CloudService
    let mounts: MountRegistry

    /// Does what a client asks of the cloud.
    /// - Parameter meter: told how far long work is.
    func perform(_ request: CloudRequest, _ meter: WorkMeter) throws -> Answer {
        switch request {
        case .account: return .cloud(.account(try accountReport()))
        case .setAccount(let arguments):
            return .cloud(.accountChange(try setAccount(arguments, meter)))
        case .probe: return .note(lines: [try probe()])
        case .turn(let name, let isOn):
            try cloud.turn(try device.app(named: name), isOn: isOn)
            return .done
        case .copyAccount(let arguments): return .note(lines: [try copyAccount(arguments, meter)])
        case .path(let name): return .cloud(try ubiquityPath(of: try device.app(named: name)))
        case .status(let name): return .cloud(.status(try cloudStatus(of: name)))
        case .sync(let arguments): return try sync(arguments, meter)
        case .pause(let up, let down):
            try cloud.setRates(up: up, down: down)
            try setPaused(true)
            return .done
        case .resume(let up, let down):
            try cloud.setRates(up: up, down: down)
            try setPaused(false)
            return .done
        case .devices: return .cloud(.devices(try cloudDevices()))
        case .forget(let id):
            try forgetDevice(id)
            return .done
        case .quota: return .cloud(.quota(try cloudQuota()))
        case .list(let app, let path): return .cloud(.items(try cloudItems(of: app, below: path)))
        case .conflicts(let app): return .cloud(.conflicts(try cloudConflicts(of: app)))
        case .resolve(let app, let path, let keep):
            return .note(lines: try resolve(path, of: app, keeping: keep))
        case .log(let app, let path, let limit):
            return .cloud(.log(try cloudLog(of: app, below: path, limit: limit, meter)))
        case .restore(let app, let items, let version):
            return .note(lines: try restoreItems(items, of: app, version: version, meter))
        case .remove(let app, let path): return .cloud(.synced(try removeFromCloud(path, of: app)))
        case .removeForEver(let app, let path):
            return .cloud(.removed(try removeForEver(path, of: app)))
        case .check(let repairs): return .cloud(.check(try checkCloud(repairs: repairs)))
        case .collect(let isDryRun): return .cloud(.collected(try collectCloud(isDryRun: isDryRun)))
        case .takeBack: return .cloud(.collected(try takeBackUploads()))
        case .settle, .cat:
            // Answered by the connection itself, over time.
            throw CommandFailure("the daemon answers this request only by itself")
        }
    }

    private func accountReport() throws -> CloudAccountReport {
        guard let account = try device.cloudAccount() else { return CloudAccountReport(url: "none") }
        var report = CloudAccountReport(url: account.url, profile: account.profile?.name)
        report.accessKey = account.keys.map { String($0.accessKeyID.prefix(4)) }
        if try cloud.url != .none {
            report.device = try cloud.withSession { try $0.ownDevice()?.hex }
            report.notes = [
                "What lies there are chunks of files and a log, not files. To read them as files:",
                "  apphome share mount APP DIR --from \(shellQuoted(account.url))",
            ]
        }
        return report
    }

    /// Makes a folder that is missing, and asks the store to prove itself, before the device is signed in.
    private func setAccount(
        _ arguments: CloudAccountArguments, _ meter: WorkMeter
    ) throws -> CloudAccountChange {
        let account = CloudAccount(arguments)
        let url = try account.storeURL
        if url != .none { try prepare(account, url) }
        return try AccountChange(to: account, device: device, views: views, cloud: cloud)
            .perform(arguments.documents, meter)
    }

    private func prepare(_ account: CloudAccount, _ url: StoreURL) throws {
        if case .folder(let path) = url { try mounts.refuseStore(at: path) }
        try account.makeFolder(for: device.owner)
        let store = try account.open(for: device)
        try Blocking.wait { try await StoreProbe(store.forRecords).run() }
    }

    private func probe() throws -> String {
        try cloud.withSession { session in
            let store = session.store
            try session.wait { _ in try await StoreProbe(store.forRecords).run() }
            return "\(session.url): devices may share it"
        }
    }

    /// What `url(forUbiquityContainerIdentifier: nil)` would give the app.
    private func ubiquityPath(of app: InstalledApp) throws -> CloudAnswer {
        if try cloud.url == .none { return .path(nil, reason: "signed out", token: nil) }
        let token = try CloudFolder(device).identity()?.hex
        let entitlements = try app.entitlements.map { try Entitlements($0) } ?? .none
        guard !entitlements.ubiquityContainers.isEmpty else {
            return .path(
                nil, reason: "no com.apple.developer.ubiquity-container-identifiers", token: token)
        }
        let mount = mounts.all.first { $0.kind == .home && $0.app.bundleID == app.bundleID.value }
        let home = mount?.directory ?? devicePath + "/" + app.dataPath
        return .path(home + "/Documents", reason: nil, token: token)
    }
}
