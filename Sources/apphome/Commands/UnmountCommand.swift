internal import ArgumentParser
internal import Wire

/// `apphome unmount DIR…`
struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmounts a home or view, and cleans a dead mount.",
        examples: ["apphome unmount ~/notes", "apphome unmount --lazy ~/notes ~/shared"])

    @Argument(help: ArgumentHelp("Where it is mounted.", valueName: "dir")) var directories: [String]
    @Flag(help: "Detach now; the mount ends when no program uses it any more.") var lazy = false
    @Flag(help: "Wait until all is uploaded, however long; exit 4 where something is left.") var wait = false
    @Option(
        name: .customLong("wait-for"),
        help: ArgumentHelp(
            "As --wait, and at most so long; --wait=SECONDS says the same.", valueName: "seconds"))
    var waitSeconds: Double?
    @OptionGroup var device: DeviceOptions

    /// `--wait=5` as this parser can read it: an option has a value always, or never.
    static func rewrite(_ argument: String) -> String {
        argument.hasPrefix("--wait=") ? "--wait-for=" + argument.dropFirst("--wait=".count) : argument
    }

    func run() throws {
        var unmounter = Unmounter(fallback: device.location, lazy: lazy)
        unmounter.wait = waitSeconds.map { .seconds($0) } ?? (wait ? .completely : .briefly)
        var failures: [CommandFailure] = []
        var isComplete = true
        for directory in directories {
            do {
                let result = try unmounter.unmount(directory)
                for line in result.lines { print(printable(line)) }
                isComplete = isComplete && result.isComplete
            } catch {
                failures.append(CommandFailure(describing: error))
            }
        }
        // One that fails does not keep the others mounted.
        for failure in failures.dropLast() { printError("apphome: error: \(printable(failure.message))") }
        if let last = failures.last { throw last }
        if !isComplete, wait || waitSeconds != nil { throw ExitCode(4) }
    }
}
