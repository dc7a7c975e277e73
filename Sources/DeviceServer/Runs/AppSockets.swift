internal import Posix
internal import Wire

/// The sockets by which programs that run as an app reach the daemon. Who comes in by one is that app,
/// whatever it says.
final class AppSockets: Sendable {
    private let folder: RunFolder
    private let log: DaemonLog

    private struct Open {
        var runs = 1
        let ended: WakeUp
    }
    /// By bundle identifier. Held while a socket is made or removed.
    private let open = Lock<[String: Open]>([:])

    private static let pauseSeconds = 0.5

    init(folder: RunFolder, log: DaemonLog) {
        self.folder = folder
        self.log = log
    }

    /// Opens an app's socket, or counts one more run that has it.
    /// - Parameters:
    ///   - path: the app's folder, below `run/`.
    ///   - admit: takes a connection, on the socket's own thread.
    func begin(
        _ bundleID: String, in path: String, admit: @escaping @Sendable (consuming Descriptor) -> Void
    ) throws {
        try open.withLock { open in
            if open[bundleID] != nil {
                open[bundleID]?.runs += 1
                return
            }
            let listener = SharedDescriptor(try folder.listen(forAppIn: path))
            let ended = try WakeUp()
            let log = log
            try NativeThread(name: "app socket") {
                // What is short (descriptors, memory) comes back when others end.
                while true {
                    do { return try Self.accept(listener, until: ended, admit) } catch {
                        log.write("a program of \(bundleID) cannot be taken now: \(error)")
                    }
                    let pause = Deadline(seconds: Self.pauseSeconds)
                    if (try? Waiting.wait(for: [ended.raw], until: pause)[0]) == true { return }
                }
            }.detach()
            open[bundleID] = Open(ended: ended)
        }
    }

    /// One run less; connections that are open stay.
    func end(_ bundleID: String, in path: String) {
        open.withLock { open in
            guard let there = open[bundleID] else { return }
            open[bundleID]?.runs -= 1
            guard there.runs == 1 else { return }
            open[bundleID] = nil
            there.ended.signal()
            folder.removeAppSocket(in: path)
        }
    }

    private static func accept(
        _ listener: SharedDescriptor, until ended: WakeUp, _ admit: (consuming Descriptor) -> Void
    ) throws {
        while try !Waiting.wait(for: [listener.raw, ended.raw])[1] {
            while let socket = try UnixSocket.accept(from: listener.descriptor) { admit(socket) }
        }
    }
}
