internal import ArgumentParser
internal import Glibc
internal import Wire

/// `apphome reset APP`
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Empties an app's data: its next launch is its first. Its bundle stays.",
        discussion: """
            Documents that sync stay: on a device they come back after a reinstall. Groups stay. Until the \
            next reset or restore it can be taken back: apphome backup restore --undo APP
            """,
        examples: ["apphome reset Notes", "apphome reset Notes --remount"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Flag(help: "Let open mounts show the empty home, where no file of them is open.") var remount = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let outcome = try device.ask(.reset(app, remounts: remount))
        if output.json { return try printJSON(outcome) }
        for app in outcome.apps {
            let carried =
                app.carriedFiles == 0
                ? "" : "; \(counted(app.carriedFiles, "document")) stayed, for they sync"
            print(printable("\(app.name) is as before its first launch\(carried)"))
            for note in app.notes { print(printable(note)) }
            print(printable("to have its data back: apphome backup restore --undo \(shellQuoted(app.name))"))
            app.showCopy()
        }
    }
}
