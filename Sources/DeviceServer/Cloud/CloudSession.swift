internal import CloudStore
internal import CloudSync
internal import Device
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
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
    private struct Joined {
        let membership: Membership
        let disk: HomeDisk
        /// Mounts and commands that need the app in the engine.
        var users = 1
    }
    private struct Apps {
        /// By bundle identifier.
        var joined: [String: Joined] = [:]
        var newest = 0
        /// Leaving the device.
        var barred: Set<String> = []
        /// Identifiers of key-value stores.
        var keyValues: Set<String> = []
    }
    /// Held while an app joins or leaves, which waits for the round that is under way.
    private let apps = Lock(Apps(), rank: .cloudSession)

    /// - Throws: signed out; an account whose keys or store cannot be used.
    init(
        _ account: CloudAccount, device: Device, views: Views, events: CloudEvents, rates: CloudRates
    ) throws {
        url = try account.storeURL
        store = try account.open(for: device)
        contact = StoreContact(store)
        folder = try CloudFolder(device, of: account)
        self.views = views
        thread = try EngineThread()
        accountStorage = try folder.accountStorage()
        let watch = Self.watch(store)
        let surroundings = SyncSurroundings(
            store: store, clock: SystemSyncClock(), randomness: SystemSyncRandomness(), executor: thread,
            events: events, settings: try SyncSettings(device, isStoreWatched: watch != nil),
            uploadLimit: rates.up, downloadLimit: rates.down, upkeepExecutor: try EngineThread(),
            replicas: folder)
        let engine = SyncEngine(storage: accountStorage, surroundings: surroundings)
        self.engine = engine
        self.watch = watch.map { watch in
            Task { for await _ in watch.changes { await engine.storeIsThere() } }
        }
        loop = Task(executorPreference: thread) { await engine.run() }
    }

    var isEmpty: Bool { apps.withLock { $0.joined.isEmpty && $0.keyValues.isEmpty } }

    /// Keeps a key-value store in step from now on.
    func add(_ keyValues: AttachedKeyValues) throws {
        try apps.withLock { apps in
            try wait { await $0.add(keyValues) }
            apps.keyValues.insert(keyValues.identifier)
        }
    }

    /// Ends that. What its store is asked just now is given up.
    func removeKeyValues(_ identifier: String) {
        apps.withLock { apps in
            guard apps.keyValues.remove(identifier) != nil else { return }
            try? wait { await $0.removeKeyValues(identifier) }
        }
    }

    /// An app's time in the engine, which one or more need: what began after an `expel` is another one.
    struct Membership: Equatable {
        fileprivate let bundleID: String
        fileprivate let number: Int
    }

    /// Begins to sync an app, or counts one more that needs it; its tree stays open until the last `remove`.
    /// - Throws: where the app is leaving the device.
    func add(_ app: InstalledApp) throws -> Membership {
        try apps.withLock { apps in
            let bundleID = app.bundleID.value
            guard !apps.barred.contains(bundleID) else {
                throw CommandFailure("\(app.name) is being removed from this device")
            }
            if let there = apps.joined[bundleID] {
                apps.joined[bundleID]?.users += 1
                return there.membership
            }
            let disk = try join(app)
            apps.newest += 1
            let membership = Membership(bundleID: bundleID, number: apps.newest)
            apps.joined[bundleID] = Joined(membership: membership, disk: disk)
            engine.wake()
            return membership
        }
    }

    /// - Returns: what the engine sees of it.
    private func join(_ app: InstalledApp) throws -> HomeDisk {
        let tree = try views.take(app)
        do {
            let engine = engine
            let databases = views.databaseAccess(of: app, tree)
            let disk = try HomeDisk(tree: tree, databases: databases, wake: { engine.wake() })
            let storage = try folder.storage(of: app)
            try wait { await $0.add(SyncedApp(app), disk: disk, storage: storage) }
            let folder = folder
            let reader = LateStorage { try folder.reader(of: app) }
            tree.setCloudStatusSource(ItemStates(disk: disk, storage: reader))
            tree.setConflictSource(versions(of: app, reader))
            return disk
        } catch {
            views.giveBack(app)
            throw error
        }
    }

    private func versions(of app: InstalledApp, _ reader: LateStorage) -> ItemVersions {
        let (folder, engine, events) = (folder, engine, views.events)
        return ItemVersions(
            reader: reader, writer: LateStorage { try folder.storage(of: app) },
            opening: { () async throws(SyncTrouble) in try await engine.openAccount() },
            wake: { engine.wake() },
            failed: { trouble in
                events.record(
                    app: app.bundleID.value, event: "download-failed", path: nil, detail: "\(trouble)")
            })
    }

    /// One less needs the app; the last one ends its sync. What that reads or asks just now is given up.
    func remove(_ membership: Membership) {
        apps.withLock { apps in
            let bundleID = membership.bundleID
            guard let there = apps.joined[bundleID], there.membership == membership else { return }
            apps.joined[bundleID]?.users -= 1
            if there.users == 1 {
                apps.joined[bundleID] = nil
                leave(bundleID, there.disk)
            }
        }
    }

    /// Ends an app's sync, whoever needs it, as the last `remove`.
    func expel(_ app: InstalledApp) { apps.withLock { expel(app, &$0) } }

    private func expel(_ app: InstalledApp, _ apps: inout Apps) {
        let bundleID = app.bundleID.value
        if let there = apps.joined.removeValue(forKey: bundleID) { leave(bundleID, there.disk) }
    }

    /// From now on nobody makes the app sync, until `unbar`.
    func bar(_ app: InstalledApp) {
        apps.withLock { apps in
            apps.barred.insert(app.bundleID.value)
            expel(app, &apps)
        }
    }

    func unbar(_ app: InstalledApp) { apps.withLock { _ = $0.barred.remove(app.bundleID.value) } }

    private func leave(_ bundleID: String, _ disk: HomeDisk) {
        // The engine hears of nothing while it reads.
        disk.end()
        try? wait { await $0.remove(bundleID) }
        // The tree would hold the disk, and the disk the tree.
        let tree = views.shownTree(key: bundleID)
        tree?.setCloudStatusSource(nil)
        tree?.setConflictSource(nil)
        views.giveBack(key: bundleID)
    }

    /// Runs `body` with the app in the engine, which it joins for that long where nobody keeps it there.
    func with<Result>(_ app: InstalledApp, _ body: () throws -> Result) throws -> Result {
        let membership = try add(app)
        defer { remove(membership) }
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

    /// The same as long as it is wanted.
    func wait<Result: Sendable>(
        whileWanted check: () throws -> Void,
        _ body: @escaping @Sendable (SyncEngine) async throws -> Result
    ) throws -> Result {
        let engine = engine
        return try Blocking.wait(on: thread, whileWanted: check) { try await body(engine) }
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
