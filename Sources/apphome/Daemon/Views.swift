internal import Device
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxFS

/// What the daemon shows through its mounts: one tree for each app's container, however many views it has.
final class Views: Sendable {
    private let device: Device
    private let events: EventRing

    init(device: Device, events: EventRing) {
        self.device = device
        self.events = events
    }

    /// Starts serving a mount.
    /// - Parameter fuse: the opened `/dev/fuse`, mounted already.
    func serve(_ app: InstalledApp, _ arguments: MountArguments, fuse: SharedDescriptor) throws -> any ServedView {
        throw CommandFailure("not yet")
    }

    /// To be called when a view of the app has ended.
    func release(_ app: InstalledApp) {}

    /// Whether a file of the app's home is open.
    func isRunning(_ app: InstalledApp) -> Bool { false }
}

/// A mount that is served.
final class MountedView: ServedView {
    private let session: Session
    let dataPath: String
    let transport = "classic"

    init(session: Session, dataPath: String) {
        self.session = session
        self.dataPath = dataPath
    }

    /// False after the timeout, or where it ended first.
    func waitUntilReady(timeoutSeconds: Double) -> Bool { session.waitUntilReady(timeoutSeconds: timeoutSeconds) }

    func waitUntilEnded() { session.waitUntilEnded() }
}
