internal import CloudSync
internal import Device
internal import Posix
internal import PropertyLists
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import Wire

/// `kvs`: an app's key-value store, on this device. What is set is durable when a command is answered; the
/// engine has the store for a moment after each command, and as long as somebody watches.
final class KeyValueService: Sendable {
    private let device: Device
    private let stores: KeyValueStores
    private let cloud: CloudService
    private let shown: SyncedPreferences
    private let log: DaemonLog

    /// So long after a command the next one finds the store in step.
    private static let useSeconds = 2.0
    /// So long what was set may take to the cloud's store, where that is away.
    private static let sendSeconds = 30.0

    init(device: Device, views: Views, stores: KeyValueStores, cloud: CloudService, log: DaemonLog) {
        self.device = device
        self.stores = stores
        self.cloud = cloud
        self.log = log
        shown = SyncedPreferences(views: views, owner: device.owner)
    }

    /// Does what a client asks but `watch`.
    func perform(_ request: KeyValueRequest) throws -> Answer {
        let app = try device.app(named: request.app)
        defer { use(app) }
        switch request.action {
        case .get(nil): return .preference(.dictionary(try all(of: app)))
        case .get(let key?):
            guard let bytes = try stores.store(of: app).value(KeyName(key)) else { throw missing(key, app) }
            return .preference(try decoded(bytes, key, app))
        case .set(let items): try set(items, of: app)
        case .delete(let key):
            try change(app) { values in
                guard values[KeyName(key)] != nil else { throw missing(key, app) }
                return [KeyValueStore.Setting(key: KeyName(key), value: nil)]
            }
        case .watch: break
        }
        return .done
    }

    private func all(of app: InstalledApp) throws -> [String: PreferenceValue] {
        var all: [String: PreferenceValue] = [:]
        for (key, bytes) in try stores.store(of: app).values() {
            do { all[key.text] = try KeyValueBytes.decode(bytes) } catch {
                // One that another device set keeps nobody from seeing the others.
                all[key.text] = .other(error.reason)
            }
        }
        return all
    }

    /// - Throws: where the first item that cannot be set is; those before it are set.
    private func set(_ items: [KeyValueItem], of app: InstalledApp) throws {
        let limits = try device.settings().limits
        var failure: CommandFailure?
        try change(app) { values in
            var left = KeyValueRoom(values, limits)
            var settings: [KeyValueStore.Setting] = []
            for item in items {
                do throws(CommandFailure) {
                    settings.append(try left.setting(item, app))
                } catch {
                    failure = error
                    break
                }
            }
            return settings
        }
        if let failure { throw failure }
    }

    private func change(
        _ app: InstalledApp, _ choose: ([KeyName: [UInt8]]) throws -> [KeyValueStore.Setting]
    ) throws {
        let identifier = KeyValueStores.identifier(of: app)
        // Others may have the store too.
        var late = KeyValueLateness(but: app.bundleID)
        try stores.changing.withLock { showings in
            let wall = SystemSyncClock().wallTime() / 1_000_000
            let values = try stores.store(identifier).change(at: wall, choose)
            if let from = showings[app.bundleID]?.from {
                late = KeyValueLateness(from: from)
            } else {
                show(values, of: app, &showings)
            }
        }
        stores.wakeEngine(for: identifier)
        stores.work.update { [late] in $0.showLate(identifier, late) }
    }

    private func decoded(_ bytes: [UInt8], _ key: String, _ app: InstalledApp) throws -> PreferenceValue {
        do { return try KeyValueBytes.decode(bytes) } catch {
            throw CommandFailure(
                "the value of \(key.prefix(200)) of \(app.name) is \(error.reason); set it again")
        }
    }

    private func missing(_ key: String, _ app: InstalledApp) -> CommandFailure {
        CommandFailure(
            "\(app.name) has no key \(key.prefix(200)) in its key-value store; see what it has:"
                + " apphome kvs list \(app.name)")
    }

    // MARK: Watching

    /// Hears what others set in the app's store, until `stop`.
    func watch(_ name: String) throws -> KeyValueWatcher {
        let app = try device.app(named: name)
        let watcher = try KeyValueWatcher(app)
        stores.add(watcher)
        cloud.holdKeyValues(of: app)
        return watcher
    }

    func stop(_ watcher: KeyValueWatcher) {
        stores.remove(watcher)
        cloud.releaseKeyValues(of: watcher.app)
    }

    // MARK: The thread for what takes longer than a command

    /// Whether the daemon is to stay for it.
    var isBusy: Bool { stores.work.update { $0.isBusy } }

    func end() { stores.work.update { $0.isEnded = true } }

    /// Works until `end`, on the caller's thread.
    func run(whenDone: () -> Void) {
        while true {
            let seconds = stores.work.update { $0.secondsToLook }
            if stores.work.wait(timeoutSeconds: seconds, until: Self.isDue) == false { break }
            let work = stores.work.update { $0.take() }
            show(work)
            for (identifier, use) in work.used { look(identifier, use) }
            let isBusy = stores.work.update { work in
                work.isWorking = false
                return work.isBusy
            }
            if !isBusy { whenDone() }
        }
        let left = stores.work.update { $0 }
        show(left)
        for use in left.used.values where use.isHeld {
            cloud.releaseKeyValues(of: use.app)
        }
    }

    /// False at the end; nil while there is nothing to do but to look at the time.
    private static func isDue(_ work: inout KeyValueWork) -> Bool? {
        if work.isEnded { return false }
        let isNew = work.used.values.contains { !$0.isHeld }
        guard work.shownLate.values.contains(where: \.isDue) || work.isAllShownLate || isNew || work.isNews
        else { return nil }
        work.isNews = false
        return true
    }

    /// A command used the app's store.
    private func use(_ app: InstalledApp) {
        guard (try? cloud.syncs(app)) == true else { return }
        stores.work.update { work in
            let identifier = KeyValueStores.identifier(of: app)
            let before = work.used[identifier]
            work.used[identifier] = KeyValueUse(
                app: before?.app ?? app, isHeld: before?.isHeld ?? false,
                until: Deadline(seconds: Self.useSeconds), atLatest: Deadline(seconds: Self.sendSeconds))
        }
    }

    /// Has the engine take a store that is used, and let go of it when it is not any more.
    private func look(_ identifier: String, _ use: KeyValueUse) {
        if !use.isHeld {
            cloud.holdKeyValues(of: use.app)
            stores.work.update { $0.used[identifier]?.isHeld = true }
            return
        }
        guard use.until.hasPassed else { return }
        let isLeft =
            cloud.isInStep(identifier) && (try? stores.store(identifier).pendingCount()) ?? 0 > 0
        guard !isLeft || use.atLatest.hasPassed else { return }
        let isOver = stores.work.update { work in
            guard work.used[identifier]?.until.hasPassed == true else { return false }
            work.used[identifier] = nil
            return true
        }
        if isOver { cloud.releaseKeyValues(of: use.app) }
    }

    private func show(_ work: KeyValueWork) {
        guard work.isAllShownLate || !work.shownLate.isEmpty else { return }
        for app in (try? device.apps()) ?? [] {
            let identifier = KeyValueStores.identifier(of: app)
            let late = work.shownLate[identifier]
            guard work.isAllShownLate || late.map({ $0.but != app.bundleID }) ?? false else { continue }
            stores.changing.withLock { showings in
                do {
                    let values = try stores.values(of: identifier)
                    // An app that never used its store is left alone, but where it may have had another one.
                    guard values != nil || work.isAllShownLate else { return }
                    show(values ?? [:], of: try device.app(named: app.bundleID.value), &showings)
                } catch { noteNotShown(app, error) }
            }
        }
    }

    private func show(
        _ values: [KeyName: [UInt8]], of app: InstalledApp,
        _ showings: inout [BundleIdentifier: KeyValueShowing]
    ) {
        let taken = ContinuousClock().measure {
            do { try shown.write(values, of: app) } catch { noteNotShown(app, error) }
        }
        showings[app.bundleID, default: KeyValueShowing()].note(taken)
    }

    /// The store has it all the same.
    private func noteNotShown(_ app: InstalledApp, _ error: any Error) {
        log.write("Library/SyncedPreferences of \(app.name) is not up to date: \(error)")
    }
}

/// What may still be set, key by key.
private struct KeyValueRoom {
    private let limits: SandboxRules.KeyValueLimits
    private var sizes: [KeyName: Int]
    private var usage: SandboxRules.KeyValueLimits.Usage

    init(_ values: [KeyName: [UInt8]], _ limits: SandboxRules.KeyValueLimits) {
        self.limits = limits
        sizes = values.mapValues { KeyValueBytes.sizeBytes(of: $0) }
        usage = SandboxRules.KeyValueLimits.Usage(keys: sizes.count, bytes: sizes.values.reduce(0, +))
    }

    /// Takes what it needs.
    mutating func setting(
        _ item: KeyValueItem, _ app: InstalledApp
    ) throws(CommandFailure) -> KeyValueStore.Setting {
        func refused(_ reason: String) -> CommandFailure {
            CommandFailure("cannot set \(item.key.prefix(200)) of \(app.name): \(reason); it is as it was")
        }
        guard limits.takesAllTypes || item.value.isSimple else {
            throw refused(
                "iOS 5 took strings, numbers and booleans (for all types: apphome device set kvs-limits"
                    + " current)")
        }
        let bytes: [UInt8]
        do { bytes = try KeyValueBytes.encode(item.value) } catch { throw refused(error.reason) }
        let key = KeyName(item.key)
        let size = KeyValueBytes.sizeBytes(of: bytes)
        guard bytes.count <= LogLimits.valueBytes else { throw refused("its property list is too large") }
        if let reason = limits.refusal(setting: item.key, bytes: size, replacing: sizes[key], in: usage) {
            throw refused(reason)
        }
        usage.bytes += size - (sizes[key] ?? 0)
        if sizes.updateValue(size, forKey: key) == nil { usage.keys += 1 }
        return KeyValueStore.Setting(key: key, value: bytes)
    }
}

extension PreferenceValue {
    /// A value that iOS 5 took.
    fileprivate var isSimple: Bool {
        switch self {
        case .string, .boolean, .integer, .real: true
        case .date, .data, .array, .dictionary, .other: false
        }
    }
}
