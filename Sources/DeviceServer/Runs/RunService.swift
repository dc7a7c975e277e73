internal import Device
internal import FoundationEssentials
internal import Posix
internal import SandboxRules
internal import Wire

/// A program that a client runs as an app, until its connection ends.
struct BegunRun {
    let id: Int
    let bundleID: String
    /// What was started.
    let command: String
    /// Where what is mounted for it is, below `run/`.
    let views: String
}

/// `apphome run`: the daemon knows who runs; the client mounts and starts, with its own rights.
struct RunService: Sendable {
    let device: Device
    let devicePath: String
    let folder: RunFolder
    let log: DaemonLog
    let views: Views
    let running: RunningApps
    let lowDisk: LowDiskWatch
    let mounts: MountService

    func begin(
        _ arguments: RunArguments, _ run: inout BegunRun?, _ peer: UnixSocket.Peer
    ) throws -> RunGrant {
        guard run == nil else { throw CommandFailure("a program runs on this connection already") }
        let named = try device.app(named: arguments.app)
        var program = arguments.program
        program.pid = peer.processID
        let id = running.begin(named.bundleID.value, program)
        do {
            // Looked up only now: a restore that it waited for has put the data elsewhere.
            let app = try device.app(named: named.bundleID.value)
            let grant = try grant(for: app)
            run = BegunRun(
                id: id, bundleID: grant.bundleID, command: program.command, views: RunPlace.views(of: app))
            return grant
        } catch {
            running.end(id)
            throw error
        }
    }

    /// - Returns: what was mounted for programs of the app, if nothing runs as it any more.
    func end(_ run: inout BegunRun?) throws -> [MountKind] {
        guard let ended = run.take() else { throw CommandFailure("nothing runs on this connection") }
        running.end(ended.id)
        mounts.endGroupsOfRuns()
        guard running.programs(of: ended.bundleID).isEmpty else { return [] }
        return mounts.registry.all.filter { $0.isForRun && $0.isHeld(by: ended.bundleID) }.map(\.kind)
    }

    /// Where the app's home or bundle is seen, or is to be mounted as for a program.
    func place(of name: String, _ kind: MountKind) throws -> ContainerPlace {
        let app = try device.app(named: name)
        guard kind == .home || kind == .bundle else {
            throw CommandFailure("\(kind.rawValue) is no container")
        }
        let mount = mounts.registry.all.first {
            $0.kind == kind && $0.isHeld(by: app.bundleID.value) && $0.view != nil
        }
        if let mount {
            mounts.registry.keep(mount.id)
            return ContainerPlace(directory: mount.directory, isMounted: true)
        }
        try folder.makeFolder(RunPlace.homes)
        try folder.makeFolder(RunPlace.views(of: app))
        return ContainerPlace(directory: "\(devicePath)/run/\(RunPlace.view(kind, of: app))")
    }

    private func grant(for app: InstalledApp) throws -> RunGrant {
        guard let bundle = app.bundleContainer else {
            throw CommandFailure(
                "\(app.name) has data here and no bundle to run; install it first: apphome install PATH")
        }
        let data = app.dataContainer.uuidString
        try folder.makeFolder(RunPlace.homes)
        try folder.makeFolder(RunPlace.views(of: app))
        let groups = try device.groupContainers(of: app).map {
            RunGroup(name: $0.group.value, container: $0.container.uuidString)
        }
        return RunGrant(
            bundleID: app.bundleID.value, name: app.name, bundleName: app.bundleName, dataContainer: data,
            bundleContainer: bundle.uuidString, executable: app.executable, groups: groups,
            folder: "\(devicePath)/run/\(RunPlace.views(of: app))", lastEvent: views.events.newestSequence)
    }

    /// Tells of what a program left outside of its home, before its end.
    func note(_ left: LeftOutside, of run: BegunRun?, _ peer: UnixSocket.Peer) throws {
        guard let run else { throw CommandFailure("nothing runs on this connection") }
        let program = Program(processID: peer.processID, name: run.command)
        // One more than are named may say how many there are beside.
        for item in left.items.prefix(LeftOutside.most + 2) {
            views.events.record(
                app: run.bundleID, event: "outside-home", path: item.path, detail: item.kind.detail, program)
        }
    }

    /// A client went without a word: what was mounted for it goes, unless another program uses it.
    func abandon(_ run: BegunRun) {
        running.end(run.id)
        running.whileNotRunning(run.bundleID) {
            for mount in mounts.registry.all.reversed()
            where mount.isForRun && mount.isHeld(by: run.bundleID) {
                // The program's last files close a moment after its command is gone.
                do {
                    try mounts.end(mount, evenIfBusy: true)
                    mounts.waitForEnd(of: mount)
                    log.write("unmounted \(mount.directory): its command is gone")
                } catch { log.write("\(error)") }
            }
        }
        mounts.endGroupsOfRuns()
    }
}

extension LeftOutside.Item.Kind {
    /// For people.
    fileprivate var detail: String {
        switch self {
        case .file(let sizeBytes): "\(byteCount(Int64(clamping: sizeBytes))) left outside of the home"
        case .directory(let items, let isMore):
            "a directory with \(isMore ? "more than " : "")\(counted(items, "item")) left outside of the home"
        case .other: "left outside of the home"
        case .rest(let items): "\(counted(items, "more item")) left in it, not named"
        }
    }
}

extension RunningApps {
    /// What `run` mounted is the program's: nobody is told to unmount it.
    /// - Parameter what: that cannot be done to the app now.
    /// - Throws: where one of the mounts is such a one.
    func refuseMountsOfRun(
        _ app: AppReference, _ open: [ActiveMount], _ what: String
    ) throws(CommandFailure) {
        guard open.contains(where: \.isForRun), let program = programs(of: app.bundleID).first
        else { return }
        throw CommandFailure(
            "\(app.name) is busy (EBUSY): \(program.command) (pid \(program.pid)) runs as the app, which"
                + " cannot be \(what) now; end that first")
    }
}
