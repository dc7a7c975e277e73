internal import Doctor
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import Wire

/// One app that `doctor` looks through, mounted as for a program: the app counts as running meanwhile, so
/// nothing purges or replaces what is read.
struct DoctorRun {
    private let stage: AppStage
    private let options: Examination.Options
    private let facts: DoctorFacts
    private let location: DeviceLocation

    init(of app: String, at location: DeviceLocation, _ options: Examination.Options) throws {
        facts = try DaemonClient.connect(to: location).ask(.doctorFacts(of: app))
        stage = try AppStage(app, command: "doctor", at: location, noSync: true)
        self.options = options
        self.location = location
    }

    /// Looks through apps, one after the other. One that cannot be looked at is named on standard error, and
    /// its report is missing.
    /// - Throws: what hinders the only one.
    static func reports(
        of apps: [String], at location: DeviceLocation, _ options: Examination.Options
    ) throws -> [AppFindings] {
        try apps.compactMap { app in
            do { return try DoctorRun(of: app, at: location, options).report() } catch {
                guard apps.count > 1 else { throw error }
                let message = CommandFailure(describing: error).message
                printError("apphome: error: " + printable("\(app): \(message)"))
                return nil
            }
        }
    }

    /// Looks through it, and unmounts what was mounted for that.
    func report() throws -> AppFindings {
        defer { leave() }
        let home = try Descriptor(stage.home, flags: O_DIRECTORY)
        let bundle = try Descriptor(stage.bundle, flags: O_DIRECTORY)
        let groups = try stage.grant.groups.compactMap { group in
            try stage.groups.first { $0.container == group.container }.map {
                (
                    name: group.name, path: $0.path,
                    directory: try SharedDescriptor(Descriptor($0.path, flags: O_DIRECTORY))
                )
            }
        }
        let places = Examination.Places(
            home: home.raw, bundle: bundle.raw, groups: groups.map { ($0.name, $0.directory.raw) })
        let app = ExaminedApp(facts, bundleName: stage.grant.bundleName)
        let databases = DatabaseSearchProcess(
            known: app.containers.ids, home: try MountPoint.resolve(stage.home),
            groups: Dictionary(groups.map { ($0.name, $0.path) }) { first, _ in first },
            time: options.databaseTime)
        let examination = Examination(of: app, in: places, options, databases: databases)
        examination.run()
        withExtendedLifetime(groups) {}
        return AppFindings(
            name: stage.grant.name, bundleID: stage.grant.bundleID, files: examination.files,
            bytes: examination.bytes, found: try joined(examination.found))
    }

    /// What is found on the disk, and what the daemon remembers of the app's programs.
    private func joined(_ found: FindingList) throws -> FindingList {
        var found = found
        let app = stage.grant.bundleID
        try RememberedEvents(of: app, from: DaemonClient.connect(to: location)).add(to: &found, app: app)
        return found
    }

    private func leave() {
        do { try stage.leave() } catch {
            printError("apphome: note: " + printable(CommandFailure(describing: error).message))
        }
    }
}

extension ExaminedApp {
    init(_ facts: DoctorFacts, bundleName: String) {
        let entries = facts.containers.compactMap { container in
            ContainerID(container.uuid).map {
                (
                    $0,
                    ContainerBook.Entry(
                        kind: container.kind, identifier: container.identifier, isCurrent: container.isCurrent
                    )
                )
            }
        }
        self.init(
            bundleName: bundleName,
            sharing: SharingKeys(
                itunes: facts.sharing.itunes, opensInPlace: facts.sharing.opensInPlace,
                documentBrowser: facts.sharing.documentBrowser),
            syncs: facts.syncs, hasUbiquity: facts.hasUbiquity,
            keyValues: facts.keyValues.map(KeyValues.init),
            sealDifferences: facts.sealDifferences.map { SealDifference(path: $0.path, change: $0.change) },
            sealDamage: facts.sealDamage,
            containers: ContainerBook(Dictionary(entries) { first, _ in first }))
    }
}

extension ExaminedApp.KeyValues {
    init(_ facts: KeyValueFacts) {
        self.init(
            usage: .init(keys: facts.keys, bytes: facts.bytes),
            limits: .init(keys: facts.mostKeys, bytes: facts.mostBytes), isEntitled: facts.isEntitled)
    }
}
