internal import ArgumentParser
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// `apphome run APP -- COMMAND…`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a program as the app: it sees the system, its app, and nothing else.",
        discussion: """
            The home is at the device's path, and HOME; the program starts in the bundle. It has no network, \
            a /tmp of its own, and no other file of yours. Its exit status is the command's; 125: it did not \
            come to run.

            EXAMPLE:
              apphome run Notes -- bash
              apphome run Notes --cwd home -- ls -la
              apphome run Notes --for dotnet --network -- ./Notes
            """)

    @Argument(help: "The app's name or identifier.") var app: String
    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
    var command: [String]
    @Option(
        help: ArgumentHelp("Where it starts: home, or a directory as it sees them.", valueName: "home|dir"))
    var cwd: String?
    @Option(name: .customLong("for"), help: "What the program is made with: how it finds its directories.")
    var kind = AppEnvironment.Kind.foundation
    @Option(
        help: ArgumentHelp("What toolchains keep goes here and not into the home.", valueName: "dir"))
    var toolHome: String?
    @Flag(help: "Let it reach the network.") var network = false
    @Flag(help: "Without a sandbox, where none can be made.") var unconfined = false
    @Flag(help: "Keep Documents on this device, where this command mounts the home.") var noSync = false
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if command.isEmpty { throw ValidationError("name a command after --: apphome run \(app) -- bash") }
    }

    func run() throws {
        let status: Int32
        do {
            status = try runProgram()
        } catch {
            // Not to be taken for the program's own.
            throw CommandFailure(CommandFailure(describing: error).message, exitStatus: 125)
        }
        throw ExitCode(status)
    }

    private func runProgram() throws -> Int32 {
        let bubblewrap = unconfined ? nil : try Bubblewrap(hasNetwork: network)
        let location = try device.location()
        let stage = try AppStage(
            app, command: FilePath(command[0]).lastComponent?.string ?? command[0], at: location,
            noSync: noSync)
        let tools = try toolFolder(location)
        kind.makeNeededDirectory(in: stage.home)
        let result = Result {
            if let bubblewrap { return try runConfined(bubblewrap, stage, tools) }
            return try runUnconfined(stage, tools, location)
        }
        do {
            try stage.leave()
        } catch {
            // Something that an unconfined program left behind, perhaps: its status counts all the same.
            printError("apphome: note: " + printable(CommandFailure(describing: error).message))
        }
        return try result.get()
    }

    private func runConfined(_ bubblewrap: Bubblewrap, _ stage: AppStage, _ tools: String) throws -> Int32 {
        var sandbox = Sandbox(
            home: stage.home, bundle: stage.bundle, toolHome: tools, grant: stage.grant,
            coversBundle: stage.showsBundle)
        sandbox.hasNetwork = network
        sandbox.groups = stage.groups
        let app = AppEnvironment(
            home: sandbox.innerHome, bundle: sandbox.innerBundle, kind: kind,
            configuration: Sandbox.innerConfiguration)
        return try bubblewrap.run(
            command, in: sandbox, startingIn: start(app),
            environment: environment(app, tools: Sandbox.innerToolHome),
            userDirectories: kind == .flutter ? app.userDirectories : nil)
    }

    private func runUnconfined(_ stage: AppStage, _ tools: String, _ location: DeviceLocation) throws -> Int32
    {
        printError(
            "apphome: note: not confined: the program sees all files that you see, other apps' too, and the"
                + " network; in the home its rules hold")
        var app = AppEnvironment(home: stage.home, bundle: stage.bundle, kind: kind, configuration: "")
        if kind == .flutter {
            let folder = UserDirectories(device: location.path, bundleID: stage.grant.bundleID)
            app.configuration = try folder.write(app.userDirectories)
        }
        guard chdir(start(app)) == 0 else {
            throw CommandFailure("cannot start in \(start(app)): \(Errno(rawValue: errno))")
        }
        // It must not keep the mount busy.
        defer { chdir("/") }
        let path = apphome.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        guard let program = executable(command[0], in: path) else {
            printError("apphome: error: \(printable(command[0])): there is no such program")
            return 127
        }
        return try RunningChild.run {
            let child = try Child(
                program, arguments: Array(command.dropFirst()), environment: environment(app, tools: tools),
                descriptors: [0, 1, 2], name: command[0])
            return (child, { child.processID })
        }
    }

    /// Where the program starts: in the bundle, as .NET's apps on iOS do.
    private func start(_ app: AppEnvironment) -> String {
        switch cwd {
        case nil: app.bundle
        case "home": app.home
        case let directory?: directory.hasPrefix("/") ? directory : app.home + "/" + directory
        }
    }

    /// The person's variables, but for what leads to the person's own things; then the app's.
    private func environment(_ app: AppEnvironment, tools: String) -> [String] {
        var own: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            let name = String(text.prefix { $0 != "=" })
            if !AppEnvironment.isPersonal(name) { own.append(text) }
            next += 1
        }
        let set = app.variables + AppEnvironment.toolVariables(at: tools)
        let names = Set(set.map(\.name))
        return own.filter { !names.contains(String($0.prefix { $0 != "=" })) }
            + set.map { "\($0.name)=\($0.value)" }
    }

    /// A folder that is there.
    private func toolFolder(_ location: DeviceLocation) throws -> String {
        let folder = try absolute(toolHome ?? location.path + "/ToolHome")
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("cannot make \(folder): \(Errno(rawValue: errno))")
        }
        return folder
    }
}
