internal import CLinux
internal import Glibc
internal import Posix
internal import Wire

/// Starting the daemon as a process of its own, and what the two tell each other while it starts.
enum DaemonProcess {
    /// The descriptors that a daemon is started with, after standard input, output and error.
    static let directoryNumber: Int32 = 3
    static let readyNumber: Int32 = 4

    /// In the daemon: whether a command started it, and handed those descriptors over. A descriptor that
    /// happens to be open would say nothing of that.
    static var isStartedByCommand: Bool { environment(mark) != nil }
    private static let hasSpoken = Lock(false)
    private static let mark = "APPHOME_STARTED_BY_COMMAND"

    /// What a starting daemon says through the pipe, once.
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
        let devicePath = device.path
        var pipe: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&pipe))
        let reader = Descriptor(owning: pipe[0])
        let arguments = ["daemon", devicePath] + (account.map { ["--account", $0] } ?? [])
        try spawn(arguments, directory, log, ready: Descriptor(owning: pipe[1]))
        var said: [UInt8] = []
        while true {
            let isReadable = try Waiting.wait(for: [reader.raw], until: deadline)[0]
            guard isReadable else {
                throw CommandFailure("the daemon of \(devicePath) takes too long to start")
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = try retrying { lx_read(reader.raw, &chunk, 4096) }
            if count == 0 { break }
            said += chunk[..<Int(count)]
        }
        switch String(decoding: said, as: UTF8.self) {
        case Word.ready: return
        // The one that has the lock is about to serve, or about to end: look again shortly.
        case Word.lost: usleep(20_000)
        case "": throw CommandFailure("the daemon did not start; \(devicePath)/run/daemon.log says why")
        case let message: throw CommandFailure(message)
        }
    }

    private static func spawn(
        _ arguments: [String], _ directory: Int32, _ log: Int32, ready: consuming Descriptor
    ) throws {
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        _ = try Child(
            "/proc/self/exe", arguments: arguments,
            environment: [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                // A crash would otherwise stop to print a backtrace, with the mounts hanging meanwhile.
                "SWIFT_BACKTRACE=enable=no",
                "\(mark)=yes",
            ],
            descriptors: [null.raw, log, log, directory, ready.raw], name: "apphome", ownSession: true)
    }

    /// In the daemon: says its first word and closes the pipe. What comes later is for the log alone: the
    /// number is another file's by then.
    static func say(_ word: String) {
        guard
            hasSpoken.withLock({ hasSpoken in
                defer { hasSpoken = true }
                return !hasSpoken
            })
        else { return }
        let pipe = Descriptor(owning: readyNumber)
        try? pipe.writeAll(Array(word.utf8))
    }
}
