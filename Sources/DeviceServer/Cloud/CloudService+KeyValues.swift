internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import Wire

/// A key-value store that something needs in step: mounts of its apps, a command, somebody who watches.
struct HeldKeyValues {
    /// By bundle identifier: how many need it for that app.
    var apps: [String: (app: InstalledApp, count: Int)] = [:]
    /// Whether the engine has it.
    var isAttached = false
}

extension CloudService {
    /// Keeps the app's key-value store in step until it was released as often, while the app may sync. What
    /// goes wrong is in the log.
    func holdKeyValues(of app: InstalledApp) { state.withLock { hold(app, &$0) } }

    func releaseKeyValues(of app: InstalledApp) {
        state.withLock { state in
            release(app, &state)
            endIfUnused(&state)
        }
    }

    /// Whether the engine has it.
    func isInStep(_ keyValues: String) -> Bool {
        state.withLock { $0.keyValues[keyValues]?.isAttached ?? false }
    }

    func hold(_ app: InstalledApp, _ state: inout State) {
        let (identifier, bundleID) = (KeyValueStores.identifier(of: app), app.bundleID.value)
        state.keyValues[identifier, default: HeldKeyValues()].apps[bundleID, default: (app, 0)].count += 1
        adjust(identifier, &state)
    }

    func release(_ app: InstalledApp, _ state: inout State) {
        let (identifier, bundleID) = (KeyValueStores.identifier(of: app), app.bundleID.value)
        guard let held = state.keyValues[identifier]?.apps[bundleID] else { return }
        state.keyValues[identifier]?.apps[bundleID] = held.count == 1 ? nil : (held.app, held.count - 1)
        adjust(identifier, &state)
        if state.keyValues[identifier]?.apps.isEmpty == true { state.keyValues[identifier] = nil }
    }

    /// Has the engine take a store or let go of it, as its apps are allowed to sync now.
    func adjust(_ identifier: String, _ state: inout State) {
        guard !state.isChangingAccount, let held = state.keyValues[identifier] else { return }
        do {
            let isWanted = try held.apps.values.contains {
                try !state.demand.isRefused(for: $0.app) && syncs($0.app)
            }
            guard isWanted != held.isAttached else { return }
            guard isWanted else { return detach(identifier, &state) }
            let session = try begun(&state)
            try session.add(keyValues.attached(identifier))
            state.keyValues[identifier]?.isAttached = true
            let engine = session.engine
            keyValues.setWake({ engine.wake() }, of: identifier)
        } catch {
            let reason = CommandFailure(answering: error).message
            log.write("the key-value store \(identifier) does not sync: \(reason)")
        }
    }

    func detach(_ identifier: String, _ state: inout State) {
        guard state.keyValues[identifier]?.isAttached == true else { return }
        keyValues.setWake(nil, of: identifier)
        state.session?.removeKeyValues(identifier)
        state.keyValues[identifier]?.isAttached = false
    }
}
