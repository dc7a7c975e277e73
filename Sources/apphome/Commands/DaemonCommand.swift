internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import Posix

/// `apphome daemon PATH`: what a command starts, and a service manager; no person need.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon", abstract: "Serves a device until it is told to end.",
        discussion: """
            Commands start a daemon by themselves, which ends with the last mount; this one stays.

            EXAMPLE:
              apphome daemon ~/.local/share/apphome/devices/default
            """, shouldDisplay: false)

    @Argument(help: "The device: a name, or a path with a slash in it.") var path: String
    @Option(help: ArgumentHelp("What a new device is signed in to.", valueName: "url")) var account: String?

    func run() throws {
        lx_name_thread("apphome")
        Process.setFileModeMask(0)
        try Process.growDescriptorTable()
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        if DaemonProcess.isStartedByCommand {
            try serveForCommand(signals)
        } else {
            try serveUntilSignal(signals)
        }
    }

    /// Serves the device whose open folder was handed over, until nothing is left to serve.
    private func serveForCommand(_ signals: borrowing Signals) throws {
        let log = DaemonLog()
        do {
            let directory = SharedDescriptor(Descriptor(owning: DaemonProcess.directoryNumber))
            let daemon = try Daemon.start(directory: directory, path: path, account: account, log: log)
            guard let daemon else {
                return DaemonProcess.say(DaemonProcess.Word.lost)
            }
            DaemonProcess.say(DaemonProcess.Word.ready)
            try daemon.run(signals: signals)
        } catch {
            log.write("\(error)")
            DaemonProcess.say(CommandFailure(describing: error).message)
            throw ExitCode.failure
        }
    }

    /// Opens the device itself. One that is missing is not made: a service manager runs as root, and the
    /// device would become root's.
    private func serveUntilSignal(_ signals: borrowing Signals) throws {
        let location = try DeviceLocation(path)
        guard access(location.path, F_OK) == 0 else {
            throw CommandFailure("there is no device at \(location.path); its owner's first command makes it")
        }
        let device = try DeviceAccess(opening: location)
        let daemon = try Daemon.start(
            directory: device.directory, path: location.path,
            account: try account ?? location.defaultAccount, log: DaemonLog())
        guard let daemon else {
            throw CommandFailure(
                "another daemon serves \(location.path); it ends when all that it serves is unmounted")
        }
        try daemon.run(signals: signals, endsWhenIdle: false)
    }
}
