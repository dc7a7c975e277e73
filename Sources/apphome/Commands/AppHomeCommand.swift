internal import ArgumentParser
internal import Wire

/// The command line's root.
struct AppHomeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apphome",
        abstract: "An iPhone's app sandbox on Linux: homes, their rules, and what they share.",
        discussion: """
            EXAMPLE:
              apphome new Notes --share
              apphome mount Notes ~/notes --share ~/shared
              apphome unmount ~/notes ~/shared
            """,
        version: "apphome \(BuildIdentity.version)",
        subcommands: [
            NewCommand.self, InstallCommand.self, UninstallCommand.self, ListCommand.self, InfoCommand.self,
            MountCommand.self, UnmountCommand.self, ShareCommand.self, SkipBackupCommand.self,
            FilesCommand.self, BackupCommand.self, GroupCommand.self, DeviceCommand.self, RunCommand.self,
            EnvCommand.self, DefaultsCommand.self, PurgeCommand.self, WatchCommand.self, CloudCommand.self,
            DaemonCommand.self,
        ])
}

/// The device that a command works on.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The device: a name, or a path with a slash in it.", valueName: "name|path"))
    var device: String?

    func location() throws -> DeviceLocation { try DeviceLocation(device) }

    /// Connects to the device's daemon, which is started if need be.
    func connect(toOtherProtocols: Bool = false, makesDevice: Bool = false) throws -> DaemonClient {
        try DaemonClient.connect(
            to: try location(), toOtherProtocols: toOtherProtocols, makesDevice: makesDevice)
    }

    /// For commands that open other paths that a person named.
    func paths() throws -> NamedPaths { try NamedPaths(beside: try location()) }
}

/// For commands that print data.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs.")
    var json = false
}
