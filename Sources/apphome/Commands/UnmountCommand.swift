internal import ArgumentParser
internal import FuseKit

/// `apphome unmount DIR…`
struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmounts a home or view, and cleans a dead mount.",
        discussion: """
            EXAMPLE:
              apphome unmount ~/notes
              apphome unmount --lazy ~/notes ~/shared
            """)

    @Argument(help: ArgumentHelp("Where it is mounted.", valueName: "dir")) var directories: [String]
    @Flag(help: "Take it out of the tree now, and end it when the last program lets go.") var lazy = false
    @OptionGroup var device: DeviceOptions

    func run() throws {
        let unmounter = Unmounter(fallback: device.location, lazy: lazy)
        var failures: [CommandFailure] = []
        for directory in directories {
            do {
                for line in try unmounter.unmount(directory) { print(printable(line)) }
            } catch {
                failures.append(CommandFailure(describing: error))
            }
        }
        // One that fails does not keep the others mounted.
        for failure in failures.dropLast() { printError("apphome: error: \(printable(failure.message))") }
        if let last = failures.last { throw last }
    }
}
