internal import CloudStore
internal import CloudSync
internal import Device
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import Wire

/// An account in use: its store, its engine, and the thread they run on.
final class CloudSession: Sendable {
    let url: StoreURL
    let store: any ObjectStore
    let engine: SyncEngine
    /// Of the account's own log.
    let accountStorage: any SyncStorage
    let contact: StoreContact
    let thread: EngineThread
    private let folder: CloudFolder
    let views: Views
    private let loop: Task<Void, Never>
    /// Wakes the engine where the store tells of others' changes; nil where it has to be asked.
    private let watch: Task<Void, Never>?
    private struct Apps {
        /// By bundle identifier.
        var joined: [String: InstalledApp] = [:]
        /// Leaving the device.
        var barred: Set<String> = []
    }
    /// Held while an app joins or leaves, which waits for the round that is under way.
    private let apps = Lock(Apps())

    /// - Throws: signed out; an account whose keys or store cannot be used.
    init(
        _ account: CloudAccount, device: Device, views: Views, events: CloudEvents, rates: CloudRates
    ) throws {
        url = try account.storeURL
        store = try account.open(for: device)
        contact = StoreContact(store)
        folder = try CloudFolder(device, account: url)
        self.views = views
        thread = try EngineThread()
        accountStorage = try folder.accountStorage()
        let watch = Self.watch(store)
        let surroundings = SyncSurroundings(
            store: store, clock: SystemSyncClock(), randomness: SystemSyncRandomness(), executor: thread,
            events: events, settings: try SyncSettings(device, isStoreWatched: watch != nil),
            uploadLimit: rates.up, downloadLimit: rates.down)
        let engine = SyncEngine(storage: accountStorage, surroundings: surroundings)
        self.engine = engine
        self.watch = watch.map { watch in
            Task { for await _ in watch.changes { await engine.storeIsThere() } }
        }
        loop = Task(executorPreference: thread) { await engine.run() }
    }

    var isEmpty: Bool { apps.withLock { $0.joined.isEmpty } }

    /// Begins to sync an app; its tree stays open until `remove`.
    /// - Throws: where the app is leaving the device.
    func add(_ app: InstalledApp) throws {
        try apps.withLock { apps in
            guard !apps.barred.contains(app.bundleID.value) else {
                throw CommandFailure("\(app.name) is being removed from this device")
            }
            try join(app)
            apps.joined[app.bundleID.value] = app
        }
        engine.wake()
    }

    private func join(_ app: InstalledApp) throws {
        let tree = try views.borrow(app)
        do {
            let engine = engine
            let disk = try HomeDisk(tree: tree, databases: databases(of: app, tree), wake: { engine.wake() })
            let storage = try folder.storage(of: app)
            try wait { await $0.add(SyncedApp(app), disk: disk, storage: storage) }
            let folder = folder
            tree.setCloudStatusSource(ItemStates(disk: disk) { try folder.reader(of: app) })
        } catch {
            views.giveBack(app)
            throw error
        }
    }

    /// Reads the databases that the app has open.
    func databases(of app: InstalledApp, _ tree: HomeTree) -> HelperDatabases {
        let (views, identifier) = (views, app.bundleID.value)
        return HelperDatabases(helper: views.databases) { views.documentsPath(of: identifier, tree) }
    }

    /// Ends that after the step that is under way.
    func remove(_ app: InstalledApp) {
        apps.withLock { apps in
            guard apps.joined.removeValue(forKey: app.bundleID.value) != nil else { return }
            leave(app)
        }
    }

    /// From now on nobody makes the app sync, until `unbar`.
    func bar(_ app: InstalledApp) {
        apps.withLock { apps in
            apps.barred.insert(app.bundleID.value)
            if apps.joined.removeValue(forKey: app.bundleID.value) != nil { leave(app) }
        }
    }

    func unbar(_ app: InstalledApp) { apps.withLock { _ = $0.barred.remove(app.bundleID.value) } }

    private func leave(_ app: InstalledApp) {
        let identifier = app.bundleID.value
        try? wait { await $0.remove(identifier) }
        // The tree would hold the disk, and the disk the tree.
        views.shownTree(of: app)?.setCloudStatusSource(nil)
        views.giveBack(app)
    }

    /// Runs `body` with the app in the engine, which it joins for that long where no mount keeps it there.
    func with<Result>(_ app: InstalledApp, _ body: () throws -> Result) throws -> Result {
        if apps.withLock({ $0.joined[app.bundleID.value] != nil }) { return try body() }
        try add(app)
        defer { remove(app) }
        return try body()
    }

    /// What the device remembers of an app, whether it syncs now or not.
    func storage(of app: InstalledApp) throws -> any SyncStorage { try folder.storage(of: app) }

    /// The same for who only looks.
    func reader(of app: InstalledApp) throws -> any SyncStorage { try folder.reader(of: app) }

    /// Ends the loop; what is not up goes up the next time.
    func end() {
        loop.cancel()
        watch?.cancel()
        engine.wake()
    }

    /// Runs `body` on the engine's thread, and waits for it on this one, which must not be the engine's.
    func wait<Result: Sendable>(
        _ body: @escaping @Sendable (SyncEngine) async throws -> Result
    ) throws -> Result {
        let engine = engine
        return try Blocking.wait(on: thread) { try await body(engine) }
    }

    /// Nil where the store has to be asked.
    private static func watch(_ store: any ObjectStore) -> DirectoryWatch? {
        guard let folder = store as? DirectoryStore else { return nil }
        return try? DirectoryWatch(of: folder, folder: "v1/hint")
    }
}

extension SyncSettings {
    init(_ device: Device, isStoreWatched: Bool) throws {
        self.init(
            deviceName: Process.hostName, quotaBytes: UInt64(clamping: try device.settings().quotaBytes))
        self.isStoreWatched = isStoreWatched
    }
}

extension SyncedApp {
    init(_ app: InstalledApp) {
        let keys = [
            app.sharing.opensInPlace ? "LSSupportsOpeningDocumentsInPlace" : nil,
            app.sharing.itunes ? "UIFileSharingEnabled" : nil,
            app.sharing.documentBrowser ? "UISupportsDocumentBrowser" : nil,
        ]
        self.init(
            identifier: app.bundleID.value, displayName: app.displayName,
            sharingKeys: keys.compactMap { $0 })
    }
}

/// How fast bytes may go, in common for all that the device syncs.
struct CloudRates: Sendable {
    let up = RateLimit(clock: SystemSyncClock())
    let down = RateLimit(clock: SystemSyncClock())
}
