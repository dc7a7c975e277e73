internal import ArgumentParser
internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// `apphome run APP -- COMMAND…`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a program as the app: it sees the system, its app, and nothing else.",
        discussion: """
            The home is at the device's path, and HOME; the program starts in the bundle. It has no network, \
            a /tmp of its own, and no other file of yours. Of your variables it has those of the terminal, \
            the locale and the time zone, and PATH. Its exit status is the command's; 125: it could not \
            be started; 124: its time was over. Root runs it as the user whose device it is.

            --for says how the program asks for its directories: foundation (Swift and others), dotnet \
            (.NET 8 and later), mono (Mono, .NET before 8), gnustep (Objective-C), flutter. Mono and .NET \
            are seen without it. GNUstep's programs keep their defaults by their own name, which apphome \
            defaults finds, and read no Info.plist in binary form.

            With --network it shares this machine's network: it reaches what listens here for local programs \
            only, and the sockets that have no file, where the display (X11) or D-Bus may listen.
            """,
        examples: [
            "apphome run Notes -- bash",
            "apphome run Notes --cwd home -- ls -la",
            "apphome run Notes",
            "apphome run Notes --for gnustep --network -- ./Notes",
            "apphome run Notes --report --timeout 60 -- ./tests",
            "apphome run Notes --env CI --env LOG=all -- ./Notes",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(
        parsing: .postTerminator,
        help: "The program and its arguments, after --; without: the bundle's executable.")
    var command: [String] = []
    @Option(
        help: ArgumentHelp("Where it starts: home, or a directory as it sees them.", valueName: "home|dir"))
    var cwd: String?
    @Option(
        name: .customLong("for"),
        help: "What the program is made with: how it finds its directories. Mono and .NET are seen without.")
    var kind: AppEnvironment.Kind?
    @Option(
        help: ArgumentHelp(
            "Directory for the state of toolchains, instead of one in the device.", valueName: "dir"))
    var toolHome: String?
    @Option(
        name: .customLong("env"),
        help: ArgumentHelp(
            "Pass a variable, with your value or this one; may be repeated.", valueName: "name[=value]")
    )
    var added: [String] = []
    @Flag(help: "Let it reach the network, and what else listens on this machine.") var network = false
    @Flag(help: "Without a sandbox, where none can be made.") var unconfined = false
    @Flag(help: "Keep Documents on this device, where this command mounts the home.") var noSync = false
    @Flag(help: "Print at the end what broke a rule of a device, and what is left outside of the home.")
    var report = false
    @Option(
        help: ArgumentHelp("End it after so long: SIGTERM, and SIGKILL 5 s later.", valueName: "seconds"))
    var timeout: Double?
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if let timeout, !(timeout > 0) { throw ValidationError("--timeout wants seconds, more than 0") }
        if let odd = added.first(where: { AddedVariable($0) == nil }) {
            throw ValidationError("--env \(odd): want NAME or NAME=VALUE")
        }
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
        let location = try becomeOwner()
        let bubblewrap = unconfined ? nil : try Bubblewrap(hasNetwork: network)
        let signals = try RunningChild.keepSignals(
            others: !unconfined && PseudoTerminal.isWanted ? PseudoTerminal.signals : [])
        let stage = try AppStage(
            app, command: command.first.map { $0.pathParts.last ?? $0 } ?? app, at: location, noSync: noSync)
        defer { leave(stage) }
        let tools = try toolFolder(of: stage.grant.bundleID, location)
        if let bubblewrap { return try runConfined(bubblewrap, stage, tools, location, signals) }
        return try runUnconfined(stage, tools, location, signals)
    }

    private func leave(_ stage: AppStage) {
        do {
            if report {
                let (events, isCut) = try stage.events()
                RunReport.print(events, isCut: isCut, knowsOutside: stage.knowsOutside)
            }
            try stage.leave()
        } catch {
            // Something that an unconfined program left behind, perhaps: its status counts all the same.
            printError("apphome: note: " + printable(CommandFailure(describing: error).message))
        }
    }

    /// Makes this process the user whose device it is: from here on nothing is done with root's rights, but
    /// without a sandbox on root's own device.
    /// - Returns: the device, as that user's.
    private func becomeOwner() throws -> DeviceLocation {
        let location = try device.location()
        guard !location.isMissing else { throw location.missing }
        let isRoot = Process.effectiveUserID == 0
        let own = try location.asOwner()
        if isRoot, unconfined, Process.effectiveUserID != 0 {
            throw CommandFailure(
                "root runs nothing of another user's without a sandbox: become user"
                    + " \(Process.effectiveUserID) first, with su or sudo -u")
        }
        if Process.effectiveUserID == 0, !unconfined {
            throw CommandFailure(
                "root's rights are no app's, and the device \(location.path) is root's: make"
                    + " one for an ordinary user (sudo -u USER apphome device create NAME), or use:"
                    + " apphome run --unconfined")
        }
        return own
    }

    private func runConfined(
        _ bubblewrap: Bubblewrap, _ stage: AppStage, _ tools: String, _ location: DeviceLocation,
        _ signals: borrowing Signals
    ) throws -> Int32 {
        var sandbox = Sandbox(
            home: stage.home, bundle: stage.bundle, toolHome: tools, grant: stage.grant,
            coversBundle: stage.showsBundle)
        sandbox.hasNetwork = network
        sandbox.groups = stage.groups
        let mounted = try MountTable.current().entries.filter { $0.type == Mounting.fileSystemType }
        sandbox.hidden = [try MountPoint.resolve(location.path)] + mounted.map(\.mountPoint)
        sandbox.hidden += try ownFolders(stage)
        // Not covered there: the app could move what that lies in, while another program of it starts.
        if let place = sandbox.hiddenPlaces(in: try MountPoint.resolve(tools)).first {
            throw CommandFailure(
                "the folder for tools (\(tools)) has \(place) in it, which no app is shown: name another"
                    + " folder")
        }
        var app = AppEnvironment(
            home: sandbox.innerHome, bundle: sandbox.innerBundle,
            configuration: Sandbox.innerConfiguration)
        let places = [(app.home, stage.home), (app.bundle, stage.bundle)]
        let command = try prepare(&app, stage, places)
        sandbox.settings = ProgramSettings(of: app)
        let variables = environment(app, tools: Sandbox.innerToolHome)
        let search = ProgramSearch(
            directory: startDirectory(app), path: variables.first { $0.name == "PATH" }?.value,
            view: .init(places: places + [(Sandbox.innerToolHome, tools)], hidden: sandbox.hidden))
        if let status = refuse(command[0], search) { return status }
        let (status, left) = try bubblewrap.run(
            command, in: sandbox, startingIn: search.directory, environment: variables, limit: timeout,
            signals)
        stage.note(left)
        return status
    }

    /// Says why a program is not started.
    /// - Returns: the exit status; nil where nothing keeps it from that.
    private func refuse(_ program: String, _ search: ProgramSearch) -> Int32? {
        guard let (text, status) = search.refusal(of: program) else { return nil }
        printError("apphome: error: \(printable(text))")
        return status
    }

    /// Where this user's devices and the account's store are, and all else that is the user's, should that
    /// lie among what is shown.
    private func ownFolders(_ stage: AppStage) throws -> [String] {
        let user = Process.effectiveUserID
        let homes = [apphome.environment("HOME"), Process.user(user)?.home].compactMap { $0 }.filter {
            var status = stat()
            // That of a system's user may be a folder of the system.
            return stat($0, &status) == 0 && status.st_uid == user
        }
        let store = try [stage.storeFolder()].compactMap { $0 }
        let folders = try DeviceIndex.paths + [DeviceLocation.folder(of: nil)] + homes + store
        return folders.compactMap { try? MountPoint.resolve($0) }
    }

    private func runUnconfined(
        _ stage: AppStage, _ tools: String, _ location: DeviceLocation, _ signals: borrowing Signals
    ) throws -> Int32 {
        printError(
            "apphome: note: not confined: the program sees all files that you see, other apps' too, and the"
                + " network; in the home its rules hold")
        var app = AppEnvironment(home: stage.home, bundle: stage.bundle, configuration: "")
        let command = try prepare(&app, stage)
        try SettingsFolder(device: location.path, bundleID: stage.grant.bundleID).write(for: &app)
        guard chdir(startDirectory(app)) == 0 else {
            throw CommandFailure("cannot start in \(startDirectory(app)): \(Errno(rawValue: errno))")
        }
        // It must not keep the mount busy.
        defer { chdir("/") }
        let search = ProgramSearch(
            directory: startDirectory(app),
            path: apphome.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
        if let status = refuse(command[0], search) { return status }
        guard case .found(let program) = search.find(command[0]) else { return 127 }
        let variables = environment(app, tools: tools).map { "\($0.name)=\($0.value)" }
        return try RunningChild.run(signals, limit: timeout) {
            let child = try Child(
                program, arguments: Array(command.dropFirst()), environment: variables,
                descriptors: [0, 1, 2], name: command[0])
            // A terminal has told the program by itself.
            return (child, { $1 || kill(child.processID, $0) <= 0 })
        }
    }

    /// Finds out what is started, and makes the home ready for it.
    /// - Parameter places: where what the program sees lies outside.
    /// - Returns: the program and its arguments.
    private func prepare(
        _ app: inout AppEnvironment, _ stage: AppStage, _ places: [(inside: String, outside: String)] = []
    ) throws -> [String] {
        var words = command
        if words.isEmpty {
            guard let executable = stage.grant.executable else {
                throw CommandFailure(
                    "\(stage.grant.name)'s Info.plist names no executable (CFBundleExecutable): name a"
                        + " command after --")
            }
            words = [app.bundle + "/" + executable]
        }
        let program = ProgramCommand(words: words, directory: startDirectory(app), places: places)
        guard !program.isMachO else {
            throw CommandFailure(
                "\(words[0]) is made for iOS or macOS (Mach-O): apphome runs Linux programs in an app's home")
        }
        app.kind = kind ?? program.kind ?? .foundation
        app.kind.prepare(stage.home)
        return words
    }

    /// Where the program starts: in the bundle, as .NET's apps on iOS do.
    private func startDirectory(_ app: AppEnvironment) -> String {
        switch cwd {
        case nil: app.bundle
        case "home": app.home
        case let directory?: directory.isAbsolutePath ? directory : app.home + "/" + directory
        }
    }

    private func environment(_ app: AppEnvironment, tools: String) -> [(name: String, value: String)] {
        ProgramEnvironment(app, tools: tools, added: added.compactMap { AddedVariable($0) }).variables
    }

    /// Its other apps lie in a device's folder, and whoever may enter it.
    private func refuseTools(in folder: String, _ location: DeviceLocation) throws {
        let (tools, device) = try (MountPoint.resolve(folder), MountPoint.resolve(location.path))
        guard tools.isPath(in: device) || device.isPath(in: tools) else { return }
        throw CommandFailure(
            "the folder for tools (\(folder)) and the device must not contain each other: name another folder"
        )
    }

    /// A folder that is there: the person's choice, or this app's own on the device.
    private func toolFolder(of bundleID: String, _ location: DeviceLocation) throws -> String {
        if let toolHome {
            let folder = try absolute(toolHome)
            try refuseTools(in: folder, location)
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw CommandFailure("cannot make \(folder): \(Errno(rawValue: errno))")
            }
            return folder
        }
        guard let app = BundleIdentifier(bundleID) else { throw CommandFailure.unexpectedReply }
        do {
            let device = try Descriptor(location.path, flags: O_DIRECTORY)
            return location.path + "/" + (try DeviceFolder.makeToolHome(of: app, in: device))
        } catch {
            throw CommandFailure("cannot make the folder for tools of \(app): \(error)")
        }
    }
}
