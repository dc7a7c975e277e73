public import Posix
internal import Wire

/// The daemon of a device, as the commands that are one start it.
public enum DeviceServer {
    /// Takes the device over and serves it, on this thread and on threads of its own.
    ///
    /// - Parameters:
    ///   - device: its folder, open.
    ///   - path: of that, for people; nothing is opened by it.
    ///   - account: the cloud store of a device that has not been told any.
    ///   - signals: SIGINT and SIGTERM, which unmount everything and end it.
    ///   - endsWhenIdle: whether it ends when no mount and no client is left.
    ///   - idleSeconds: how long a client may say nothing between two requests.
    ///   - whenReady: called once clients can connect.
    /// - Returns: false where another daemon holds the device.
    /// - Throws: `CommandFailure`; what `whenReady` throws.
    public static func serve(
        _ device: SharedDescriptor, path: String, account: String?, signals: borrowing Signals,
        endsWhenIdle: Bool = true, idleSeconds: Double = 60, whenReady: () throws -> Void = {}
    ) throws -> Bool {
        do {
            let daemon = try Daemon.start(
                directory: device, path: path, account: account, log: DaemonLog(), idleSeconds: idleSeconds)
            guard let daemon else { return false }
            try whenReady()
            try daemon.run(signals: signals, endsWhenIdle: endsWhenIdle)
            return true
        } catch {
            throw CommandFailure(answering: error)
        }
    }
}
