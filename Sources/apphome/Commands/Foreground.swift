internal import DeviceServer
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// `mount --foreground`: this process stays as long as its mounts do.
///
/// Where the device has no daemon, this process is it, and serves later mounts too; a signal then unmounts
/// all. Where one runs, that one serves, and a signal unmounts only what this command mounted.
struct Foreground {
    let location: DeviceLocation

    /// - Parameter mount: mounts through a client; returns the directories.
    func run(_ mount: @escaping @Sendable (DaemonClient) throws -> [String]) throws {
        runWithoutBacktraces()
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        try Process.growDescriptorTable()
        let device = try DeviceAccess(opening: location, makesDevice: true)
        let failure = Gate<CommandFailure?>(nil)
        let location = location
        var thread: NativeThread?
        let outcome = Result {
            try DeviceServer.serve(
                device.directory, path: location.path, account: try location.defaultAccount, signals: signals
            ) {
                thread = try NativeThread(name: "mount") {
                    do {
                        // To mount is this command's part, not the daemon's, which may have another
                        // user's rights.
                        _ = try Owner(uid: 0, gid: 0).acting {
                            try mount(try DaemonClient.connect(to: location))
                        }
                    } catch {
                        failure.update { $0 = CommandFailure(describing: error) }
                    }
                }
            }
        }
        thread.take()?.join()
        guard try outcome.get() else {
            return try stay(with: try DaemonClient.connect(to: location), signals, mount)
        }
        if let failure = failure.update({ $0 }) { throw failure }
    }

    private func stay(
        with client: DaemonClient, _ signals: borrowing Signals, _ mount: (DaemonClient) throws -> [String]
    ) throws {
        let directories = try mount(client).map { try MountPoint.resolve($0) }
        for directory in directories {
            if try client.ask(.awaitEnd(ofMountAt: directory), orInterrupt: signals) == nil {
                let unmounter = Unmounter(fallback: { location })
                for directory in directories.reversed() { _ = try unmounter.unmount(directory) }
                return
            }
        }
    }
}

func flushOutput() { fflush(nil) }
