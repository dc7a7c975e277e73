internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import Posix

/// `apphome daemon PATH`: what a command starts, and no person does.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon", abstract: "Serves a device.", shouldDisplay: false)

    @Argument(help: "The device's path, for messages.") var path: String

    func run() throws {
        lx_name_thread("apphome")
        guard fcntl(DaemonProcess.readyNumber, F_GETFD) >= 0,
            fcntl(DaemonProcess.directoryNumber, F_GETFD) >= 0
        else { throw CommandFailure("the daemon is started by the commands that need it; use those") }
        Process.setFileModeMask(0)
        try Process.growDescriptorTable()
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        let log = DaemonLog()
        do {
            let directory = SharedDescriptor(Descriptor(owning: DaemonProcess.directoryNumber))
            guard let daemon = try Daemon.start(directory: directory, path: path, log: log) else {
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
}
