internal import ArgumentParser
internal import CLinux
internal import DeviceServer
internal import Glibc
internal import Posix
internal import Wire

/// `apphome daemon PATH`: what a command starts, and a service manager; no person need.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon", abstract: "Serves a device until it is told to end.",
        discussion: "Commands start a daemon by themselves, which ends with the last mount; this one stays.",
        examples: ["apphome daemon ~/.local/share/apphome/devices/default"], shouldDisplay: false)

    @Argument(help: "The device: a name, or a path with a slash in it.") var path: String
    @Option(help: ArgumentHelp("The cloud store that a new device signs in to.", valueName: "url"))
    var account: String?
    @Option(
        help: ArgumentHelp(
            "How long a command may say nothing between two requests.", valueName: "seconds"))
    var idleSeconds = 60.0

    func run() throws {
        lx_name_thread("apphome")
        try Process.growDescriptorTable()
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        if BackgroundProcess.isStartedByCommand {
            try serveForCommand(signals)
        } else {
            try serveUntilSignal(signals)
        }
    }

    /// Serves the device whose open folder was handed over, until nothing is left to serve.
    private func serveForCommand(_ signals: borrowing Signals) throws {
        do {
            let isServed = try DeviceServer.serve(
                SharedDescriptor(Descriptor(owning: BackgroundProcess.folderNumber)), path: path,
                account: account, signals: signals
            ) {
                BackgroundProcess.say(DaemonProcess.Word.ready)
            }
            if !isServed { BackgroundProcess.say(DaemonProcess.Word.lost) }
        } catch {
            let message = CommandFailure(describing: error).message
            // Standard error is the daemon's log.
            printError("apphome: error: \(message)")
            BackgroundProcess.say(message)
            throw ExitCode.failure
        }
    }

    /// How often a daemon that waits looks whether the other one has ended.
    private static let lookSeconds = 1.0

    /// Serves the device, as soon as no other daemon does.
    ///
    /// A mount may have been first and have started one, which ends with it: to fail then would have the
    /// service manager start this again and again, or leave the device without it for good.
    private func serveUntilSignal(_ signals: borrowing Signals) throws {
        let location = try DeviceLocation(path)
        var isTold = false
        while try !serve(location, signals) {
            if !isTold {
                printError("apphome: note: another daemon serves \(location.path): waiting for its end")
            }
            isTold = true
            let next = Deadline(seconds: Self.lookSeconds)
            if try Waiting.wait(for: [signals.raw], until: next)[0], signals.next() != nil { return }
        }
    }

    /// Opens the device itself, each time anew: it may be another one by then. One that is missing is not
    /// made: a service manager runs as root, and the device would become root's.
    /// - Returns: false where another daemon serves it.
    private func serve(_ location: DeviceLocation, _ signals: borrowing Signals) throws -> Bool {
        let device = try DeviceAccess(opening: location)
        return try DeviceServer.serve(
            device.directory, path: location.path, account: try account ?? location.defaultAccount,
            signals: signals, endsWhenIdle: false, idleSeconds: idleSeconds)
    }
}
