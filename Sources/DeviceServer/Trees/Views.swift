internal import CloudSync
internal import Databases
internal import Device
internal import FuseKit
internal import Glibc
internal import HomeFiles
internal import HomeTree
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// What the daemon shows and changes of its apps: one tree for each app's or group's container, however many
/// views and commands use it at once.
final class Views: Sendable {
    let device: Device
    let events: EventRing
    /// What purges took from the apps.
    let purged = PurgedPaths()
    private let possiblyWritten: PossiblyWritten
    private let budget = DescriptorBudget()
    /// Works on databases that apps have open.
    let databases: DatabaseHelper
    /// Leaf. Where homes and groups are mounted, by `TreeSubject.key`.
    let homeDirectories = Lock<[String: String]>([:], rank: .leaf)

    /// A tree that is open: something uses it.
    private struct Shown {
        let tree: HomeTree
        /// Views of the app or group, and commands, that use the tree.
        var users = 0
        /// Parts of views of the whole device that do: nothing is refused for their sake.
        var guests = 0
        /// Whether it may show a bundle that an upgrade has replaced.
        var keepsOld = false

        var isUsed: Bool { users > 0 || guests > 0 }
    }

    /// By `TreeSubject.key`. Held while a tree is opened, so that there is never a second one.
    private let shown = Lock<[String: Shown]>([:], rank: .shownTrees)

    init(device: Device, events: EventRing, possiblyWritten: PossiblyWritten) {
        self.device = device
        self.events = events
        self.possiblyWritten = possiblyWritten
        databases = DatabaseHelper(rights: device.owner.rights)
    }

    /// Starts serving a mount.
    /// - Parameters:
    ///   - fuse: the opened `/dev/fuse`, mounted already.
    ///   - believesCallers: false where root's daemon serves a mount that another user has made.
    ///   - kernelChecksAccess: as the mount was made.
    func serve(
        _ subject: TreeSubject, _ arguments: MountArguments, fuse: SharedDescriptor, believesCallers: Bool,
        kernelChecksAccess: Bool
    ) throws -> ServedView {
        let settings = try device.settings()
        let tree = try take(subject)
        let session: Session
        let lostSearch: LostSearch?
        do {
            let list = arguments.attributeList ?? settings.attributeList.rawValue
            let fileSystem: any FileSystem =
                switch arguments.kind {
                case .home: home(of: tree, arguments, list == "user", kernelChecksAccess)
                case .bundle: try HomeFileSystem(bundleOf: tree, listsPrefixedAttributes: list == "user")
                case .share: try SharingFileSystem(tree: tree, isDeep: arguments.deep)
                case .group: HomeFileSystem(tree: tree, listsPrefixedAttributes: list == "user")
                case .groupView:
                    HomeFileSystem(tree: tree, listsPrefixedAttributes: list == "user", role: .guest)
                case .files, .device: throw CommandFailure("\(arguments.kind.rawValue) is no view of one app")
                }
            let home = fileSystem as? HomeFileSystem ?? (fileSystem as? VersionsFileSystem)?.home
            lostSearch = home?.lostSearch
            var options = SessionOptions(believesCallers: believesCallers)
            options.name = subject.name
            if arguments.kind == .groupView { options.locks = .refused }
            options.transport = TransportChoice(named: arguments.transport)
            options.data = arguments.data.flatMap(DataPath.init) ?? .auto
            session = try Session(
                fileSystem: fileSystem, device: try fuse.descriptor.duplicate(), options: options)
        } catch {
            giveBack(key: subject.key)
            throw error
        }
        let view = ServedView(session, of: tree, lostSearch: lostSearch)
        if arguments.kind == .home || arguments.kind == .group {
            // In one step: a setting that changes meanwhile is not for a tree that has a main view.
            shown.withLock { _ in
                tree.adopt(NamePolicy(name: arguments.names ?? settings.names.rawValue))
                tree.caches.add(view.cache)
            }
        }
        noteHome(of: subject, arguments.kind, at: arguments.directory)
        do { try session.start() } catch {
            // The tree holds the view, and the view the tree.
            endServing(view, arguments.kind, of: subject)
            throw error
        }
        return view
    }

    private func home(
        of tree: HomeTree, _ arguments: MountArguments, _ listsPrefixed: Bool, _ kernelChecksAccess: Bool
    ) -> any FileSystem {
        let home = HomeFileSystem(
            tree: tree, showsBundle: arguments.showsBundle, listsPrefixedAttributes: listsPrefixed,
            kernelChecksAccess: kernelChecksAccess)
        return arguments.showsConflicts ? VersionsFileSystem(home) : home
    }

    /// Gives back what `serve` took for a view, which has ended.
    func endServing(_ view: ServedView, _ kind: MountKind, of subject: TreeSubject) {
        view.leaveTree()
        noteHome(of: subject, kind, at: nil)
        adoptSettings()
        giveBack(key: subject.key)
    }

    /// Has all open trees compare names as the device's settings say, but those of mounted homes and
    /// groups: their kernels believe what they know of names, and a home's mount option may say otherwise.
    func adoptSettings() {
        guard let names = try? device.settings().names else { return }
        shown.withLock { shown in
            for entry in shown.values where entry.tree.caches.isEmpty {
                entry.tree.adopt(NamePolicy(name: names.rawValue))
            }
        }
    }

    /// Whether a file of the app's home is open.
    func isRunning(_ app: InstalledApp) -> Bool { isRunning(app.bundleID.value) }

    func isRunning(_ bundleID: String) -> Bool {
        shown.withLock { $0[bundleID]?.tree.isOpenInHome ?? false }
    }

    /// Runs a command on the app's tree.
    func withTree<R>(of app: InstalledApp, _ body: (HomeTree) throws(Errno) -> R) throws -> R {
        let tree = try take(app)
        defer { giveBack(app) }
        return try body(tree)
    }

    /// Asks of every file whether somebody writes it, so that the next tree of the same need not suspect all.
    private func lookForWriters(of key: String, _ tree: HomeTree) {
        let search = try? NativeThread(name: "writers") { [self] in
            let isInUse: () -> Bool = { self.shown.withLock { $0[key]?.tree === tree } }
            if tree.isUnwritten(while: isInUse) { possiblyWritten.remove(key) }
        }
        search?.detach()
    }

    /// The app's tree, until it is given back.
    func take(_ app: InstalledApp) throws -> HomeTree { try take(.app(app)) }

    private func take(_ subject: TreeSubject, asGuest isGuest: Bool = false) throws -> HomeTree {
        let policy = NamePolicy(name: try device.settings().names.rawValue)
        return try shown.withLock { shown in
            var entry = try shown[subject.key] ?? Shown(tree: try open(subject, policy))
            if isGuest { entry.guests += 1 } else { entry.users += 1 }
            shown[subject.key] = entry
            return entry.tree
        }
    }

    /// The tree of an app or a group, for a part of a view of the whole device. It keeps nobody from changing
    /// or removing the app; what is gone then is gone in that part too.
    func takeAsGuest(_ subject: TreeSubject) throws -> HomeTree { try take(subject, asGuest: true) }

    /// - Parameter tree: as `takeAsGuest` returned it; another may have the key by now.
    func giveBackAsGuest(_ tree: HomeTree, key: String) { giveBack(key: key, tree) { $0.guests -= 1 } }

    /// The next `take` opens a new tree: the container of this one is gone.
    func forgetTree(key: String) { shown.withLock { _ = $0.removeValue(forKey: key) } }

    /// The app's tree, where it is open.
    func shownTree(of app: InstalledApp) -> HomeTree? { shownTree(key: app.bundleID.value) }

    func shownTree(key: String) -> HomeTree? { shown.withLock { $0[key]?.tree } }

    /// The trees of an app and its groups that are open; those of all where it is nil.
    func shownTrees(of app: InstalledApp?) -> [HomeTree] {
        let keys = app.map { [$0.bundleID.value] + $0.groups.map { TreeSubject.key(ofGroup: $0.value) } }
        return shown.withLock { shown in (keys ?? Array(shown.keys)).compactMap { shown[$0]?.tree } }
    }

    /// - Throws: where a command or a mount has the app's tree open.
    func refuseInUse(_ app: InstalledApp) throws(CommandFailure) {
        if shown.withLock({ ($0[app.bundleID.value]?.users ?? 0) > 0 }) {
            throw CommandFailure("another command uses \(app.name); try again when it has ended")
        }
    }

    func giveBack(_ app: InstalledApp) { giveBack(key: app.bundleID.value) }

    func giveBack(key: String) { giveBack(key: key, nil) { $0.users -= 1 } }

    /// - Parameter tree: nil for whichever has the key.
    private func giveBack(key: String, _ tree: HomeTree?, _ change: (inout Shown) -> Void) {
        guard let entry = changed(key, tree, change), !entry.isUsed else { return }
        entry.tree.finishEvents(timeoutSeconds: Self.finishSeconds)
        guard entry.keepsOld, let bundleID = BundleIdentifier(key) else { return }
        // Else the device's next start removes it.
        try? device.removeReplacedBundles(of: bundleID)
    }

    /// How long look-ups that wait for a directory to be read keep a tree.
    private static let finishSeconds = 1.0

    /// Changes what is known of an open tree, and forgets one that nobody uses any more.
    /// - Returns: it after the change; nil where it is not open.
    private func changed(
        _ key: String, _ tree: HomeTree? = nil, _ change: (inout Shown) -> Void
    ) -> Shown? {
        shown.withLock { shown in
            guard var entry = shown[key], tree == nil || entry.tree === tree else { return nil }
            change(&entry)
            shown[key] = entry.isUsed ? entry : nil
            return entry
        }
    }

    /// As `take`, where the app's tree is open; nil where it is not.
    func takeIfShown(_ app: InstalledApp) -> HomeTree? {
        shown.withLock { shown in
            shown[app.bundleID.value]?.users += 1
            return shown[app.bundleID.value]?.tree
        }
    }

    /// As `giveBack`, in an upgrade: if others have the tree, the last of them removes the replaced bundle.
    /// - Returns: whether others have it.
    func giveBackAfterUpgrade(_ app: InstalledApp) -> Bool {
        let entry = changed(app.bundleID.value) { entry in
            entry.users -= 1
            entry.keepsOld = true
        }
        return entry?.isUsed ?? false
    }

    /// The tree of a container that is in no view, and that no other process has.
    func openAside(_ container: StagedRestore.Container, _ policy: NamePolicy) throws -> HomeTree {
        let staging = try device.openStaging(of: container)
        let opened = try Descriptor(at: container.directory.raw, ".", flags: O_DIRECTORY)
        return try HomeTree(container: opened, staging: staging, policy: policy, budget: budget)
    }

    private func open(_ subject: TreeSubject, _ policy: NamePolicy) throws -> HomeTree {
        // A process that may not take leases cannot find out, and its mounts passed nothing through.
        let isPossiblyWritten = Passthrough.isPermitted && possiblyWritten.contains(subject.key)
        let events = AppEvents(app: subject.identifier, ring: events, purged: purged)
        let tree: HomeTree
        switch subject {
        case .app(let app):
            let container = try device.openDataContainer(app)
            let bundle: Descriptor? = app.isPlaceholder ? nil : try device.openBundle(app)
            tree = try HomeTree(
                container: container, staging: try device.openStaging(of: app), bundle: bundle,
                bundleName: app.bundleName, policy: policy, budget: budget, reserve: device.reserve,
                isPossiblyWritten: isPossiblyWritten, events: events)
        case .group(let group):
            tree = try HomeTree(
                container: try device.openGroupContainer(group.group),
                staging: try device.openStaging(of: group.group), rootPlace: .group, policy: policy,
                budget: budget, reserve: device.reserve, isPossiblyWritten: isPossiblyWritten,
                events: events)
        }
        try tree.emptyStaging()
        // Whether it syncs from now on or not. What cannot come back now must not keep the home shut.
        if case .app = subject { _ = try? HomeDisk(tree: tree).bringBackParked() }
        if isPossiblyWritten { lookForWriters(of: subject.key, tree) }
        return tree
    }
}

extension NamePolicy {
    /// By the name that settings and options have for it.
    init(name: String) {
        switch name {
        case "simulator": self = .simulator
        case "legacy": self = .legacy
        default: self = .device
        }
    }
}

extension TransportChoice {
    /// As a mount option has it; `.auto` where it was not given.
    init(named name: String?) { self = name.flatMap { Self(rawValue: $0) } ?? .auto }
}

/// What serves a mount's requests.
final class ServedView: Sendable {
    private let session: Session
    /// Nil where it shows a store, or many containers.
    private let tree: HomeTree?
    private let reason: String?
    fileprivate let cache: SessionCache

    /// - Parameter reason: why contents never pass through this view; nil: the session knows.
    init(
        _ session: Session, of tree: HomeTree? = nil, lostSearch: LostSearch? = nil, reason: String? = nil
    ) {
        self.reason = reason
        self.session = session
        self.tree = tree
        cache = SessionCache(session, lostSearch: lostSearch)
    }

    /// How file contents travel, for `info`.
    var dataPath: String { dataReason == nil ? "passthrough" : "splice" }
    /// Why not by passthrough; nil where it is.
    var dataReason: String? { reason ?? session.passthroughRefusal?.reason }
    /// How requests travel; known once the view is ready.
    var transport: TransportReport { session.transport ?? TransportReport(kind: .classic) }

    fileprivate func leaveTree() { tree?.caches.remove(cache) }

    /// Waits until the kernel has started it. False after the timeout, or where it ended first.
    func waitUntilReady(timeoutSeconds: Double) -> Bool {
        session.waitUntilReady(timeoutSeconds: timeoutSeconds)
    }

    /// Waits until the kernel's side is gone and all is closed.
    func waitUntilEnded() { session.waitUntilEnded() }
}

/// Puts what a tree tells into the device's ring, under the app's identifier.
final class AppEvents: EventSink {
    private let app: String
    private let ring: EventRing
    private let purged: PurgedPaths

    init(app: String, ring: EventRing, purged: PurgedPaths) {
        self.app = app
        self.ring = ring
        self.purged = purged
    }

    func hasPurged(_ path: () -> String) -> Bool { purged.take(path, of: app) }

    func record(_ event: Event) {
        let (name, item, detail) = event.kind.parts
        let path = item.map { item in
            [event.directory, item].filter { !$0.isEmpty }.joined(separator: "/")
        }
        ring.record(app: app, event: name, path: path, detail: detail, event.program)
    }
}

extension Event.Kind {
    /// The event's name, the item's name ("": its directory itself; nil: it is of no item), and what else a
    /// person should know.
    fileprivate var parts: (name: String, item: String?, detail: String) {
        switch self {
        case .caseNearMiss(let asked, let stored):
            ("case-near-miss", asked, "not found; \(stored) is there, and only case differs")
        case .caseSaved(let asked, let stored):
            ("case-saved", asked, "found as \(stored); a device would not find it")
        case .unexamined(let count):
            ("unexamined", nil, "\(count) names were not examined: too many at once")
        case .skipBackupLost(let name):
            (
                "skip-backup-lost", name,
                "without the skip-backup flag now; set it again after each save or move"
            )
        case .purgedMissed(let name):
            ("purged-missed", name, "not found: a purge took it, as a device may at any time")
        case .refused(let operation, let name, let rule, let error):
            ("refused", name, "\(operation): \(error.symbol): \(rule)")
        }
    }
}
