internal import ArgumentParser
internal import Wire

/// `apphome mount APP DIR`
struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts an app's home at a directory.",
        discussion: "The directory is made if its parent exists, and goes again when it is unmounted.",
        examples: [
            "apphome mount Notes ~/notes",
            "apphome mount Notes ~/notes --share ~/shared --names simulator",
            "apphome mount Notes ~/notes -o ro,noexec",
            "apphome mount Notes ~/notes --layout containers --bundle ~/Notes.app",
        ])

    enum Layout: String, ExpressibleByArgument, CaseIterable { case home, containers }
    enum Names: String, ExpressibleByArgument, CaseIterable { case device, simulator, legacy }
    enum Conflicts: String, ExpressibleByArgument, CaseIterable { case hidden, visible }
    enum AttributeList: String, ExpressibleByArgument, CaseIterable { case apple, user }

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Option(help: "home: the bundle lies beside the data; containers: apart from it, as since iOS 8.")
    var layout = Layout.home
    @Option(help: ArgumentHelp("Where the bundle lies in the layout containers.", valueName: "dir"))
    var bundle: String?
    @Option(help: "How names are compared; the device's setting otherwise.") var names: Names?
    @Option(
        name: .customLong("xattr-list"),
        help: "How Apple's extended attributes are listed: user adds the prefix \"user.\".")
    var attributeList: AttributeList?
    @Option(help: ArgumentHelp("Mount the sharing view too.", valueName: "dir")) var share: String?
    @Option(
        help: ArgumentHelp(
            "Mount the Files app's view too, of all apps that offer themselves.", valueName: "dir")
    )
    var files: String?
    @Flag(help: "Let other users reach it, as far as mode bits let them.") var allowOther = false
    @Flag(help: "No changes through this mount.") var readOnly = false
    @Option(
        name: .customLong("low-disk"),
        help: ArgumentHelp(
            "Purge caches when less is free: sets the device's low-disk.", valueName: "bytes|%"))
    var lowDisk: String?
    @Flag(help: "Keep Documents on this device.") var noSync = false
    @Option(
        help: "visible: a document's conflict versions lie beside it, for reading; removing one drops it.")
    var conflicts: Conflicts?
    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "Options as mount(8) takes them: ro,noexec,names=simulator,…", valueName: "options"))
    var options: [String] = []
    @Flag(help: "Stay until it is unmounted; an interrupt unmounts.") var foreground = false
    @OptionGroup var travel: TravelOptions
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if bundle != nil, layout != .containers {
            throw ValidationError("--bundle wants --layout containers: else the bundle lies in the home")
        }
    }

    func run() throws {
        let location = try given().device.map { try DeviceLocation($0) } ?? device.location()
        guard foreground else {
            let client = try DaemonClient.connect(to: location, makesDevice: true)
            for line in try mountAll(client) { print(line) }
            return
        }
        try Foreground(location: location).run { client in
            let lines = try mountAll(client)
            for line in lines { print(line) }
            flushOutput()
            return directories()
        }
    }

    /// - Returns: the three lines that say what was done.
    private func mountAll(_ client: DaemonClient) throws -> [String] {
        let options = try given()
        let mounter = Mounter(
            client: client, allowsOthers: allowOther || options.allowsOthers,
            forbidsExecution: options.forbidsExecution ?? false)
        let home = try mounter.mount(arguments(.home, directory, options))
        var places = [home.directory]
        for (kind, directory) in more {
            do {
                places.append(try mounter.mount(arguments(kind, directory, options)).directory)
            } catch {
                for place in places.reversed() {
                    _ = try? Unmounter(fallback: device.location).unmount(place)
                }
                throw error
            }
        }
        return [
            "\(home.grant.appName) mounted at \(home.directory)", home.grant.documents,
            "stop: apphome unmount \(places.map(shellQuoted).joined(separator: " "))",
        ].map(printable)
    }

    private func given() throws -> MountOptions {
        var given = MountOptions()
        for text in options { try given.take(text) }
        if given.isSharing { throw CommandFailure("-o share: use --share DIR", exitStatus: 64) }
        if given.userID != nil || given.groupID != nil {
            throw CommandFailure(
                "uid and gid are for mount -t apphome: run this as that user", exitStatus: 64)
        }
        return given
    }

    private func arguments(
        _ kind: MountKind, _ directory: String, _ options: MountOptions
    ) -> MountArguments {
        var arguments = MountArguments(app: app, kind: kind, directory: directory)
        arguments.names = names?.rawValue
        arguments.attributeList = attributeList?.rawValue
        travel.apply(to: &arguments)
        arguments.isReadOnly = readOnly
        arguments.noSync = noSync
        arguments.showsConflicts = kind == .home && conflicts == .visible
        arguments.showsBundle = layout == .home
        arguments.lowDisk = kind == .home ? lowDisk : nil
        options.apply(to: &arguments)
        return arguments
    }

    /// What is mounted beside the home.
    private var more: [(MountKind, String)] {
        [(MountKind.bundle, bundle), (.share, share), (.files, files)].compactMap { kind, directory in
            directory.map { (kind, $0) }
        }
    }

    private func directories() -> [String] { [directory] + more.map(\.1) }
}
