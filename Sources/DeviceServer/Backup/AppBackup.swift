internal import Backup
internal import Databases
internal import Device
internal import Glibc
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// The containers that a backup holds of some apps, as they are now, used or not.
struct AppBackup {
    let apps: [InstalledApp]
    let groups: [GroupIdentifier]
    private let service: BackupService
    /// How the device's apps are called, by their identifiers.
    private let words: [String: String]

    /// - Parameter names: none: all apps of the device.
    init(of names: [String], on service: BackupService) throws {
        self.service = service
        var chosen: [InstalledApp] = []
        for name in names {
            let app = try service.device.app(named: name)
            if !chosen.contains(app) { chosen.append(app) }
        }
        let all = try service.device.apps()
        words = Dictionary(all.map { ($0.bundleID.value, all.word(for: $0.bundleID)) }) { $1 }
        apps = names.isEmpty ? all : chosen
        guard !apps.isEmpty else {
            throw CommandFailure("there is no app on this device: make one with: apphome new NAME")
        }
        groups = Set(apps.flatMap(\.groups)).sorted { $0.value < $1.value }
    }

    /// How an app or a group of the backup is called.
    func word(for owner: String) -> String { words[owner] ?? owner }

    /// A domain for each app and each of their groups; a group that has no container yet has none.
    func sources() throws -> [DomainTree] {
        try apps.map { try tree(of: $0, .backup(.appData)) } + groupTrees(.backup(.group)).map(\.tree)
    }

    /// The containers of the groups.
    func groupTrees(_ rule: DomainTree.Rule) throws -> [(group: String, tree: DomainTree)] {
        let (service, views) = (service, service.views)
        return try groups.compactMap { group in
            guard let container = try container(of: group) else { return nil }
            let key = TreeSubject.key(ofGroup: group.value)
            let place: DatabasePlace = { views.homeDirectory(of: key) ?? pathOfDescriptor(container.raw) }
            let tree = DomainTree(
                domain: BackupReader.domain(ofGroup: group.value), root: container, rule: rule,
                copyDatabase: { try service.copyDatabase($0, in: place, to: $1) })
            return (group.value, tree)
        }
    }

    /// An app's container, with databases as one unit each.
    func tree(of app: InstalledApp, _ rule: DomainTree.Rule) throws -> DomainTree {
        let container = SharedDescriptor(try service.device.openDataContainer(app))
        let views = service.views
        // Asked for each database: a home may be mounted or unmounted meanwhile.
        let place: DatabasePlace = {
            views.homeDirectory(of: app.bundleID.value) ?? pathOfDescriptor(container.raw)
        }
        let service = service
        return DomainTree(
            domain: BackupReader.domain(ofApp: app.bundleID.value), root: container, rule: rule,
            copyDatabase: { try service.copyDatabase($0, in: place, to: $1) },
            guarding: { try service.whileNothingMoves(in: app, $0) })
    }

    private func container(of group: GroupIdentifier) throws -> SharedDescriptor? {
        do {
            return SharedDescriptor(try service.device.openGroupContainer(group))
        } catch {
            if error.kind == .badValue { return nil }
            throw error
        }
    }
}

/// Where a container is seen now: through its mount while there is one, else where it lies.
typealias DatabasePlace = @Sendable () -> String?

extension BackupService {
    /// How long is waited for names that sync exchanges just then, which may need a download.
    private static let parkedSeconds = 20.0

    /// Runs `walk` while sync moves nothing in the app's home: it would miss that.
    fileprivate func whileNothingMoves(in app: InstalledApp, _ walk: () throws -> Void) throws {
        let tree = try views.take(app)
        defer { views.giveBack(app) }
        let deadline = Deadline(seconds: Self.parkedSeconds)
        let walked: Void? = try tree.whileNothingMoves(
            waiting: {
                usleep(Self.pauseMicroseconds / 10)
                return !deadline.hasPassed
            }, walk)
        guard walked != nil else {
            throw CommandFailure("documents of \(app.name) are just being put in place; try again")
        }
    }

    /// How long a database is tried for that its app has locked, or whose home is being unmounted.
    private static let databaseSeconds = 20.0
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Copies a database as one unit, by the helper process (SYNC.md 5).
    /// - Parameter path: from the container's root.
    /// - Returns: false for one that its app held all the while, or that SQLite cannot read.
    func copyDatabase(_ path: String, in place: DatabasePlace, to target: Int32) throws -> Bool {
        let deadline = Deadline(seconds: Self.databaseSeconds)
        while true {
            // Long names would not fit into the paths that SQLite takes, and short ones find the same files.
            let stored = LongName.storedPath(for: path)
            let outcome = place().map { views.databases.copy("\($0)/\(stored)", to: target) } ?? .busy
            switch outcome {
            case .done: return true
            case .unreadable: return false
            case .full: throw Errno.noSpace
            // It failed where who unmounts ended it: then the next one finds another path.
            case .busy, .failed: if deadline.hasPassed { return false }
            }
            usleep(Self.pauseMicroseconds)
        }
    }
}
