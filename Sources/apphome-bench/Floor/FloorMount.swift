import FuseKit
import Glibc
import Posix
import SystemPackage

/// The file system that answers at once, mounted on FuseKit's own transport as a home is.
final class FloorMount: Sendable {
    private let session: Session
    private let point: MountPoint

    /// Mounts it at `path` and serves it, as `transport` says: a home's default where nothing is said.
    /// - Throws: `MountError`, or the errno of a thread that could not be made.
    init(at path: String, transport: TransportChoice = .auto) throws {
        // The kernel's table of descriptors is grown before any thread exists, as in the daemon.
        try Process.growDescriptorTable()
        point = try MountPoint.prepare(path) { $0 == Self.source }
        let device = try Mounting.mount(MountRequest(source: Self.source), at: point)
        var options = SessionOptions(believesCallers: true)
        options.name = "bench-floor"
        options.transport = transport
        session = try Session(fileSystem: NullFileSystem(), device: device, options: options)
        try session.start()
        guard session.waitUntilReady(timeoutSeconds: 10) else {
            unmount()
            throw Errno.timedOut
        }
    }

    static let source = "apphome-bench:floor"

    /// How requests come, for people.
    var transport: String { session.transport?.text ?? "ended" }

    /// Requests so far, by the kernel's operation number.
    var requestCounts: [UInt32: UInt64] { session.counters.byOperation }

    /// Takes it out of the tree; it ends when the last program lets go.
    func unmount() {
        try? Unmounting.unmount(point.place, lazy: true)
    }

    /// Waits until it is unmounted, by whomever.
    func waitUntilEnded() {
        session.waitUntilEnded()
        point.removeIfMade()
    }
}

extension FloorMount {
    /// `apphome-bench floor DIR`: serves until it is unmounted; SIGINT and SIGTERM unmount it.
    /// - Parameter report: told the transport once it serves.
    static func serve(_ command: FloorCommand, report: (String) -> Void) throws {
        // Blocked before any thread exists, so that no thread takes them.
        let signals = try Signals([SIGINT, SIGTERM])
        let mount = try FloorMount(at: command.path, transport: command.transport)
        report(mount.transport)
        let raw = signals.raw
        let thread = try NativeThread(name: "bench-signals") { mount.unmount(after: raw) }
        mount.waitUntilEnded()
        // It may wait for a signal that never comes; the process ends now.
        thread.detach()
        withExtendedLifetime(signals) {}
    }

    private func unmount(after signals: Int32) {
        guard let ready = try? Waiting.wait(for: [signals]), ready[0] else { return }
        unmount()
    }
}
