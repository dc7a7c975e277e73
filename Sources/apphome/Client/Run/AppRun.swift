internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// A program that runs as the app, once, while this command waits for it.
struct AppRun {
    /// The app's name or identifier.
    let app: String
    /// The program and its arguments; none: the bundle's executable.
    let command: [String]
    let options: ProgramOptions
    /// The device, of this process's user.
    let location: DeviceLocation
    /// Nil: without a sandbox.
    var bubblewrap: Bubblewrap?
    /// Whether Documents stay on this device, where this mounts the home.
    var noSync = false

    init(app: String, command: [String], options: ProgramOptions, location: DeviceLocation) {
        (self.app, self.command) = (app, command)
        (self.options, self.location) = (options, location)
    }

    /// Runs it. Signals that this process gets are the program's from here on.
    /// - Parameter atEnd: called when the program has ended, while the home is mounted still.
    /// - Returns: its exit status.
    func status(atEnd: (AppStage) throws -> Void) throws -> Int32 {
        let signals = try RunningChild.keepSignals(
            others: bubblewrap != nil && PseudoTerminal.isWanted ? PseudoTerminal.signals : [])
        let stage = try AppStage(
            app, command: command.first.map { $0.pathParts.last ?? $0 } ?? app, at: location, noSync: noSync)
        defer { leave(stage, atEnd) }
        let tools = try toolFolder(of: stage.grant.bundleID, location)
        if let bubblewrap { return try runConfined(bubblewrap, stage, tools, signals) }
        return try runUnconfined(stage, tools, signals)
    }

    private func leave(_ stage: AppStage, _ atEnd: (AppStage) throws -> Void) {
        do {
            try atEnd(stage)
            try stage.leave()
        } catch {
            // Something that an unconfined program left behind, perhaps: its status counts all the same.
            printError("apphome: note: " + printable(CommandFailure(describing: error).message))
        }
    }

    private func runConfined(
        _ bubblewrap: Bubblewrap, _ stage: AppStage, _ tools: String,
        _ signals: borrowing Signals
    ) throws -> Int32 {
        var sandbox = Sandbox(
            home: stage.home, bundle: stage.bundle, toolHome: tools, grant: stage.grant,
            coversBundle: stage.showsBundle)
        sandbox.hasNetwork = options.network
        sandbox.groups = stage.groups
        let mounted = try MountTable.current().entries.filter { $0.type == Mounting.fileSystemType }
        let apps = [try MountPoint.resolve(location.path)] + mounted.map(\.mountPoint)
        let others = try apps + ownFolders(stage)
        sandbox.hidden = others + ownHomes
        // Not covered there: the app could move what that lies in, while another program of it starts.
        if let place = sandbox.hiddenPlaces(in: try MountPoint.resolve(tools)).first {
            throw CommandFailure(
                "the folder for tools (\(tools)) has \(place) in it, which no app is shown: name another"
                    + " folder")
        }
        sandbox.bound = try options.bind.map { try $0.resolved(others: others, hidden: sandbox.hidden) }
        var app = AppEnvironment(
            home: sandbox.innerHome, bundle: sandbox.innerBundle,
            configuration: Sandbox.innerConfiguration, socket: Sandbox.innerSocket)
        let own = (try? linkTarget("/proc/self/exe")).map { String(decoding: $0, as: UTF8.self) }
        // It may lie where the device's owner does not come.
        sandbox.command = own.flatMap { access($0, X_OK) == 0 ? $0 : nil }
        let places =
            [(app.home, stage.home), (app.bundle, stage.bundle)] + sandbox.bound.map { ($0.path, $0.path) }
            + (sandbox.command.map { [(Sandbox.innerCommand, $0)] } ?? [])
        let command = try prepare(&app, stage, places)
        sandbox.settings = ProgramSettings(of: app)
        var variables = environment(app, tools: Sandbox.innerToolHome)
        let path = variables.firstIndex { $0.name == "PATH" }
        if let path { variables[path].value += ":" + Sandbox.innerPrograms }
        let search = ProgramSearch(
            directory: startDirectory(app), path: variables.first { $0.name == "PATH" }?.value,
            view: .init(places: places + [(Sandbox.innerToolHome, tools)], hidden: sandbox.hidden))
        if let status = refuse(command[0], search) { return status }
        let (status, left) = try bubblewrap.run(
            command, in: sandbox, startingIn: search.directory, environment: variables,
            limit: options.timeout, signals)
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

    /// Where this user's devices and the account's store are, should that lie among what is shown.
    private func ownFolders(_ stage: AppStage) throws -> [String] {
        let store = try [stage.storeFolder()].compactMap { $0 }
        let folders = try DeviceIndex.paths + [DeviceLocation.folder(of: nil)] + store
        return folders.compactMap { try? MountPoint.resolve($0) }
    }

    /// And all else that is the user's.
    private var ownHomes: [String] {
        let user = Process.effectiveUserID
        let homes = [apphome.environment("HOME"), Process.user(user)?.home].compactMap { $0 }.filter {
            var status = stat()
            // That of a system's user may be a folder of the system.
            return stat($0, &status) == 0 && status.st_uid == user
        }
        return homes.compactMap { try? MountPoint.resolve($0) }
    }

    private func runUnconfined(
        _ stage: AppStage, _ tools: String, _ signals: borrowing Signals
    ) throws -> Int32 {
        printError(
            "apphome: note: not confined: the program sees all files that you see, other apps' too, and the"
                + " network; in the home its rules hold")
        var app = AppEnvironment(
            home: stage.home, bundle: stage.bundle, configuration: "", socket: stage.grant.socket)
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
        return try RunningChild.run(signals, limit: options.timeout) {
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
        app.kind = options.kind ?? program.kind ?? .foundation
        app.kind.prepare(stage.home)
        return words
    }

    /// Where the program starts: in the bundle, as .NET's apps on iOS do.
    private func startDirectory(_ app: AppEnvironment) -> String {
        switch options.cwd {
        case nil: app.bundle
        case "home": app.home
        case let directory?: directory.isAbsolutePath ? directory : app.home + "/" + directory
        }
    }

    private func environment(_ app: AppEnvironment, tools: String) -> [(name: String, value: String)] {
        ProgramEnvironment(app, tools: tools, added: options.added.compactMap { AddedVariable($0) }).variables
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
        if let toolHome = options.toolHome {
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
