internal import Backup
internal import Device
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

extension ClientConnection {
    /// Does what a client asks of backups; ends it when the client goes, for nobody waits for it then.
    func backUp(_ request: BackupRequest, _ descriptors: [SharedDescriptor]) throws -> BackupAnswer {
        // Root gets no more than the owner: what is read and written lies where he can put other files.
        let rights = ClientRights(daemon.device.owner)
        return try daemon.backups.perform(
            request, descriptors, rights, undoListing, heldSnapshots, BackupProgress(WorkMeter(report)))
    }
}

/// Backups of the device's apps, and restores.
struct BackupService: Sendable {
    let device: Device
    let devicePath: String
    let log: DaemonLog
    let views: Views
    let cloud: CloudService
    let mounts: MountService
    let groups: GroupService
    let discarded: DiscardedRemoval

    func perform(
        _ request: BackupRequest, _ descriptors: [SharedDescriptor], _ rights: ClientRights,
        _ undoListing: UndoListing, _ held: HeldSnapshots, _ progress: BackupProgress
    ) throws -> BackupAnswer {
        switch request {
        case .create(let arguments):
            try refuseOwnFolder(descriptors[0])
            return .created(try createBackup(arguments, in: descriptors[0], rights, progress))
        case .measure(let apps):
            return .measured(try BackupMeter.measure(AppBackup(of: apps, on: self), progress))
        case .restore(let arguments):
            return restored(try restore(arguments, from: descriptors[0], rights, progress))
        case .restorePackage(let app, let remounts):
            let work = restoreWork(remounts, rights, progress)
            return restored(try restorePackage(descriptors[0], to: app, work))
        case .createSnapshot(let arguments):
            return .created(try createSnapshot(arguments, rights, progress))
        case .listSnapshots: return .snapshots(try snapshots(progress))
        case .restoreSnapshot(let arguments):
            return restored(try restoreSnapshot(arguments, rights, progress))
        case .undoRestore(let app, let remounts, let isConfirmed):
            let work = restoreWork(remounts, rights, progress)
            return restored(RestoreOutcome(apps: [try undoRestore(of: app, isConfirmed, work)]))
        case .reset(let app, let remounts):
            let work = restoreWork(remounts, rights, progress, "reset")
            return restored(RestoreOutcome(apps: [try work.reset(try device.app(named: app))]))
        case .createPackage(let app, let name):
            try refuseOwnFolder(descriptors[0])
            return .created(try createPackage(of: app, named: name, in: descriptors[0], rights, progress))
        case .forgetUndo(let apps, let isConfirmed):
            return .undoCopies(try forgetUndo(of: apps, isConfirmed, undoListing))
        case .home(let request): return try perform(request, held, progress)
        }
    }

    private func createBackup(
        _ arguments: BackupArguments, in folder: SharedDescriptor, _ rights: ClientRights,
        _ progress: BackupProgress
    ) throws -> BackupCreated {
        let backup = try AppBackup(of: arguments.apps, on: self)
        let measure = try BackupMeter.measure(backup, progress)
        if let most = arguments.mostBytes { try measure.check(mostBytes: most) }
        progress.expect(measure.bytes)
        guard let backedUp = backedUpDevice else { throw CommandFailure("the device's id is damaged") }
        var options = BackupOptions(
            device: backedUp,
            apps: backup.apps.map {
                BackedUpApp(bundleID: $0.bundleID.value, version: $0.version, name: $0.name)
            },
            password: arguments.password.map { Array($0.utf8) })
        if arguments.prunes { options.keeps = try domainsOfDevice() }
        let scratch = try device.openScratch()
        let sources = try backup.sources()
        let report = try rights.run {
            try BackupWriter.run(
                options, sources: sources, in: folder.descriptor, scratch: scratch,
                progress: { try progress($0.bytes) })
        }
        var created = BackupCreated(report, name: backedUp.identifier)
        created.take(backup)
        created.pruned = arguments.prunes ? report.dropped : nil
        log.write("backed up \(created.apps.count) apps, \(created.files) files")
        return created
    }

    /// Tells whether a domain of a backup is of an app on the device, of a group of one, or of neither kind.
    private func domainsOfDevice() throws -> @Sendable (String) -> Bool {
        let apps = try device.apps()
        let owners = Set(apps.map(\.bundleID.value)).union(apps.flatMap(\.groups).map(\.value))
        return { domain in BackupReader.owner(of: domain).map { owners.contains($0.identifier) } ?? true }
    }

    private func createPackage(
        of name: String, named package: String, in folder: SharedDescriptor, _ rights: ClientRights,
        _ progress: BackupProgress
    ) throws -> BackupCreated {
        let backup = try AppBackup(of: [name], on: self)
        let app = backup.apps[0]
        let tree = try backup.tree(of: app, .everything)
        progress.expect(try BackupMeter.bytes(of: tree, progress))
        let info = XcappData.Info(bundleID: app.bundleID.value, name: app.displayName, version: app.version)
        let report = try rights.run {
            try XcappData.write(
                info, tree, named: package, in: folder.descriptor, progress: { try progress($0.bytes) })
        }
        var created = BackupCreated(report, name: package)
        created.take(backup)
        created.groups = []
        return created
    }

    /// What is written into a mount of this daemon's would wait for itself; and a backup in the device's own
    /// folder would go with the device.
    private func refuseOwnFolder(_ folder: SharedDescriptor) throws {
        let path = pathOfDescriptor(folder.raw) ?? ""
        let own = pathOfDescriptor(device.directory) ?? devicePath
        guard try device.ownMount(holding: folder.raw) == nil, !path.isPath(in: own) else {
            throw CommandFailure("\(path) lies in this device or one of its mounts: give another folder")
        }
    }

    /// This device, as a backup names it: an identifier of the newer form, the same for the device's life.
    private var backedUpDevice: BackedUpDevice? {
        let digits = device.id.filter(\.isHexDigit).uppercased()
        let name = devicePath.pathParts.last ?? "apphome"
        return BackedUpDevice(identifier: "00008110-\(digits.prefix(16))", name: name)
    }
}

extension BackupCreated {
    init(_ report: BackupReport, name: String) {
        self.init(name: name)
        (items, files, bytes) = (report.items, report.files, report.bytes)
        unchangedFiles = report.unchangedFiles
        leftOut = report.leftOut.map {
            BackupOmission(domain: $0.domain, path: $0.path, reason: $0.reason.rawValue)
        }
        (leftOutCount, flagged) = (report.leftOutCount, report.flagged)
    }

    /// What it is of.
    mutating func take(_ backup: AppBackup) {
        apps = backup.apps.map(\.bundleID.value)
        appNames = apps.map(backup.word)
        groups = backup.groups.map(\.value)
    }
}
