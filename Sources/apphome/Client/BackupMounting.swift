internal import Backup
internal import BackupFS
internal import FoundationEssentials
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// A backup that is mounted, served by this process.
struct BackupMounting: ~Copyable {
    /// What the mount table shows as the source of such a mount.
    static let source = "apphome-backup"
    /// How long the kernel may take to say that the mount is ready.
    private static let readySeconds = 10.0
    /// Of the list, in memory; of a large backup that is a small part.
    private static let cacheBytes = 1 << 20

    /// What was done, for the person.
    let lines: [String]
    private let fileSystem: BackupFileSystem
    private let session: Session
    private let point: MountPoint
    private let signals: Signals

    /// - Parameters:
    ///   - path: what the backup's folder is called.
    ///   - place: absolute, as `NamedPath.mountPoint` returns it.
    init(
        _ source: BackupSource, named path: String, at place: String, _ arrangement: Arrangement,
        password: String?, showsEmptyLogs: Bool
    ) throws {
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        try Process.growDescriptorTable()
        Process.keepHeapTogether()
        let reader = try BackupReader(
            source, password: password.map { Array($0.utf8) }, cacheBytes: Self.cacheBytes)
        let fileSystem = try BackupFileSystem(reader, arrangement, showsEmptyLogs: showsEmptyLogs)
        let point = try MountPoint.prepare(resolved: place) { $0 == Self.source }
        let session: Session
        do {
            session = try Self.mount(fileSystem, at: point)
        } catch {
            point.removeIfMade()
            throw error
        }
        lines = Self.lines(reader.summary, named: path, at: place, fileSystem.refused.count)
        (self.fileSystem, self.session, self.point) = (fileSystem, session, point)
        self.signals = signals
    }

    private static func lines(
        _ summary: BackupReader.Summary, named path: String, at place: String, _ refused: Int
    ) -> [String] {
        var lines = [
            "\(summary.deviceName ?? path) of \(timeText(summary.date.timeIntervalSince1970)) mounted at "
                + place,
            "stop: apphome unmount \(shellQuoted(place))",
        ]
        if !summary.isFinished { lines.append("its device broke this backup off: files may be missing") }
        if refused > 0 { lines.append("\(counted(refused, "item")) of it not shown as it stands") }
        return lines
    }

    private static func mount(_ fileSystem: BackupFileSystem, at point: MountPoint) throws -> Session {
        var request = MountRequest(source: source)
        request.isReadOnly = true
        request.forbidsExecution = true
        request.followsLinks = false
        // Recorded modes and owners are a device's: they mean nobody here.
        request.kernelChecksAccess = false
        let device = try Mounting.mount(request, at: point)
        var options = SessionOptions(believesCallers: Process.effectiveUserID == 0)
        options.name = "backup"
        do {
            let session = try Session(fileSystem: fileSystem, device: device, options: options)
            try session.start()
            guard session.waitUntilReady(timeoutSeconds: readySeconds) else {
                throw CommandFailure("the kernel does not answer the new mount at \(point.path)")
            }
            return session
        } catch {
            if let entry = try? point.place.entry() { try? Unmounting.clean(entry) }
            throw error
        }
    }

    /// Serves it until it is unmounted; a signal unmounts it.
    /// - Returns: what of the backup was not believed.
    consuming func serve() throws -> RefusedItems {
        let ended = try WakeUp()
        let session = session
        let thread = try NativeThread(name: "end") {
            session.waitUntilEnded()
            ended.signal()
        }
        while try !Waiting.wait(for: [ended.raw, signals.raw])[0] {
            guard signals.next() != nil else { continue }
            // Detached before, and somebody still holds it.
            do { try Unmounting.unmount(point.place, lazy: true) } catch MountError.notMounted {}
        }
        thread.join()
        point.removeIfMade()
        return fileSystem.refused
    }
}
