internal import Device
internal import Posix
internal import SystemPackage
internal import Wire

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
        case .list: return .apps(try summaries())
        case .info(let app): return .info(try information(of: app))
        case .install(let arguments): return .installed(try install(arguments, descriptors, progress))
        case .new(let arguments): return .installed(try makeApp(arguments, descriptors))
        case .uninstall(let arguments): return .uninstalled(try uninstall(arguments))
        case .settings:
            return .settings(try device.settings().values.map { Setting(key: $0.key, value: $0.value) })
        case .set(let key, let value):
            try device.set(key, value)
            lowDisk.look()
            return .done
        case .prepareMount(let arguments):
            // Where root mounts, the device's owner may not look.
            return try ClientRights(peer).run {
                try prepareMount(arguments, in: descriptors[0], &pending)
            }
        case .attachMount: return try attachMount(descriptors[0], from: peer, &pending)
        case .groupPlace(let app, let group): return .groupPlace(try groupPlace(app: app, group: group))
        case .unmount(let source, let directory, let isDone):
            return unmount(source: source, directory: directory, isDone: isDone, from: peer)
        case .sharingApps: return .apps(try summaries().filter(\.sharing.itunes))
        case .shareList(let app, let store):
            return .items(try store.map { try sharedItems(of: app, in: $0) } ?? sharedItems(of: app))
        case .shareGet(let app, let name, let newName, let store):
            let (rights, report) = (ClientRights(peer), ByteReport(progress))
            if let store {
                try copyOut(name, of: app, in: store, to: descriptors[0], as: newName, rights, report)
            } else {
                try copyOut(name, of: app, to: descriptors[0], as: newName, rights, report)
            }
            return .done
        case .sharePut(let app, let name, let toInbox):
            return .note(lines: [
                try copyIn(
                    descriptors[0], as: name, toInbox: toInbox, of: app, ByteReport(progress))
            ])
        case .shareRemove(let app, let name):
            try removeShared(name, of: app)
            return .done
        case .preferences(let request): return try perform(request)
        case .purge(let arguments): return .purged(try purge(arguments))
        case .cloud(let request): return try perform(request)
        case .watch, .awaitEnd, .backup, .beginRun, .endRun:
            // Answered by the connection itself, over time.
            throw CommandFailure("the daemon answers this request only by itself")
        }
    }
}
