internal import Device
internal import Posix
internal import SystemPackage
internal import Wire

extension CommandFailure {
    static var descriptorsMissing: CommandFailure {
        CommandFailure("the request has the wrong number of descriptors")
    }
}

extension Daemon {
    /// Does what a client asks.
    /// - Parameter descriptors: as many as the request says.
    /// - Parameter pending: the mount that this client has prepared and not attached yet.
    /// - Parameter progress: to be called now and then during long work; throws where the client is gone.
    /// - Returns: the last answer. Errors become the failure that the client shows.
    func perform(
        _ request: Request, _ descriptors: [SharedDescriptor], _ pending: inout PendingMount?,
        from peer: UnixSocket.Peer, progress: @escaping (Progress) throws(Errno) -> Void
    ) throws -> Answer {
        switch request {
        case .list: return .apps(try apps.summaries())
        case .info(let app): return .info(try apps.information(of: app))
        case .install(let arguments): return .installed(try apps.install(arguments, descriptors, progress))
        case .new(let arguments): return .installed(try apps.make(arguments, descriptors))
        case .uninstall(let arguments): return .uninstalled(try apps.uninstall(arguments))
        case .settings:
            return .settings(try device.settings().values.map { Setting(key: $0.key, value: $0.value) })
        case .set(let key, let value):
            try device.set(key, value)
            runs.lowDisk.look()
            return .done
        case .prepareMount(let arguments):
            return try mounts.prepare(arguments, in: descriptors[0], ClientRights(peer), &pending)
        case .attachMount: return try mounts.attach(descriptors[0], from: peer, &pending)
        case .groupPlace(let app, let group): return .groupPlace(try groups.place(app: app, group: group))
        case .unmount(let source, let directory, let isDone):
            return mounts.unmount(source: source, directory: directory, isDone: isDone, from: peer)
        case .sharingApps: return .apps(try apps.summaries().filter(\.sharing.itunes))
        case .shareList(let app, let store):
            return .items(try store.map { try stores.items(of: app, in: $0) } ?? sharing.items(of: app))
        case .shareGet(let app, let name, let newName, let store):
            let (rights, report) = (ClientRights(peer), ByteReport(progress))
            if let store {
                try stores.copyOut(name, of: app, in: store, to: descriptors[0], as: newName, rights, report)
            } else {
                try sharing.copyOut(name, of: app, to: descriptors[0], as: newName, rights, report)
            }
            return .done
        case .sharePut(let app, let name, let toInbox):
            return .note(lines: [
                try sharing.copyIn(
                    descriptors[0], as: name, toInbox: toInbox, of: app, ByteReport(progress))
            ])
        case .shareRemove(let app, let name):
            try sharing.remove(name, of: app)
            return .done
        case .preferences(let request): return try preferences.perform(request)
        case .purge(let arguments): return .purged(try runs.purge(arguments))
        case .cloud(let request): return try cloud.perform(request)
        case .watch, .awaitEnd, .backup, .beginRun, .endRun:
            // Answered by the connection itself, over time.
            throw CommandFailure("the daemon answers this request only by itself")
        }
    }
}
