internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// Unmounts a view: tells its daemon, unmounts with this process's rights, and waits for the end.
struct Unmounter {
    /// The device to ask where the mount table does not lead to one.
    let fallback: () throws -> DeviceLocation
    var lazy = false
    var wait = UnmountWait.briefly

    /// - Returns: what was left, and lines to print.
    func unmount(_ path: String) throws -> Unmounted {
        let directory = try NamedPath.mountPoint(path)
        guard let entry = try MountTable.current().entry(at: directory) else {
            return try forget(directory)
        }
        if entry.source == BackupMounting.source, entry.type == Mounting.fileSystemType {
            return try unmountBackup(entry)
        }
        guard let source = MountSource(entry.source), entry.type == Mounting.fileSystemType else {
            throw MountError.notMounted(directory)
        }
        var result = Unmounted()
        let keepsInStep = source.kind == .home || source.kind.isOfDevice
        if keepsInStep, !lazy { result = try finishUploads(directory, source) }
        // Not before: the daemon cuts off who says nothing for long, and uploads may take any time.
        let client = try client(of: source)
        if client == nil, MountPoint.isDead(directory) {
            try Unmounting.clean(entry)
            return Unmounted(lines: ["\(directory) was a dead mount, and is cleaned"])
        }
        let place = try Unmounting.place(of: entry)
        let removesDirectory = try client?.ask(.beginUnmount(of: entry.source, at: directory))
        try Unmounting.unmount(place, lazy: lazy)
        if removesDirectory == true { try? place.remove() }
        guard !lazy else { return result }
        result.lines += try client?.ask(.endUnmount(of: entry.source, at: directory)) ?? []
        return result
    }

    /// Its own process ends with it, and removes the directory where it made that.
    private func unmountBackup(_ entry: MountEntry) throws -> Unmounted {
        if MountPoint.isDead(entry.mountPoint) {
            try Unmounting.clean(entry)
            return Unmounted(lines: ["\(entry.mountPoint) was a dead mount, and is cleaned"])
        }
        try Unmounting.unmount(try Unmounting.place(of: entry), lazy: lazy)
        return Unmounted()
    }

    /// Lets uploads that have begun finish, as long as the person wants to wait.
    private func finishUploads(_ directory: String, _ source: MountSource) throws -> Unmounted {
        // A connection of its own: an interrupt leaves its answer unread.
        guard let client = try client(of: source) else { return Unmounted() }
        let left: CloudSyncReport?
        do {
            // An interrupt ends the waiting, and leaves what is left for the next mount.
            let signals = try Signals([SIGINT])
            left = try client.ask(
                .finishUploads(ofMountAt: directory, seconds: wait.seconds), orInterrupt: signals)
        } catch is CommandFailure {
            // A daemon of another build syncs as it does; it is unmounted all the same.
            return Unmounted()
        }
        guard let left, left.isUploadLeft else { return Unmounted() }
        let line =
            left.changes == 0
            ? "documents not looked through; that is done at the next mount"
            : "\(CloudSyncReport.text(left.changes, left.bytes)) not uploaded; they go up at the next mount"
        return Unmounted(isComplete: false, lines: [line])
    }

    /// The daemon of the mount's device; nil where none runs or the device is not found.
    private func client(of source: MountSource) throws -> DaemonClient? {
        let noted = DeviceIndex.entry(of: source.deviceID)
        let places = [
            (try noted.map { try DeviceLocation($0.path) }, noted?.ownerID), (try? fallback(), nil),
        ]
        for case (let location?, let ownerID) in places {
            guard let client = try DaemonClient.connectIfRunning(to: location, ownedBy: ownerID) else {
                continue
            }
            if client.hello.deviceID == source.deviceID { return client }
        }
        return nil
    }

    /// Nothing is mounted there: perhaps a crash ended it, and the daemon remembers.
    private func forget(_ directory: String) throws -> Unmounted {
        let location = try fallback()
        guard access(location.path, F_OK) == 0 else { throw MountError.notMounted(directory) }
        let client = try DaemonClient.connect(to: location, toOtherProtocols: true)
        guard let crash = try client.ask(.list).flatMap(\.crashed).first(where: { $0.dir == directory })
        else {
            throw MountError.notMounted(directory)
        }
        _ = try client.ask(.endUnmount(of: "", at: directory))
        return Unmounted(lines: [
            "\(crash.app)'s mount at \(directory) had ended \(crash.cause); that is forgotten"
        ])
    }
}

/// How long `unmount` waits for uploads.
enum UnmountWait: Equatable {
    /// On a terminal, where a person sees the progress and may interrupt: until all is up; elsewhere 10 s.
    case briefly
    case completely
    case seconds(Double)

    var seconds: Double? {
        switch self {
        case .briefly: isatty(STDERR_FILENO) == 1 ? nil : 10
        case .completely: nil
        case .seconds(let seconds): seconds
        }
    }
}

/// What an unmount did.
struct Unmounted {
    /// Whether all that the store should have is there.
    var isComplete = true
    /// For the person.
    var lines: [String] = []
}
