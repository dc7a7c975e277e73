internal import CLinux
internal import Databases
internal import Device
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// The one process that serves a device: every view and every change of its containers meet here.
final class Daemon: Sendable {
    let device: Device
    /// For people, and for absolute paths in what it reports; nothing is opened by it.
    let devicePath: String
    let mounts = MountRegistry()
    let records: MountRecords
    var events: EventRing { views.events }
    let views: Views
    let cloud: CloudService
    let log: DaemonLog
    let processID = getpid()
    /// Held while an app's preferences are read and written again.
    let preferences = Lock<Void>(())
    let running = RunningApps()
    let lowDisk = LowDiskWatch()
    let discarded = DiscardedRemoval()
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
    /// How long the first client, which started this daemon, may take to come.
    private static let firstClientSeconds = 10.0
    /// How long no client is taken after one could not be: what is short then (descriptors, memory) comes
    /// back when others end.
    private static let pauseSeconds = 0.5

    private struct State {
        var connections = 0
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
        for line in try device.recover() { log.write(line) }
        if let account, try device.cloudAccount() == nil {
            do {
                try CloudAccount(url: account).makeFolder(for: device.owner)
                try device.setCloudAccount(CloudAccount(url: account))
            } catch {
                // Signed out until a store can be made there, or another one is set: no mount waits for that.
                log.write("no store at \(account): \(error)")
            }
        }
        let records = MountRecords(folder: folder, log: log)
        let crashed = records.noteCrashes()
        Recovery.unmountDead(crashed, deviceID: device.id, ownerID: owner.uid, log: log)
        let possiblyWritten = PossiblyWritten(folder: folder, log: log)
        possiblyWritten.add(crashed.compactMap(\.treeKey))
        let views = Views(device: device, events: EventRing(), possiblyWritten: possiblyWritten)
        return try Daemon(
            device: device, path: path, folder: folder, lock: lock, records: records, views: views, log: log,
            idleSeconds: idleSeconds)
    }

    private init(
        device: Device, path: String, folder: RunFolder, lock: SharedDescriptor, records: MountRecords,
        views: Views, log: DaemonLog, idleSeconds: Double
    ) throws {
        self.device = device
        self.idleSeconds = idleSeconds
        devicePath = path
        self.folder = folder
        self.lock = lock
        self.records = records
        self.log = log
        self.views = views
        cloud = CloudService(device: device, views: views, log: log)
        changed = try WakeUp()
        listener = try folder.listen()
    }

    /// Serves until no mount and no client is left, or a signal comes.
    /// - Parameters:
    ///   - signals: SIGINT and SIGTERM, which unmount everything.
    ///   - endsWhenIdle: false for a daemon that only a signal ends.
    func run(signals: borrowing Signals, endsWhenIdle: Bool = true) throws {
        log.write("serving \(devicePath), build \(BuildIdentity.current), pid \(processID)")
        let outcome = Result {
            // Both end before the lock goes: the next daemon would purge and empty the same directories.
            try during("discarded", discarded.run, end: discarded.end) {
                try during("low disk", lowDisk.run, end: lowDisk.end) {
                    try serveAll(signals: signals, endsWhenIdle: endsWhenIdle)
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
        _ name: String, _ work: @escaping @Sendable (Daemon) -> Void, end: () -> Void,
        _ body: () throws -> Void
    ) throws {
        let thread = try NativeThread(name: name) { [self] in work(self) }
        let outcome = Result { try body() }
        end()
        thread.join()
        try outcome.get()
    }

    private func serveAll(signals: borrowing Signals, endsWhenIdle: Bool) throws {
        let grace = Deadline(seconds: Self.firstClientSeconds)
        var pause: Deadline?
        while true {
            let isNew = state.withLock { !$0.hasServed }
            let isPaused = pause?.hasPassed == false
            let ready = try Waiting.wait(
                for: [signals.raw, changed.raw] + (isPaused ? [] : [listener.raw]),
                until: isPaused ? pause : isNew && endsWhenIdle ? grace : nil)
            if ready.count > 2, ready[2] { pause = acceptClients(again: pause != nil) }
            if ready[0], let signal = signals.next() {
                log.write("signal \(signal)")
                unmountAll()
                break
            }
            changed.clear()
            if endsWhenIdle, isIdle, !isNew || grace.hasPassed, try !hasWaitingClient() { break }
        }
    }

    /// Makes a folder of that name in the device's `run/`, where it is missing.
    func makeRunFolder(_ name: String) throws { try folder.makeFolder(name) }

    /// Which directory a path below the device's `run/` is; no link is followed.
    func identityInRunFolder(_ path: String) throws -> FileIdentity { try folder.identity(of: path) }

    /// To be called when a mount, a connection or work of the daemon's own has ended.
    func somethingEnded() {
        changed.signal()
        Process.trimHeap()
    }

    private var isIdle: Bool {
        mounts.all.isEmpty && !discarded.isBusy && state.withLock { $0.connections == 0 }
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

    /// Says that no more clients can be served now.
    private func refuse(_ channel: Channel) {
        var hello = hello
        hello.isFull = true
        // It fits into the socket's buffer, so this waits for nobody.
        try? channel.send(hello)
    }

    private func serve(_ connection: ClientConnection) {
        do {
            let thread = try NativeThread(name: "client") { [self] in
                connection.serve()
                state.withLock { $0.connections -= 1 }
                somethingEnded()
            }
            thread.detach()
        } catch {
            log.write("no thread for a client: \(error)")
            refuse(connection.channel)
            state.withLock { $0.connections -= 1 }
        }
    }

    /// Unmounts what is mounted; what is busy is taken out of the tree and ends with this process.
    private func unmountAll() {
        for mount in mounts.all.reversed() {
            do { try end(mount, evenIfBusy: true) } catch { log.write("\(error)") }
        }
        _ = mounts.waitUntilEmpty(timeoutSeconds: 5)
        for mount in mounts.all { records.remove(directory: mount.directory) }
    }
}

extension Daemon {
    /// A device inside a mount that it serves itself would wait for itself, and could not even be killed.
    private static func refuseOwnMount(_ device: Device) throws {
        var details = stat()
        guard fstat(device.directory, &details) == 0 else { throw Errno(rawValue: errno) }
        let number = DeviceNumber(raw: details.st_dev).description
        let entry = try MountTable.current().entries.first { $0.device == number }
        if let entry, MountSource(entry.source)?.deviceID == device.id {
            throw CommandFailure(
                "the device lies inside its own mount at \(entry.mountPoint) and would wait for itself;"
                    + " move it to an ordinary folder")
        }
    }
}
