internal import Device
internal import HomeFiles
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Installing, and upgrading under open mounts.
extension AppService {
    func install(
        _ arguments: InstallArguments, _ descriptors: [SharedDescriptor], _ meter: WorkMeter
    ) throws -> InstallReport {
        let entitlements = arguments.hasEntitlements ? try Self.content(of: descriptors[1]) : nil
        let source: InstallSource =
            if let name = arguments.bundleName {
                .bundle(directory: descriptors[0].raw, name: name)
            } else {
                .archive(file: descriptors[0].raw)
            }
        return try upgrading(dropsCaches: arguments.dropsCaches, remounts: arguments.remounts) {
            try device.install(
                from: source, entitlements: entitlements, upgrade: $0,
                progress: { (bytes, total) throws(Errno) in
                    meter.totalBytes = total
                    try meter.show(bytes)
                })
        }
    }

    /// What is said of an app that is there now; sync is told of it.
    private func report(_ result: InstallResult) -> InstallReport {
        var report = InstallReport(result)
        cloud.appHasChanged(result.app.bundleID.value)
        if result.replaced != nil {
            report.notes += mounts.registry.all.filter { $0.isHeld(by: result.app.bundleID.value) }
                .map { "\($0.directory) shows it now" }
        }
        return report
    }

    /// Runs `body` with what is to be done where the app is there already.
    /// - Parameter remounts: whether open mounts go over to the new app.
    func upgrading(
        dropsCaches: Bool = false, remounts: Bool, _ body: (Upgrade) throws -> InstallResult
    ) throws -> InstallReport {
        var change: AppChange?
        defer { change?.end() }
        var upgrade = Upgrade()
        upgrade.dropsCaches = dropsCaches
        upgrade.willReplace = { [self] installed, new in
            let app = AppReference(installed)
            try refusing { () throws in
                // A purge's end may wait for what is about to be published.
                let beginning: AppChange.Beginning = new == nil ? .afterPurge : .unlessPurged
                let upgrade = try change ?? AppChange(of: app, "upgraded", beginning, mounts)
                change = upgrade
                try upgrade.bar(app) { (open) throws(CommandFailure) in
                    try refuse(installed, by: new, open, remounts: remounts)
                }
                if let new { try groups.endMounts(ofGroupsLeaving: installed, kept: new.groups) }
            }
        }
        upgrade.handOver = { [self] new, emptied in try views.handOver(to: new, emptying: emptied) }
        return report(try body(upgrade))
    }

    /// - Throws: why the app, of which these mounts are open, cannot be replaced.
    private func refuse(
        _ installed: InstalledApp, by new: InstalledApp?, _ open: [ActiveMount], remounts: Bool
    ) throws(CommandFailure) {
        try runs.running.refuseMountsOfRun(AppReference(installed), open, "replaced")
        try open.checkMayMove(installed.name, "replaced", remounts: remounts)
        // Its root is the bundle that goes: there is nothing to move it over to.
        if let alone = open.first(where: { $0.kind == .bundle }) {
            throw .mounted("the bundle of \(installed.name)", at: [alone.directory], "replaced")
        }
        guard let new else { return }
        // What the new app does not give, no open view of it may go on showing.
        let lost = open.filter { mount in
            mount.kind == .share && !new.sharing.itunes
                || mount.group.map { group in !new.groups.contains { $0.value == group } } ?? false
        }
        guard lost.isEmpty else {
            throw .mounted(
                installed.name, at: lost.map(\.directory), "replaced by an app that does not have that view")
        }
    }

    /// The device passes on what it knows.
    private func refusing(_ body: () throws -> Void) throws(DeviceError) {
        do { try body() } catch { throw DeviceError(.system, CommandFailure(answering: error).message) }
    }
}

extension Views {
    /// Gives whoever has the app's tree open the new app's bundle, and empties directories of its data.
    /// - Returns: whether somebody has it open still, and with it perhaps the old bundle.
    func handOver(to app: InstalledApp, emptying paths: [String]) throws -> Bool {
        guard let tree = takeIfShown(app) else { return false }
        do {
            try tree.replaceBundle(try device.openBundle(app), name: app.bundleName)
            for path in paths {
                let names = path.pathParts
                try tree.withDirectory(at: names) { (directory) throws(Errno) in
                    _ = try tree.empty(directory, while: { true })
                }
            }
        } catch {
            _ = giveBackAfterUpgrade(app)
            throw error
        }
        return giveBackAfterUpgrade(app)
    }
}
