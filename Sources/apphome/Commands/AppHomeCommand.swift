internal import ArgumentParser
internal import SandboxRules
internal import Wire

/// The command line's root.
struct AppHomeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apphome",
        abstract: "An iPhone's app sandbox on Linux: homes, their rules, and what they share.",
        examples: [
            "apphome new Notes --share",
            "apphome mount Notes ~/notes --share ~/shared",
            "apphome unmount ~/notes ~/shared",
        ],
        version: "apphome \(BuildIdentity.version)",
        subcommands: [
            NewCommand.self, InstallCommand.self, UninstallCommand.self, ListCommand.self, InfoCommand.self,
            MountCommand.self, UnmountCommand.self, ResetCommand.self, CopyCommand.self, PathCommand.self,
            ShareCommand.self, SkipBackupCommand.self,
            FilesCommand.self, BackupCommand.self, GroupCommand.self, DeviceCommand.self, RunCommand.self,
            EnvCommand.self, DefaultsCommand.self, KeyValueCommand.self, PurgeCommand.self, WatchCommand.self,
            SnapshotCommand.self, DiffCommand.self, DoctorCommand.self,
            CICheckCommand.self, CloudCommand.self, SchemaCommand.self, DaemonCommand.self,
        ])
}

/// The device that a command works on.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The device: a name, or a path with a slash in it.", valueName: "name|path"),
        completion: .devices)
    var device: String?

    func location() throws -> DeviceLocation { try DeviceLocation(device) }

    /// Connects to the device's daemon, which is started if need be.
    func connect(toOtherProtocols: Bool = false, makesDevice: Bool = false) throws -> DaemonClient {
        try DaemonClient.connect(
            to: try location(), toOtherProtocols: toOtherProtocols, makesDevice: makesDevice)
    }

    /// Asks the device's daemon.
    func ask<Reply>(_ call: Call<Reply>) throws -> Reply { try connect().ask(call) }

    /// Asks, and prints the lines that are the answer.
    func tell(_ call: Call<[String]>) throws {
        for line in try ask(call) { print(printable(line)) }
    }

    /// For commands that open other paths that a person named.
    func paths() throws -> NamedPaths { try NamedPaths(beside: try location()) }
}

/// For commands that a program may use as its app: it reaches the daemon by its app's socket.
struct AppServiceOptions: ParsableArguments {
    @OptionGroup var device: DeviceOptions

    func connect() throws -> DaemonClient {
        if let socket = environment(AppEnvironment.socketName) {
            guard device.device == nil else {
                throw CommandFailure("a program that runs as an app has no other device", exitStatus: 64)
            }
            return try DaemonClient.connect(toApp: socket)
        }
        return try device.connect()
    }

    func ask<Reply>(_ call: Call<Reply>) throws -> Reply { try connect().ask(call) }
}

/// For commands that may take long. Ctrl-C stops them: what was kept is said.
struct ProgressOptions: ParsableArguments {
    @Flag(help: "Show how far it is where no terminal is, too: a line each 2 seconds, on standard error.")
    var progress = false
    @Flag(help: "Do not show how far it is.") var quiet = false

    var mode: ProgressMeter.Mode { quiet ? .never : progress ? .always : .automatic }
}

extension DaemonClient {
    /// - Returns: itself, which shows progress so from now on.
    func showing(_ options: ProgressOptions) -> DaemonClient {
        progress = options.mode
        return self
    }
}

/// For commands that print data.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs: apphome json-schema describes it.")
    var json = false
}

extension CommandConfiguration {
    /// A command whose help ends with examples.
    init(
        commandName: String? = nil, abstract: String, discussion: String? = nil, examples: [String],
        version: String = "", shouldDisplay: Bool = true, subcommands: [any ParsableCommand.Type] = [],
        defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        let shown = ["EXAMPLE:"] + examples.map { "  " + $0 }
        self.init(
            commandName: commandName, abstract: abstract,
            discussion: (discussion.map { $0 + "\n\n" } ?? "") + shown.joined(separator: "\n"),
            version: version, shouldDisplay: shouldDisplay, subcommands: subcommands,
            defaultSubcommand: defaultSubcommand)
    }
}
