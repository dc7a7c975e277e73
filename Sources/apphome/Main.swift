internal import ArgumentParser
internal import Databases
internal import Doctor
internal import Glibc
internal import Posix
internal import Wire

/// The program, by whichever name it is called: `apphome`, or mount(8)'s helper for `mount -t apphome`.
@main
enum Main {
    static func main() {
        openMissingStreams()
        Signals.ignore(SIGPIPE)
        var arguments = CommandLine.arguments
        let name = arguments.isEmpty ? "apphome" : arguments.removeFirst()
        if arguments.first == DatabaseTool.argument {
            exit(DatabaseTool.run(Array(arguments.dropFirst())))
        }
        if arguments.first == DatabaseSearchTool.argument {
            exit(DatabaseSearchTool.run(Array(arguments.dropFirst())))
        }
        if arguments.first == TemporaryDeviceRemover.argument {
            exit(TemporaryDeviceRemover.run(Array(arguments.dropFirst())))
        }
        do {
            if MountHelper.isName(name) { return try MountHelper(arguments).run() }
            arguments = takeLeadingDevice(arguments)
            try refuseHelp(ofNoCommand: arguments)
            if arguments.first == "doctor" { arguments = DoctorCommand.rewrite(arguments) }
            if arguments.first == "unmount" { arguments = arguments.map(UnmountCommand.rewrite) }
            var command = try AppHomeCommand.parseAsRoot(arguments)
            try command.run()
        } catch {
            exit(report(error, CommandPath(arguments, of: AppHomeCommand.self)))
        }
    }

    /// Takes the numbers of standard streams that the caller closed: what is opened next would have them, and
    /// be passed on to programs as theirs.
    private static func openMissingStreams() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// `apphome --device X COMMAND` says the same as `apphome COMMAND --device X`.
    private static func takeLeadingDevice(_ arguments: [String]) -> [String] {
        guard let first = arguments.first else { return arguments }
        if first == "--device", arguments.count > 1 {
            setenv(DeviceLocation.environmentName, arguments[1], 1)
            return Array(arguments.dropFirst(2))
        }
        if first.hasPrefix("--device=") {
            setenv(DeviceLocation.environmentName, String(first.dropFirst("--device=".count)), 1)
            return Array(arguments.dropFirst())
        }
        return arguments
    }

    /// `apphome help WORD…` of words that are no command: the parser shows the help of all, as if that had
    /// been asked for.
    private static func refuseHelp(ofNoCommand arguments: [String]) throws {
        guard arguments.first == "help", arguments.dropFirst().first != "help" else { return }
        let path = CommandPath(Array(arguments.dropFirst()), of: AppHomeCommand.self)
        guard let complaint = path.complaint else { return }
        throw CommandFailure("\(complaint) See: \(path.help)", exitStatus: 64)
    }

    /// Says on one line what went wrong; prints help where that was asked for.
    /// - Returns: the exit status: 64 for bad usage.
    private static func report(_ error: any Error, _ path: CommandPath) -> Int32 {
        if let status = error as? ExitCode { return status.rawValue }
        if let failure = error as? CommandFailure {
            printError("apphome: error: \(printable(failure.message))")
            return failure.exitStatus
        }
        switch AppHomeCommand.exitCode(for: error) {
        case .success:
            print(AppHomeCommand.fullMessage(for: error))
            return 0
        case .validationFailure:
            let usage = AppHomeCommand.message(for: error).split(separator: "\n").joined(separator: " ")
            let said = path.complaint ?? CommandPath.withoutFarGuess(usage).replacing("'?.", with: "'?")
            let end = said.last.map { ".?".contains($0) } ?? false ? "" : "."
            printError("apphome: error: \(printable(said))\(end) See: \(path.help)")
            return 64
        default:
            printError("apphome: error: \(printable(CommandFailure(describing: error).message))")
            return 1
        }
    }
}
