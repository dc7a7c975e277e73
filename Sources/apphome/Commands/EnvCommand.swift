internal import ArgumentParser
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import Wire

/// `apphome env APP [DIR]`
struct EnvCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Prints export lines that make a shell's programs use an app's home.",
        discussion: """
            They are the variables that apphome run sets. Nothing keeps a program from going elsewhere. Use a
            shell of its own for them: programs of that shell (git, say) read settings which the app may have
            written.
            """,
        examples: [#"eval "$(apphome env Notes)""#, "apphome env Notes ~/notes --for dotnet"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: ArgumentHelp("Where its home is mounted; without it: where it is.", valueName: "dir"))
    var directory: String?
    @Option(name: .customLong("for"), help: "What the programs are made with.")
    var kind = AppEnvironment.Kind.foundation
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let client = try DaemonClient.connect(to: try device.location().asOwner())
        let info = try client.ask(.info(of: app))
        var environment = AppEnvironment(home: try home(info), bundle: "", kind: kind, configuration: "")
        environment.bundle = bundle(info, environment.home)
        kind.prepare(environment.home)
        try SettingsFolder(device: client.location.path, bundleID: info.bundleID).write(for: &environment)
        if output.json {
            let variables = environment.variables.map { ($0.name, $0.value) }
            return try printJSON(Dictionary(variables, uniquingKeysWith: { $1 }))
        }
        let isShown = isatty(STDOUT_FILENO) == 1
        for (name, value) in environment.variables {
            let line = "export \(name)=\(shellQuoted(value))"
            print(isShown ? printable(line) : line)
        }
    }

    private func home(_ info: AppInfo) throws -> String {
        if let directory { return try MountPoint.resolve(directory) }
        guard let mount = info.mounts.first(where: { $0.kind == .home }) else {
            throw CommandFailure(
                "\(info.name) is not mounted: apphome mount \(info.name) DIR, or name the directory")
        }
        return mount.dir
    }

    /// Beside the data, where its view is mounted, or where it lies.
    private func bundle(_ info: AppInfo, _ home: String) -> String {
        let inner = home + "/\(info.bundle?.pathParts.last ?? "")"
        if info.bundle != nil, access(inner, F_OK) == 0 { return inner }
        return info.mounts.first { $0.kind == .bundle }?.dir ?? info.bundle ?? inner
    }
}

extension AppEnvironment.Kind {
    /// Has a home as programs of the kind want it.
    /// - Parameter home: where it is mounted. One that is read-only stays as it is, as programs see.
    func prepare(_ home: String) {
        if let neededDirectory { mkdir(home + "/" + neededDirectory, 0o755) }
        // GNUstep keeps temporary files in a folder of its own where others may enter this one.
        if self == .gnustep { chmod(home + "/tmp", 0o700) }
    }
}
