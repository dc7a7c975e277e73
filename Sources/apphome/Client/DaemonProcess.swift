internal import Glibc
internal import Posix
internal import Wire

/// Starting the daemon as a process of its own.
enum DaemonProcess {
    /// What a starting daemon says, once.
    enum Word {
        static let ready = "ready"
        /// Another one has the device.
        static let lost = "lost"
    }

    /// Starts a daemon and waits for its word.
    /// - Parameter account: what a device that has no account yet is signed in to: the daemon reads no HOME.
    /// - Throws: why it could not start.
    static func start(
        _ device: DeviceLocation, account: String?, directory: Int32, log: Int32, within deadline: Deadline
    ) throws {
        let path = device.path
        let arguments = ["daemon", path] + (account.map { ["--account", $0] } ?? [])
        switch try BackgroundProcess.start(arguments, folder: directory, log: log, within: deadline) {
        case nil: throw CommandFailure("the daemon of \(path) takes too long to start")
        case Word.ready: return
        // The one that has the lock is about to serve, or about to end: look again shortly.
        case Word.lost: usleep(20_000)
        case "": throw CommandFailure("the daemon did not start; \(path)/run/daemon.log says why")
        case let message?: throw CommandFailure(message)
        }
    }
}
