internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import PropertyLists
internal import SandboxRules
internal import SyncLog
internal import Wire

/// The key-value stores of the device's apps: each is opened once, and those who watch one hear what others
/// set.
final class KeyValueStores: Sendable {
    let device: Device
    private let events: EventRing

    private struct State {
        /// Of the account that the device is signed in to, by their identifiers.
        var open: [String: KeyValueStore] = [:]
        var watchers: [ObjectIdentifier: KeyValueWatcher] = [:]
        /// What tells the engine that something was set, where it has the store.
        var wakes: [String: @Sendable () -> Void] = [:]
    }
    /// Held while a store is opened.
    private let state = Lock(State(), rank: .keyValueStores)

    /// Held while a store is changed and shown, and while another account's take their place: what is shown
    /// is what was changed last.
    let changing = Lock<[BundleIdentifier: KeyValueShowing]>([:])

    /// What is to be done by the thread for it.
    let work = Gate(KeyValueWork())

    init(device: Device, events: EventRing) {
        self.device = device
        self.events = events
    }

    /// Which store an app has: by its entitlement, else by its own identifier.
    static func identifier(of app: InstalledApp) -> String {
        let entitlements = app.entitlements.flatMap { try? Entitlements($0) }
        return entitlements?.keyValueStore ?? app.bundleID.value
    }

    func store(of app: InstalledApp) throws -> KeyValueStore { try store(Self.identifier(of: app)) }

    /// All keys of a store with their values, without making one; nil: none was ever used here.
    func values(of identifier: String) throws -> [KeyName: [UInt8]]? {
        try used(identifier)?.values()
    }

    /// How many keys of an app's store were set here and are not in the account.
    func pendingCount(of app: InstalledApp) throws -> Int {
        try used(Self.identifier(of: app))?.pendingCount() ?? 0
    }

    /// For all that shares the store; one that was never used goes on.
    func setPaused(_ isPaused: Bool, of app: InstalledApp) throws {
        try used(Self.identifier(of: app))?.setPaused(isPaused)
    }

    private func used(_ identifier: String) throws -> KeyValueStore? {
        try CloudFolder(device).hasStorage(ofKeyValues: identifier) ? store(identifier) : nil
    }

    func store(_ identifier: String) throws -> KeyValueStore {
        try state.withLock { state in
            if let there = state.open[identifier] { return there }
            let made = try open(identifier, try device.cloudAccount() ?? .none)
            state.open[identifier] = made
            return made
        }
    }

    /// What was set on a device that was signed out is set in the first account that it signs in to, where
    /// nobody knows yet what that has.
    private func open(_ identifier: String, _ account: CloudAccount) throws -> KeyValueStore {
        let store = KeyValueStore(try CloudFolder(device, of: account).storage(ofKeyValues: identifier))
        guard try account.storeURL != .none, try store.isUnused() else { return store }
        let before = KeyValueStore(try CloudFolder(device, of: .none).storage(ofKeyValues: identifier))
        try store.takeOver(before)
        return store
    }

    /// What the engine is given.
    func attached(_ identifier: String) throws -> AttachedKeyValues {
        AttachedKeyValues(
            identifier: identifier, storage: try store(identifier).storage,
            isOverLimit: { [device] values in
                (try? device.settings().limits)?.isExceeded(by: KeyValueLimits.Usage(values)) ?? false
            },
            told: { [weak self] news in
                if case .changed(let change) = news { self?.tell(change, identifier) }
                self?.work.update { work in
                    if case .changed = news { work.showLate(identifier) }
                    work.isNews = true
                }
            })
    }

    /// Another account is signed in to: its keys take the place of what was there.
    func accountHasChanged() {
        let before = changing.withLock { _ in
            state.withLock { state in
                defer { state.open = [:] }
                return state.open
            }
        }
        for (identifier, old) in before.sorted(by: { $0.key < $1.key }) {
            guard let old = try? old.values(), let new = try? store(identifier).values() else { continue }
            let keys = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            if !keys.isEmpty {
                tell(KeyValueChange(reason: .accountChange, keys: keys.sorted()), identifier)
            }
        }
        work.update { $0.isAllShownLate = true }
    }

    /// The app's home is another one, which knows nothing of its store yet, or was not shown what came before
    /// a crash.
    func showAnew(_ app: InstalledApp) {
        work.update { $0.showLate(Self.identifier(of: app)) }
    }

    /// - Parameter wake: of the engine that has the store from now on; nil: none has.
    func setWake(_ wake: (@Sendable () -> Void)?, of identifier: String) {
        state.withLock { $0.wakes[identifier] = wake }
    }

    /// Something was set.
    func wakeEngine(for identifier: String) { state.withLock { $0.wakes[identifier] }?() }

    // MARK: Watching

    func add(_ watcher: KeyValueWatcher) {
        state.withLock { $0.watchers[ObjectIdentifier(watcher)] = watcher }
    }

    func remove(_ watcher: KeyValueWatcher) {
        state.withLock { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(watcher)) }
    }

    private func tell(_ change: KeyValueChange, _ identifier: String) {
        let watchers = state.withLock { $0.watchers.values.filter { $0.identifier == identifier } }
        for watcher in watchers { watcher.tell(change) }
        let keys = change.keys.prefix(3).map(\.text).joined(separator: ", ")
        let more = change.keys.count > 3 ? " and \(change.keys.count - 3) more" : ""
        for app in (try? device.apps()) ?? [] where Self.identifier(of: app) == identifier {
            events.record(
                app: app.bundleID.value, event: "kvs-changed", path: nil,
                detail: "reason \(change.reason.rawValue): \(keys)\(more)")
        }
    }
}

/// Somebody who hears what others set.
final class KeyValueWatcher: Sendable {
    let app: InstalledApp
    let identifier: String
    let wakeUp: WakeUp
    private let changes = Lock<[KeyValueChange]>([])
    /// Whoever reads slower gets the keys of many changes as one.
    private static let most = 100

    init(_ app: InstalledApp) throws {
        self.app = app
        identifier = KeyValueStores.identifier(of: app)
        wakeUp = try WakeUp()
    }

    func tell(_ change: KeyValueChange) {
        changes.withLock { changes in
            if changes.count >= Self.most, let last = changes.last, last.reason == change.reason {
                changes[changes.count - 1].keys = Set(last.keys).union(change.keys).sorted()
            } else {
                changes.append(change)
            }
        }
        wakeUp.signal()
    }

    /// What was told since the last time.
    func take() -> [KeyValueChangeReport] {
        wakeUp.clear()
        let told = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        return told.map { KeyValueChangeReport(reason: $0.reason.rawValue, keys: $0.keys.map(\.text)) }
    }
}

extension DeviceSettings {
    /// Which limits hold for key-value stores.
    var limits: SandboxRules.KeyValueLimits {
        switch keyValueLimits {
        case .ios5: .ios5
        case .current: .current
        }
    }
}

extension SandboxRules.KeyValueLimits.Usage {
    init(_ values: [KeyName: [UInt8]]) {
        self.init(
            keys: values.count, bytes: values.values.reduce(0) { $0 + KeyValueBytes.sizeBytes(of: $1) })
    }
}
