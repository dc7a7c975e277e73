internal import Device
internal import Posix
internal import Wire

extension CommandFailure {
    static var descriptorsMissing: CommandFailure {
        CommandFailure("the request has the wrong number of descriptors")
    }
}

extension ClientConnection {
    /// Does what the client asks.
    /// - Parameters:
    ///   - descriptors: as many as the request says.
    ///   - pending: the mount that this client has prepared and not attached yet.
    ///   - run: the program that it runs.
    /// - Returns: the last answer; nil where the client went meanwhile.
    /// - Throws: what becomes the failure that the client shows; `Channel.Failure`.
    func perform(
        _ request: Request, _ descriptors: [SharedDescriptor], _ pending: inout PendingMount?,
        _ run: inout BegunRun?
    ) throws -> Answer? {
        switch request {
        case .list: return .apps(try daemon.apps.summaries())
        case .info(let app): return .info(try daemon.apps.information(of: app))
        case .install(let arguments):
            return .installed(try daemon.apps.install(arguments, descriptors, WorkMeter(report)))
        case .new(let arguments): return .installed(try daemon.apps.make(arguments, descriptors))
        case .uninstall(let arguments): return .uninstalled(try daemon.apps.uninstall(arguments))
        case .settings:
            return .settings(
                try daemon.device.settings().values.map { Setting(key: $0.key, value: $0.value) })
        case .set(let key, let value): return try set(key, to: value)
        case .prepareMount(let arguments):
            return try daemon.mounts.prepare(arguments, in: descriptors[0], ClientRights(peer), &pending)
        case .attachMount: return try daemon.mounts.attach(descriptors[0], from: peer, &pending)
        case .seenAt(let app, let kind): return .groupPlace(try daemon.runs.place(of: app, kind))
        case .groupPlace(let app, let group, let isForRun):
            return .groupPlace(try daemon.groups.place(app: app, group: group, isForRun: isForRun, peer))
        case .unmount(let source, let directory, let isDone):
            return daemon.mounts.helpUnmount(source: source, directory: directory, isDone: isDone, from: peer)
        case .sharingApps: return .apps(try daemon.apps.summaries().filter(\.sharing.itunes))
        case .shareList(let app, let store):
            return .items(
                try store.map { try daemon.stores.items(of: app, in: $0) } ?? daemon.sharing.items(of: app))
        case .shareGet(let app, let name, let newName, let replaces, let store):
            let target = CopyTarget(descriptors[0], newName, replaces: replaces, ClientRights(peer))
            return try copyOut(name, of: app, from: store, to: target)
        case .shareRead(let app, let name, let store):
            return try write(name, of: app, from: store, to: descriptors[0])
        case .sharePut(let app, let name, let toInbox, let replaces):
            let source = CopySource(descriptors[0], name, peer)
            return .note(
                lines: try daemon.sharing.copyIn(
                    source, to: app, toInbox: toInbox, replaces: replaces, WorkMeter(report)))
        case .copyIn(let arguments): return try copyIn(arguments, descriptors[0])
        case .copyOut(let app, let path, let newName, let takesFolders, let replaces):
            let target = CopyTarget(descriptors[0], newName, replaces: replaces, ClientRights(peer))
            try daemon.copies.copyOut(
                path, of: app, takesFolders: takesFolders, to: target, WorkMeter(report))
            return .done
        case .shareRemove(let app, let name):
            try daemon.sharing.remove(name, of: app)
            return .done
        case .preferences(let request): return try daemon.preferences.perform(request)
        case .keyValues(let request): return try perform(request)
        case .doctorFacts(let app): return .doctorFacts(try daemon.apps.facts(of: app))
        case .purge(let arguments): return .purged(try daemon.runs.purge(arguments))
        case .cloud(.settle(let directory, let seconds)):
            return try waitForUploads(at: directory, seconds: seconds)
        case .cloud(.cat(let app, let path, let version)):
            return try writingOut(path, to: descriptors[0]) {
                try daemon.cloud.writeContents(of: path, version: version, app: app, to: $0)
            }
        case .cloud(let request): return try daemon.cloud.perform(request, WorkMeter(report))
        case .beginRun(let arguments): return try begin(arguments, &run)
        case .endRun: return try end(&run)
        case .backup(let request): return .backup(try backUp(request, descriptors))
        case .events(let app, let sequence): return try events(of: app, after: sequence)
        case .watch(let app, let since): return try watch(app: app, sinceSeconds: since)
        case .findings(let app, let after): return try findings(of: app, after: after)
        case .clearFindings(let app): return try clearFindings(of: app)
        case .leftOutside(let left):
            try daemon.runs.note(left, of: run, peer)
            return .done
        case .awaitEnd(let directory): return try awaitEnd(directory)
        }
    }

    private func set(_ key: String, to value: String) throws -> Answer {
        try daemon.device.set(key, value)
        daemon.views.adoptSettings()
        daemon.runs.lowDisk.look()
        if key == "quota" { daemon.cloud.cloud.quotaHasChanged() }
        return .done
    }
}
