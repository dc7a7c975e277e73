internal import CloudSync
internal import Device
internal import Posix
internal import Wire

/// A key-value store that something needs in step: mounts of its apps, a command, somebody who watches.
struct HeldKeyValues {
    /// One of those that have it.
    let app: InstalledApp
    var count = 0
    /// Whether the engine has it.
    var isAttached = false
}

extension CloudService {
    /// Keeps the app's key-value store in step until it was released as often. What goes wrong is in the log.
    func holdKeyValues(of app: InstalledApp) { state.withLock { hold(app, &$0) } }

    func releaseKeyValues(_ identifier: String) {
        state.withLock { state in
            release(identifier, &state)
            endIfUnused(&state)
        }
    }

    func hold(_ app: InstalledApp, _ state: inout State) {
        let identifier = KeyValueStores.identifier(of: app)
        state.keyValues[identifier, default: HeldKeyValues(app: app)].count += 1
        attach(identifier, &state)
    }

    func release(_ identifier: String, _ state: inout State) {
        guard let there = state.keyValues[identifier] else { return }
        state.keyValues[identifier]?.count -= 1
        guard there.count == 1 else { return }
        detach(identifier, &state)
        state.keyValues[identifier] = nil
    }

    /// Where the app may sync, and the engine has it not.
    func attach(_ identifier: String, _ state: inout State) {
        guard let there = state.keyValues[identifier], !there.isAttached else { return }
        do {
            guard try syncs(there.app) else { return }
            let session = try begun(&state)
            try session.add(keyValues.attached(identifier))
            state.keyValues[identifier]?.isAttached = true
            let engine = session.engine
            keyValues.setWake({ engine.wake() }, of: identifier)
        } catch {
            log.write(
                "the key-value store of \(there.app.name) does not sync:"
                    + " \(CommandFailure(answering: error).message)")
        }
    }

    func detach(_ identifier: String, _ state: inout State) {
        guard state.keyValues[identifier]?.isAttached == true else { return }
        keyValues.setWake(nil, of: identifier)
        state.session?.removeKeyValues(identifier)
        state.keyValues[identifier]?.isAttached = false
    }
}
