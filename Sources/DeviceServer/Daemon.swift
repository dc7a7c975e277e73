internal import CLinux
internal import Databases
internal import Device
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// The one process that serves a device: every view and every change of its containers meet here.
final class Daemon: Sendable {
    let device: Device
    /// For people, and for absolute paths in what it reports; nothing is opened by it.
    let devicePath: String
    let log: DaemonLog
    let events = EventRing()
    let findings: FindingMemory
    let fanOut: EventFanOut
    let mounts: MountService
    let runs: RunService
    let groups: GroupService
    let apps: AppService
    let views: Views
    let preferences: PreferenceService
    let keyValues: KeyValueService
    let sharing: SharingService
    let copies: HomeCopies
    let stores: StoreSharing
    let cloud: CloudCommands
    let appSockets: AppSockets
    let backups: BackupService
    /// How long a client may say nothing between two requests.
    let idleSeconds: Double

    private let folder: RunFolder
    /// Held for life; dropped with the process, after the socket went.
    private let lock: SharedDescriptor
    private let listener: Descriptor
    private let changed: WakeUp

    /// Clients at once; each has a thread.
    private static let mostConnections = 64
    /// Of those, what is left to root: the owner's clients may stay as long as they like.
    private static let keptForRoot = 8
    /// Of programs that run as one app, at once.
    private static let mostOfApp = 16
    /// How long the first client, which started this daemon, may take to come.
    private static let firstClientSeconds = 10.0
    /// How long no client is taken after one could not be: what is short then (descriptors, memory) comes
    /// back when others end.
    private static let pauseSeconds = 0.5

    private struct State {
        var connections = 0
        /// Of programs, by the apps that they run as.
        var ofApps: [String: Int] = [:]
        var hasServed = false
    }
    private let state = Lock(State())

    /// Takes the device over: lock, catalogue, recovery, socket.
    /// - Parameter account: the cloud store of a device that has not been told any.
    /// - Returns: nil where another daemon holds the device.
    static func start(
        directory: SharedDescriptor, path: String, account: String?, log: DaemonLog, idleSeconds: Double = 60
    ) throws -> Daemon? {
        // Of who makes something through a mount the kernel has applied the mask already.
        Process.setFileModeMask(0)
        let owner = try DeviceFolder.owner(of: directory.descriptor)
        let folder = try RunFolder(device: directory.raw, owner: owner)
        guard let lock = try folder.takeLock() else { return nil }
        // Root that serves another user's device leaves its own rights on files here, before there is a
        // second thread.
        try owner.rights?.becomeForFiles()
        try OwnDatabases.keepToThisProcess()
        let device = try Device(directory: try directory.descriptor.duplicate(), owner: owner)
        try Self.refuseOwnMount(device)
        // Records and the socket: on a full disk, too, there is a daemon that makes room.
        return try device.reserve.whileLent {
            for line in try device.recover() { log.write(line) }
            try joinAccount(account, device, log)
            let records = MountRecords(folder: folder, reserve: device.reserve, log: log)
            let crashed = records.noteCrashes()
            Recovery.unmountDead(crashed, deviceID: device.id, ownerID: owner.uid, log: log)
            let possiblyWritten = PossiblyWritten(folder: folder, log: log)
            possiblyWritten.add(crashed.compactMap(\.treeKey))
            return try Daemon(
                device: device, path: path, folder: folder, lock: lock, records: records,
                possiblyWritten: possiblyWritten, log: log, idleSeconds: idleSeconds)
        }
    }

    /// Signs a device in that was never told an account.
    private static func joinAccount(_ account: String?, _ device: Device, _ log: DaemonLog) throws {
        if let account, try device.cloudAccount() == nil {
            do {
                try CloudAccount(url: account).makeFolder(for: device.owner)
                try device.setCloudAccount(CloudAccount(url: account))
            } catch {
                // Signed out until a store can be made there, or another one is set: no mount waits for that.
                log.write("no store at \(account): \(error)")
            }
        }
    }

    private init(
        device: Device, path: String, folder: RunFolder, lock: SharedDescriptor, records: MountRecords,
        possiblyWritten: PossiblyWritten, log: DaemonLog, idleSeconds: Double
    ) throws {
        (self.device, devicePath, self.log) = (device, path, log)
        (self.folder, self.lock, self.idleSeconds) = (folder, lock, idleSeconds)
        let changed = try WakeUp()
        self.changed = changed
        let findings = FindingMemory(ring: events, device: device, log: log)
        self.findings = findings
        fanOut = try EventFanOut(ring: events, findings: findings) { Self.wake(changed) }
        // From what knows of no other to what knows of most.
        let views = Views(device: device, events: events, possiblyWritten: possiblyWritten)
        self.views = views
        let keyValueStores = KeyValueStores(device: device, events: events)
        let cloud = CloudService(device: device, views: views, keyValues: keyValueStores, log: log)
        let (registry, running, lowDisk) = (MountRegistry(), RunningApps(), LowDiskWatch())
        stores = StoreSharing(device: device, mounts: registry)
        mounts = MountService(
            device: device, folder: folder, log: log, views: views, cloud: cloud, running: running,
            lowDisk: lowDisk, registry: registry, records: records, stores: stores,
            whenEnded: { Self.wake(changed) })
        runs = RunService(
            device: device, devicePath: path, folder: folder, log: log, views: views, running: running,
            lowDisk: lowDisk, mounts: mounts)
        groups = GroupService(
            device: device, devicePath: path, folder: folder, mounts: mounts, events: events)
        apps = AppService(
            device: device, devicePath: path, log: log, views: views, cloud: cloud, mounts: mounts,
            runs: runs, groups: groups, findings: findings)
        preferences = PreferenceService(device: device, views: views)
        keyValues = KeyValueService(
            device: device, views: views, stores: keyValueStores, cloud: cloud, log: log)
        copies = HomeCopies(device: device, views: views)
        sharing = SharingService(device: device, views: views, cloud: cloud)
        self.cloud = CloudCommands(
            device: device, devicePath: path, views: views, cloud: cloud, mounts: registry)
        backups = BackupService(
            device: device, devicePath: path, log: log, views: views, cloud: cloud, mounts: mounts,
            groups: groups, discarded: DiscardedRemoval())
        appSockets = AppSockets(folder: folder, log: log)
        listener = try folder.listen()
    }

    /// Serves until no mount and no client is left, or a signal comes.
    /// - Parameters:
    ///   - signals: SIGINT and SIGTERM, which unmount everything.
    ///   - endsWhenIdle: false for a daemon that only a signal ends.
    func run(signals: borrowing Signals, endsWhenIdle: Bool = true) throws {
        log.write("serving \(devicePath), build \(BuildIdentity.current), pid \(Process.id)")
        let outcome = Result {
            // All end before the lock goes: the next daemon would purge and empty the same directories.
            let (discarded, lowDisk) = (backups.discarded, runs.lowDisk)
            // The last one to end: it brings what happens until then.
            try during("events", end: fanOut.end) {
                // Of one that was uninstalled just before its daemon was killed.
                self.findings.forgetApps()
                self.fanOut.run()
            } body: {
                try during("discarded", end: discarded.end) {
                    discarded.run(on: self.device, self.log) { self.somethingEnded() }
                } body: {
                    try during("low disk", end: lowDisk.end) {
                        lowDisk.run(self.runs)
                    } body: {
                        try during("key values", end: keyValues.end) {
                            self.keyValues.run { self.somethingEnded() }
                        } body: {
                            try serveAll(signals: signals, endsWhenIdle: endsWhenIdle)
                        }
                    }
                }
            }
        }
        // First the socket, then the lock: who finds no socket and gets the lock is alone.
        folder.removeSocket()
        log.write("ended")
        try outcome.get()
    }

    /// Runs `body` while a thread of that name does its work, until it is told to end.
    private func during(
        _ name: String, end: () -> Void, _ work: @escaping @Sendable () -> Void, body: () throws -> Void
    ) throws {
        let thread = try NativeThread(name: name, work)
        let outcome = Result { try body() }
        end()
        thread.join()
        try outcome.get()
    }

    private func serveAll(signals: borrowing Signals, endsWhenIdle: Bool) throws {
        let grace = Deadline(seconds: Self.firstClientSeconds)
        var pause: Deadline?
        while true {
            let isPaused = pause?.hasPassed == false
            let ready = try Waiting.wait(
                for: [signals.raw, changed.raw] + (isPaused ? [] : [listener.raw]),
                until: isPaused ? pause : isNew && endsWhenIdle ? grace : nil)
            if ready.count > 2, ready[2] { pause = acceptClients(again: pause != nil) }
            if ready[0], let signal = signals.next() {
                log.write("signal \(signal)")
                mounts.endAll()
                break
            }
            changed.clear()
            // The first client may have come and gone since the wait: nothing would tell of it again.
            if endsWhenIdle, isIdle, !isNew || grace.hasPassed, try !hasWaitingClient() { break }
        }
    }

    /// Whether no client has come yet.
    private var isNew: Bool { state.withLock { !$0.hasServed } }

    /// To be called when a mount, a connection or work of the daemon's own has ended.
    private func somethingEnded() { Self.wake(changed) }

    private static func wake(_ changed: WakeUp) {
        changed.signal()
        Process.trimHeap()
    }

    private var isIdle: Bool {
        // A watcher is a client's connection still: what was one does not become none in between.
        mounts.registry.all.isEmpty && !backups.discarded.isBusy && !keyValues.isBusy
            && state.withLock { $0.connections == 0 } && fanOut.watcherCount == 0
    }

    private func hasWaitingClient() throws -> Bool {
        try Waiting.wait(for: [listener.raw], until: Deadline(seconds: 0))[0]
    }

    /// - Parameter again: whether one could not be taken the last time.
    /// - Returns: until when none is taken, where one could not be; nil: all were.
    private func acceptClients(again: Bool) -> Deadline? {
        do {
            while let socket = try UnixSocket.accept(from: listener) {
                admit(Channel(socket, limits: .request))
            }
            return nil
        } catch {
            if !again { log.write("a client cannot be taken now: \(error)") }
            return Deadline(seconds: Self.pauseSeconds)
        }
    }

    private func admit(_ channel: Channel) {
        // The socket's mode lets nobody else in; this holds where the folder was opened up.
        guard let peer = try? channel.peer(), peer.userID == device.owner.uid || peer.userID == 0 else {
            return
        }
        let most = peer.userID == 0 ? Self.mostConnections : Self.mostConnections - Self.keptForRoot
        let isAccepted = state.withLock { state in
            guard state.connections < most else { return false }
            state.connections += 1
            state.hasServed = true
            return true
        }
        guard isAccepted else { return refuse(channel) }
        serve(ClientConnection(daemon: self, channel: channel, peer: peer))
    }

    /// Takes a connection of a program that runs as an app.
    /// - Parameter bundleID: the app's.
    func admit(_ socket: consuming Descriptor, asApp bundleID: String) {
        let channel = Channel(socket, limits: .request)
        guard let peer = try? channel.peer(), peer.userID == device.owner.uid || peer.userID == 0 else {
            return
        }
        let isAccepted = state.withLock { state in
            guard state.ofApps[bundleID, default: 0] < Self.mostOfApp else { return false }
            state.ofApps[bundleID, default: 0] += 1
            return true
        }
        guard isAccepted else { return refuse(channel) }
        serve(ClientConnection(daemon: self, channel: channel, peer: peer, app: bundleID))
    }

    /// Says that no more clients can be served now.
    private func refuse(_ channel: Channel) {
        var hello = helloToPrograms
        hello.isFull = true
        // It fits into the socket's buffer, so this waits for nobody.
        try? channel.send(hello)
    }

    private func serve(_ connection: ClientConnection) {
        do {
            let thread = try NativeThread(name: "client") { [self] in
                connection.serve()
                hasEnded(connection)
                // The daemon stays for the run; and an app is not to keep it busy.
                if connection.app == nil { somethingEnded() }
            }
            thread.detach()
        } catch {
            log.write("no thread for a client: \(error)")
            refuse(connection.channel)
            hasEnded(connection)
        }
    }

    private func hasEnded(_ connection: ClientConnection) {
        state.withLock { state in
            if let app = connection.app {
                state.ofApps[app, default: 0] -= 1
            } else {
                state.connections -= 1
            }
        }
    }
}

extension Daemon {
    /// A device inside a mount that it serves itself would wait for itself, and could not even be killed.
    private static func refuseOwnMount(_ device: Device) throws {
        if let entry = try device.ownMount(holding: device.directory) {
            throw CommandFailure(
                "the device lies inside its own mount at \(entry.mountPoint) and would wait for itself;"
                    + " move it to an ordinary folder")
        }
    }
}

extension Device {
    /// The mount of this device's that holds what `file` has open; nil where it lies elsewhere.
    func ownMount(holding file: Int32) throws -> MountEntry? {
        let number = DeviceNumber(raw: try stat(of: file).st_dev).description
        return try MountTable.current().entries.first {
            $0.device == number && MountSource($0.source)?.deviceID == id
        }
    }
}
