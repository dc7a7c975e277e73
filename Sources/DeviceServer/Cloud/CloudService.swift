internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import Wire

/// The device's sync: the engine of its account while anything needs it, and the apps that it keeps in step.
///
/// An app is watched while a mount wants it (`SyncDemand`); a command may have any app synced once.
final class CloudService: Sendable {
    let device: Device
    let views: Views
    private let events: CloudEvents
    let log: DaemonLog
    private let rates = CloudRates()
    let keyValues: KeyValueStores

    struct State {
        var session: CloudSession?
        var demand = SyncDemand()
        /// By bundle identifier: the apps that mounts want.
        var watched: [String: Watched] = [:]
        /// Commands that use the session now.
        var users = 0
        /// Until it is over nothing begins to sync.
        var isChangingAccount = false
        /// Key-value stores that something needs in step, by their identifiers.
        var keyValues: [String: HeldKeyValues] = [:]
    }

    struct Watched {
        let app: InstalledApp
        /// Nil where it cannot sync now.
        var membership: CloudSession.Membership?
    }

    /// Held while a session or an app's part in it begins or ends: that waits for the disk, and for a step of
    /// the engine, which is cancelled first.
    let state = Lock(State(), rank: .cloudService)

    init(device: Device, views: Views, keyValues: KeyValueStores, log: DaemonLog) {
        self.device = device
        self.keyValues = keyValues
        self.views = views
        self.log = log
        events = CloudEvents(ring: views.events, log: log)
    }

    /// The store of the device; `.none` on one that is signed out.
    var url: StoreURL { get throws { try device.cloudAccount()?.storeURL ?? .none } }

    /// Whether the person lets the app sync, and the device is signed in.
    func syncs(_ app: InstalledApp) throws -> Bool {
        try url != .none && !device.appsWithoutCloud().contains(app.bundleID.value)
    }

    /// What a mount of the app says of its Documents.
    func promise(of app: InstalledApp, noSync: Bool) throws -> String {
        guard !noSync, try syncs(app) else { return "Documents stay on this device" }
        let url = try url
        if case .folder = url {
            return "Documents sync to \(url) (a second copy on this disk; --no-sync leaves it out)"
        }
        return "Documents sync to \(url)"
    }

    func isWatched(_ app: InstalledApp) -> Bool {
        state.withLock { $0.watched[app.bundleID.value] != nil }
    }

    /// Keeps the app in step from now on, or off with `--no-sync`. What goes wrong is said by `status`: no
    /// mount fails for it.
    func homeIsMounted(_ app: InstalledApp, syncs: Bool) {
        keyValues.showAnew(app)
        state.withLock { state in
            state.demand.addHome(of: app, syncs: syncs)
            update(app, &state)
            adjust(KeyValueStores.identifier(of: app), &state)
        }
    }

    /// Ends that, after what is under way; a view of the device may want the app still.
    func homeHasEnded(_ app: InstalledApp) {
        state.withLock { state in
            state.demand.removeHome(of: app)
            // As it is now: it may have been upgraded.
            update((try? device.app(named: app.bundleID.value)) ?? app, &state)
            adjust(KeyValueStores.identifier(of: app), &state)
        }
    }

    /// Keeps all apps in step that a view of the device shows: they join one after the other, for which the
    /// mount does not wait.
    func viewIsMounted(_ mount: Int, showing shows: @escaping @Sendable (InstalledApp) -> Bool) {
        state.withLock { $0.demand.addView(mount, showing: shows) }
        do {
            try NativeThread(name: "joining") { [self] in updateAll() }.detach()
        } catch {
            log.write("what \(mount) shows does not sync: \(error)")
        }
    }

    func viewHasEnded(_ mount: Int) {
        state.withLock { $0.demand.removeView(mount) }
        updateAll()
    }

    private func updateAll() {
        for app in (try? device.apps()) ?? [] { state.withLock { update(app, &$0) } }
    }

    /// The apps whose sync ends with that view.
    func apps(endingWithView mount: Int) throws -> [InstalledApp] {
        let apps = try device.apps()
        return state.withLock { state in apps.filter { state.demand.endsWithView(mount, $0) } }
    }

    /// The app was installed, upgraded, restored or removed: it joins anew, and the store is told what it
    /// shares now.
    func appHasChanged(_ bundleID: String) {
        let app = try? device.app(named: bundleID)
        state.withLock { rejoin(bundleID, app, &$0) }
        // A restore or an upgrade brings no `Library/SyncedPreferences`.
        if let app { keyValues.showAnew(app) }
    }

    /// - Parameter app: as it is now; nil where it is gone.
    private func rejoin(_ bundleID: String, _ app: InstalledApp?, _ state: inout State) {
        if let before = state.watched.removeValue(forKey: bundleID) {
            state.session?.expel(before.app)
            release(before.app, &state)
        }
        if let app { update(app, &state) }
        endIfUnused(&state)
    }

    /// Has the app join or leave, as the mounts want it now.
    private func update(_ app: InstalledApp, _ state: inout State) {
        let bundleID = app.bundleID.value
        let isWanted = state.demand.wants(app)
        if isWanted == (state.watched[bundleID] != nil) { return }
        if isWanted {
            attach(app, &state)
            return hold(app, &state)
        }
        guard let watched = state.watched.removeValue(forKey: bundleID) else { return }
        if let membership = watched.membership { state.session?.remove(membership) }
        release(watched.app, &state)
        endIfUnused(&state)
    }

    /// Runs a command on the account's session, which begins and ends with it where nothing else needs one.
    func withSession<Result>(_ body: (CloudSession) throws -> Result) throws -> Result {
        let session = try state.withLock { state in
            let session = try begun(&state)
            state.users += 1
            return session
        }
        defer {
            state.withLock { state in
                state.users -= 1
                endIfUnused(&state)
            }
        }
        return try body(session)
    }

    /// Runs `body` while nobody syncs the app: what is removed meanwhile is told to no store.
    func withoutSync<Result>(of app: InstalledApp, _ body: (CloudSession?) throws -> Result) throws -> Result
    {
        guard try url != .none else { return try body(nil) }
        return try withSession { session in
            session.bar(app)
            defer { session.unbar(app) }
            return try body(session)
        }
    }

    /// Runs `body` while nothing syncs and no command begins to: it may change the account.
    /// - Throws: where a command uses the account.
    func changeAccount<Result>(_ body: () throws -> Result) throws -> Result {
        try state.withLock { state in
            guard state.users == 0, !state.isChangingAccount else {
                throw CommandFailure("another command is using the account; try again when it has ended")
            }
            stop(&state)
            state.isChangingAccount = true
        }
        defer {
            state.withLock { state in
                state.isChangingAccount = false
                start(&state)
            }
        }
        return try body()
    }

    /// The engine begins anew with it; one that a command uses just now does with the next command.
    func quotaHasChanged() {
        state.withLock { state in
            if state.users == 0, state.session != nil { restart(&state) }
        }
    }

    /// From now on at most so many bytes a second, for good when this returns; 0: no limit; nil: as before.
    func setRates(up: Int64?, down: Int64?) throws {
        if let up { try device.set("upload-rate", String(up)) }
        if let down { try device.set("download-rate", String(down)) }
        try takeRates()
    }

    /// As the device's settings have them.
    private func takeRates() throws {
        let settings = try device.settings()
        rates.up.set(bytesPerSecond: UInt64(clamping: settings.uploadRate))
        rates.down.set(bytesPerSecond: UInt64(clamping: settings.downloadRate))
    }

    /// The person's switch of one app.
    func turn(_ app: InstalledApp, isOn: Bool) throws {
        try state.withLock { state in
            try device.setCloud(of: app, isOn: isOn)
            rejoin(app.bundleID.value, app, &state)
            adjust(KeyValueStores.identifier(of: app), &state)
            endIfUnused(&state)
        }
    }

    private func restart(_ state: inout State) {
        stop(&state)
        start(&state)
    }

    /// What is watched stays so, and begins again with `start`.
    private func stop(_ state: inout State) {
        for watched in state.watched.values { state.session?.expel(watched.app) }
        for identifier in state.keyValues.keys { detach(identifier, &state) }
        state.session?.end()
        state.session = nil
    }

    private func start(_ state: inout State) {
        for watched in state.watched.values { attach(watched.app, &state) }
        for identifier in state.keyValues.keys { adjust(identifier, &state) }
    }

    private func attach(_ app: InstalledApp, _ state: inout State) {
        state.watched[app.bundleID.value] = Watched(app: app)
        do {
            guard try !state.isChangingAccount && syncs(app) else { return }
            let membership = try begun(&state).add(app)
            state.watched[app.bundleID.value]?.membership = membership
        } catch {
            log.write("\(app.name) does not sync: \(CommandFailure(answering: error).message)")
        }
    }

    func begun(_ state: inout State) throws -> CloudSession {
        if let session = state.session { return session }
        guard !state.isChangingAccount else {
            throw CommandFailure("the account is being changed just now; try again in a moment")
        }
        let account = try device.cloudAccount() ?? .none
        try takeRates()
        let session = try CloudSession(account, device: device, views: views, events: events, rates: rates)
        state.session = session
        return session
    }

    func endIfUnused(_ state: inout State) {
        guard state.users == 0, state.session?.isEmpty ?? false else { return }
        state.session?.end()
        state.session = nil
    }
}
