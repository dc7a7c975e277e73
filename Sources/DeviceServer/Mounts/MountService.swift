internal import CLinux
internal import CloudSync
internal import Device
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import Wire

extension AppReference {
    init(_ app: InstalledApp) { self.init(bundleID: app.bundleID.value, name: app.name) }
}

/// The daemon's mounts: prepared for a client, attached, and ended in one way.
struct MountService: Sendable {
    let device: Device
    let folder: RunFolder
    let log: DaemonLog
    let views: Views
    let cloud: CloudService
    let running: RunningApps
    let lowDisk: LowDiskWatch
    let registry: MountRegistry
    let records: MountRecords
    let stores: StoreSharing
    /// Called when a mount has ended.
    let whenEnded: @Sendable () -> Void

    private static let readySeconds = 10.0
    private static let endSeconds = 10.0
    private static let lingerSeconds = 2.0

    /// Reserves a mount: from here on the home counts as mounted, until the client hands it over or goes.
    func prepare(
        _ arguments: MountArguments, in folder: SharedDescriptor, _ rights: ClientRights,
        _ pending: inout PendingMount?
    ) throws -> Answer {
        guard pending == nil else { throw CommandFailure("this client is mounting already") }
        let place = try self.place(arguments, in: folder)
        if let store = arguments.from {
            try refuseInsideDevice(place, arguments, rights)
            return try prepare(arguments, place, from: store, &pending)
        }
        if arguments.kind.isOfDevice { return try prepareDevice(arguments, place, rights, &pending) }
        if arguments.kind.isOfGroup { return try prepareGroup(arguments, place, rights, &pending) }
        let app =
            try arguments.kind == .share
            ? device.sharingApp(named: arguments.app) : device.app(named: arguments.app)
        if arguments.isForRun {
            try refuse(place, unlessAt: RunPlace.view(arguments.kind, of: app), arguments, rights)
        } else {
            try refuseInsideDevice(place, arguments, rights)
        }
        if arguments.kind != .share, app.isPlaceholder {
            throw CommandFailure(
                "\(app.name) has data here and no bundle; install it first: apphome install PATH")
        }
        try refuseImpossible(arguments, app.name)
        let reference = AppReference(app)
        try refuseWhileRunning(arguments, app)
        try refuseWhileLingering(arguments, app)
        let granted = try reserve(
            arguments, place, reference, .app(app),
            documents: try cloud.promise(of: app, noSync: arguments.noSync), &pending)
        if let lowDisk = arguments.lowDisk {
            try device.set("low-disk", lowDisk)
            self.lowDisk.look()
        }
        return granted
    }

    private func prepare(
        _ arguments: MountArguments, _ place: MountPlace, from store: CloudAccountArguments,
        _ pending: inout PendingMount?
    ) throws -> Answer {
        let (app, view) = try stores.view(arguments, of: store, log)
        try refuseImpossible(arguments, app.name)
        return try reserve(arguments, place, app, .store(view), documents: store.url, &pending)
    }

    private func prepareGroup(
        _ arguments: MountArguments, _ place: MountPlace, _ rights: ClientRights,
        _ pending: inout PendingMount?
    ) throws -> Answer {
        let app = try device.app(named: arguments.app)
        let container = try device.groupContainer(named: arguments.group ?? "", of: app)
        if arguments.kind == .groupView {
            try refuseInsideDevice(place, arguments, rights)
        } else {
            try refuse(place, unlessAt: RunPlace.group(container.group), arguments, rights)
        }
        try refuseImpossible(arguments, container.group.value)
        return try reserve(
            arguments, place, AppReference(app), .group(container), documents: "", &pending)
    }

    private func prepareDevice(
        _ arguments: MountArguments, _ place: MountPlace, _ rights: ClientRights,
        _ pending: inout PendingMount?
    ) throws -> Answer {
        try refuseInsideDevice(place, arguments, rights)
        let layout: any DeviceLayout
        if arguments.kind == .files {
            layout = FilesLayout(views: views)
        } else {
            let app = arguments.app.isEmpty ? nil : try device.app(named: arguments.app).bundleID
            layout = DeviceTreeLayout(views: views, app: app)
        }
        try refuseImpossible(arguments, "the device")
        return try reserve(arguments, place, .device, .device(layout), documents: "", &pending)
    }

    /// A home that is mounted for a program is not mounted for people too: it is mounted once.
    private func refuseWhileRunning(_ arguments: MountArguments, _ app: InstalledApp) throws {
        guard arguments.kind == .home, !arguments.isForRun,
            let program = running.programs(of: app.bundleID.value).first,
            registry.all.contains(where: {
                $0.kind == .home && $0.app.bundleID == app.bundleID.value && $0.isForRun
            })
        else { return }
        throw CommandFailure(
            "\(app.name) is mounted for \(program.command) (pid \(program.pid)), which runs as the app, and a"
                + " home is mounted once: end that, or mount first and run then")
    }

    /// Refuses ways to travel that are not to be had here.
    private func refuseImpossible(_ arguments: MountArguments, _ name: String) throws {
        if arguments.transport == "ring", let reason = RingSupport.current.explanation {
            throw CommandFailure("no ring for \(name): \(reason)")
        }
        if arguments.showsConflicts, arguments.noSync {
            throw CommandFailure("conflict versions are what sync knows: show them without --no-sync")
        }
        if arguments.data == DataPath.passthrough.rawValue, !Passthrough.isPermitted {
            throw PassthroughRefusal.notPrivileged.failure(at: arguments.directory)
        }
    }

    private func reserve(
        _ arguments: MountArguments, _ place: MountPlace, _ app: AppReference, _ subject: MountSubject,
        documents: String, _ pending: inout PendingMount?
    ) throws -> Answer {
        let source = MountSource(
            deviceID: device.id, kind: arguments.kind, bundleID: subject.group ?? app.bundleID)
        let id = try registry.reserve(
            kind: arguments.kind, app: app, directory: arguments.directory, source: source.description,
            group: subject.group, isForRun: arguments.isForRun)
        // What programs of `run` reach is left to the kernel's checks, whatever rights they have.
        let isOwn = arguments.kind == .home && arguments.isPrivate && !arguments.isForRun
        let kernelChecksAccess = !isOwn || !AccessChecks.mayBeLeftToBacking
        pending = PendingMount(
            id: id, arguments: arguments, app: app, subject: subject, kernelChecksAccess: kernelChecksAccess,
            place: place)
        let notices = records.crashes
            .filter {
                $0.dir != arguments.directory
                    && ($0.bundleID != app.bundleID || $0.from != arguments.from?.url)
            }
            .compactMap { $0.report?.notice }
        return .mountGranted(
            MountGrant(
                source: source.description, appName: app.name, documents: documents, notices: notices,
                kernelChecksAccess: kernelChecksAccess))
    }

    /// Serves what the client has mounted.
    func attach(
        _ fuse: SharedDescriptor, from peer: UnixSocket.Peer, _ pending: inout PendingMount?
    ) throws -> Answer {
        guard let prepared = pending else { throw CommandFailure("no mount was prepared on this connection") }
        guard isFuseDevice(fuse) else { throw CommandFailure.descriptorsMissing }
        let arguments = prepared.arguments
        let source = registry.mount(prepared.id)?.source ?? ""
        let known = KnownMount(
            at: prepared.place, source: source, client: peer, serving: fuse,
            madeDirectory: arguments.madeDirectory)
        let record = MountRecord(
            app: prepared.app.name, bundleID: prepared.app.bundleID, dir: arguments.directory,
            kind: arguments.kind, source: source, deviceNumber: known?.entry.device ?? "",
            boot: PossiblyWritten.currentBoot,
            from: arguments.from?.url, group: prepared.subject.group)
        // Remembered before it is usable, so that no crash goes unnoticed.
        records.add(record)
        do {
            let view = try serve(prepared, fuse: fuse, from: peer)
            registry.attach(view, known, to: prepared.id, madeDirectory: arguments.madeDirectory)
            beginSync(of: prepared)
            try waitInBackground(for: view, prepared, record)
            pending = nil
            guard view.waitUntilReady(timeoutSeconds: Self.readySeconds) else {
                throw CommandFailure(
                    "the kernel did not start the mount at \(arguments.directory); try again")
            }
            if arguments.transport == "ring", view.transport.kind != .ring {
                throw CommandFailure(
                    "no ring for \(prepared.app.name): \(view.transport.reason ?? "refused")")
            }
            try views.refuseSplice(view, arguments)
        } catch {
            records.remove(record)
            throw error
        }
        let mount = registry.mount(prepared.id)
        log.write(
            "mounted \(prepared.app.name) (\(arguments.kind.rawValue)) at \(arguments.directory), "
                + (mount?.view?.transport.text ?? "ended"))
        guard let report = mount?.report else {
            throw CommandFailure("the mount at \(arguments.directory) ended at once; try again")
        }
        return .mounted(report)
    }

    private func serve(
        _ prepared: PendingMount, fuse: SharedDescriptor, from peer: UnixSocket.Peer
    ) throws -> ServedView {
        let believesCallers = peer.userID == 0 || !RequestRights.areLent
        func serve(_ tree: TreeSubject) throws -> ServedView {
            try views.serve(
                tree, prepared.arguments, fuse: fuse, believesCallers: believesCallers,
                kernelChecksAccess: prepared.kernelChecksAccess)
        }
        switch prepared.subject {
        case .app(let app): return try serve(.app(app))
        case .group(let group): return try serve(.group(group))
        case .device(let layout):
            return try views.serve(layout, prepared.arguments, fuse: fuse, believesCallers: believesCallers)
        case .store(let fileSystem):
            return try ServedView(
                ofStore: fileSystem, name: prepared.app.name, prepared.arguments, fuse: fuse)
        }
    }

    private func beginSync(of mount: PendingMount) {
        switch mount.subject {
        case .app(let app) where mount.arguments.kind == .home:
            cloud.homeIsMounted(app, syncs: !mount.arguments.noSync)
        case .device(let layout):
            cloud.viewIsMounted(mount.id) { layout.showsDocuments(of: $0) }
        case .app, .group, .store: break
        }
    }

    private func endSync(of mount: PendingMount) {
        switch mount.subject {
        case .app(let app) where mount.arguments.kind == .home: cloud.homeHasEnded(app)
        case .device: cloud.viewHasEnded(mount.id)
        case .app, .group, .store: break
        }
    }

    /// Forgets a mount that its client did not hand over.
    func abandon(_ pending: PendingMount) { registry.remove(pending.id) }

    /// Before a client unmounts (`isDone` false) interrupts what would keep the mount busy; afterwards waits
    /// for the mount's end.
    func helpUnmount(source: String, directory: String, isDone: Bool, from peer: UnixSocket.Peer) -> Answer {
        // Other mount namespaces may have mounts of the same names.
        let named = registry.all.filter { $0.directory == directory && $0.source == source }
        let mount = named.last { $0.known?.clientID == peer.userID } ?? named.last
        // None is removed with the rights of a client that did not make it, or is not known to have.
        let made = mount?.madeDirectory == true
        let isMaker = mount?.known.map { $0.clientID == peer.userID } ?? false
        if !isDone {
            views.makeWayForUnmount()
            return .unmounting(removesDirectory: made && isMaker)
        }
        if let mount { registry.noteUnmounted(mount.id) }
        defer { if !isMaker { mount?.known?.removeDirectory() } }
        if let mount, !waitForEnd(of: mount) {
            return .note(lines: ["\(directory) is detached here, and still in use elsewhere"])
        }
        if registry.mount(at: directory) == nil { records.remove(directory: directory) }
        return .done
    }

    /// A thread waits for the mount's end, and clears up after it.
    private func waitInBackground(
        for view: ServedView, _ prepared: PendingMount, _ record: MountRecord
    ) throws {
        let thread = try NativeThread(name: "mount") { [self] in
            view.waitUntilEnded()
            endSync(of: prepared)
            if let tree = prepared.subject.tree { views.endServing(view, prepared.arguments.kind, of: tree) }
            if prepared.arguments.kind == .home, !prepared.arguments.isForRun {
                // Before who waits for this mount's end goes on.
                endGroups(withHome: prepared.id, of: prepared.app.bundleID)
            }
            records.remove(record)
            log.write("\(prepared.arguments.directory) has ended")
            registry.remove(prepared.id)
            whenEnded()
        }
        thread.detach()
    }

    /// A home that was unmounted lazily, or in a hurry, may still be served for programs that hold it.
    private func refuseWhileLingering(_ arguments: MountArguments, _ app: InstalledApp) throws {
        guard arguments.kind == .home,
            let other = registry.all.first(where: { $0.kind == .home && $0.app == AppReference(app) }),
            other.view != nil, let table = try? MountTable.current(),
            !table.entries.contains(where: { $0.source == other.source })
        else { return }
        // An unmount that has just been answered may be ending still.
        if waitForEnd(of: other) { return }
        throw CommandFailure(
            "\(app.name) was unmounted from \(other.directory) while programs used it, and they still do;"
                + " end them, and mount again")
    }

    /// Waits for the end of what was unmounted. In another mount namespace anybody can keep a copy of it
    /// without a file in use, as the sandboxes of other apps do: that keeps it no longer.
    /// - Returns: false where it goes on.
    @discardableResult
    func waitForEnd(of mount: ActiveMount) -> Bool {
        if registry.waitUntilEnded(mount.id, timeoutSeconds: Self.lingerSeconds) { return true }
        if mount.kind == .home || mount.isForRun, registry.mount(mount.id)?.isUnmounted == true,
            isUsedByNoProgram(mount), !views.isRunning(mount.app.bundleID),
            let table = try? MountTable.current(),
            !table.entries.contains(where: { $0.source == mount.source })
        {
            try? mount.known?.abort()
        }
        return registry.waitUntilEnded(mount.id, timeoutSeconds: Self.endSeconds)
    }

    private func isUsedByNoProgram(_ mount: ActiveMount) -> Bool {
        let apps = mount.kind == .group ? owners(of: mount) : [mount.app.bundleID]
        return apps.allSatisfy { running.programs(of: $0).isEmpty }
    }

    /// The directory that a client wants to mount at: in a folder that it has opened itself.
    private func place(_ arguments: MountArguments, in folder: SharedDescriptor) throws -> MountPlace {
        let name = arguments.directory.pathParts.last ?? ""
        do { return try MountPlace(name, in: folder) } catch {
            throw CommandFailure("\(arguments.directory) is no place to mount at: \(error)")
        }
    }

    /// A mount inside the device folder would have the daemon walk into what it serves itself.
    /// - Parameter rights: where root mounts, the device's owner may not look.
    private func refuseInsideDevice(
        _ place: MountPlace, _ arguments: MountArguments, _ rights: ClientRights
    ) throws {
        let device = try ItemStamp(of: device.directory).identity
        guard try !rights.run({ try place.lies(below: device) }) else {
            throw CommandFailure(
                "\(arguments.directory) lies in the device's own folder; mount somewhere else")
        }
    }

    /// What the daemon mounts for programs lies where it says, whatever path a client gives.
    /// - Parameter expected: below the device's `run/`.
    private func refuse(
        _ place: MountPlace, unlessAt expected: String, _ arguments: MountArguments, _ rights: ClientRights
    ) throws {
        guard let expected = try? folder.identity(of: expected),
            let named = try? rights.run({ try ItemStamp(of: try place.open()).identity }), named == expected
        else { throw CommandFailure("\(arguments.directory) is not where that is mounted") }
    }

    private func isFuseDevice(_ file: SharedDescriptor) -> Bool {
        var details = stat()
        return fstat(file.raw, &details) == 0 && details.st_mode & S_IFMT == S_IFCHR
            && DeviceNumber(raw: details.st_rdev) == .fuse
    }
}

extension MountService {
    /// Unmounts for the end of a run, of a group and of this process. The directory that was made for the
    /// mount goes with it.
    /// - Parameter evenIfBusy: takes it out of the tree; it ends when the last program lets go.
    /// - Throws: `MountError.busy`; where this process does not see the mount.
    func end(_ mount: ActiveMount, evenIfBusy: Bool = false) throws {
        guard let known = mount.known else {
            throw CommandFailure("the mount at \(mount.directory) is not seen here: unmount it where it is")
        }
        do {
            try known.unmount(lazy: false)
        } catch  where evenIfBusy {
            try known.unmount(lazy: true)
        }
        registry.noteUnmounted(mount.id)
    }

    /// Unmounts what is mounted; what is busy is taken out of the tree and ends with this process.
    func endAll() {
        for mount in registry.all.reversed() {
            do { try end(mount, evenIfBusy: true) } catch { log.write("\(error)") }
        }
        _ = registry.waitUntilEmpty(timeoutSeconds: 5)
        for mount in registry.all { records.remove(directory: mount.directory) }
    }
}
