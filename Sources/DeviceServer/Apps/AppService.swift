internal import Device
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// The device's apps: what there is, and how they come, change and go.
struct AppService: Sendable {
    let device: Device
    let devicePath: String
    let log: DaemonLog
    let views: Views
    let cloud: CloudService
    let mounts: MountService
    let runs: RunService
    let groups: GroupService
    let findings: FindingMemory

    func summaries() throws -> [AppSummary] {
        let crashes = mounts.records.crashes
        let apps = try device.apps()
        let own = apps.map { app in
            AppSummary(
                bundleID: app.bundleID.value, name: app.name, version: app.version,
                sharing: Sharing(app), isPlaceholder: app.isPlaceholder,
                mounts: reports(of: app),
                crashed: crashes.filter { $0.bundleID == app.bundleID.value }.compactMap(\.report))
        }
        return own + foreignSummaries(beside: Set(apps.map(\.bundleID.value)), crashes)
    }

    /// Apps that are not on this device, and that it shows from a store.
    private func foreignSummaries(beside own: Set<String>, _ crashes: [MountRecord]) -> [AppSummary] {
        var names: [String: String] = [:]
        for crash in crashes where !crash.kind.isOfDevice { names[crash.bundleID] = crash.app }
        for mount in mounts.registry.all where mount.group == nil && !mount.kind.isOfDevice {
            names[mount.app.bundleID] = mount.app.name
        }
        return names.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }.map { bundleID, name in
            AppSummary(
                bundleID: bundleID, name: name, sharing: Sharing(itunes: false, files: false),
                isPlaceholder: true, mounts: reports { $0.app.bundleID == bundleID },
                crashed: crashes.filter { $0.bundleID == bundleID }.compactMap(\.report))
        }
    }

    func information(of name: String) throws -> AppInfo {
        let app = try device.app(named: name)
        let sizes = try device.sizes(of: app)
        return AppInfo(
            bundleID: app.bundleID.value, name: app.name, version: app.version,
            bundle: app.bundlePath.map { devicePath + "/" + $0 }, home: devicePath + "/" + app.dataPath,
            groups: app.groups.map(\.value), sharing: Sharing(app),
            sizes: Dictionary(sizes.values.map { ($0.area, $0.bytes) }, uniquingKeysWith: +),
            running: runs.isRunning(app), programs: runs.running.programs(of: app.bundleID.value),
            mounts: reports(of: app),
            entitlements: app.entitlementsSource.rawValue, undo: try device.undoCopy(of: app))
    }

    func make(_ arguments: NewArguments, _ descriptors: [SharedDescriptor]) throws -> InstallReport {
        var app = NewApp(name: arguments.name)
        app.identifier = arguments.identifier
        (app.sharesWithITunes, app.sharesWithFiles) = (arguments.share, arguments.files)
        app.groups = arguments.groups
        app.infoPlist = arguments.hasPropertyList ? try Self.content(of: descriptors[0]) : nil
        app.content = arguments.hasContent ? descriptors.last?.raw : nil
        var report = try upgrading(remounts: true) {
            try device.new(app, upgrade: arguments.replaces ? $0 : nil)
        }
        let namesakes = try device.apps().filter { $0.name == report.name }.map(\.bundleID.value)
        if namesakes.count > 1 {
            let identifiers = namesakes.joined(separator: ", ")
            report.notes.append(
                "\(namesakes.count) apps have that name: name them by identifier: \(identifiers)")
        }
        return report
    }

    /// Where the app and its groups are mounted.
    private func reports(of app: InstalledApp) -> [MountReport] {
        let groups = app.groups.map(\.value)
        return reports { mount in
            mount.isHeld(by: app.bundleID.value) || mount.kind == .group && groups.contains(mount.group ?? "")
                || mount.app == .device && (mount.kind == .device || app.filesName != nil)
        }
    }

    private func reports(where isMeant: (ActiveMount) -> Bool) -> [MountReport] {
        mounts.registry.all.filter(isMeant).compactMap(\.report)
    }

    /// A small file that a client opened.
    static func content(of file: SharedDescriptor) throws -> [UInt8] {
        do {
            return try file.descriptor.readAll()
        } catch .fileTooLarge {
            throw CommandFailure("the property list is larger than 16 MiB: this is none that an app has")
        }
    }
}

extension Sharing {
    init(_ app: InstalledApp) { self.init(itunes: app.sharing.itunes, files: app.sharing.files) }
}

extension InstallReport {
    init(_ result: InstallResult) {
        self.init(
            bundleID: result.app.bundleID.value, name: result.app.name, version: result.app.version,
            isUpgrade: result.replaced != nil, oldVersion: result.replaced?.version, notes: result.notes)
    }
}
