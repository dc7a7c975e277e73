internal import ArgumentParser
internal import FuseKit
internal import Wire

/// `apphome files …`
struct FilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files", abstract: "The Files app: the documents that apps offer.",
        examples: ["apphome files mount ~/files"],
        subcommands: [FilesMountCommand.self])
}

struct FilesMountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts a directory for each app that offers its Documents.",
        discussion: """
            An app offers them with LSSupportsOpeningDocumentsInPlace or UISupportsDocumentBrowser in its \
            Info.plist (apphome new --files). Changes are made in place, and seen in the app's home at once. \
            The apps sync for as long as this is mounted.

            Files cannot be locked here (ENOLCK), so SQLite says "database is locked". Do not open a \
            database with nolock=1 while its app may write: with a rollback journal, two writers that do \
            not see each other's locks damage it.

            With --from, the apps are those of the account in that store. The view is read-only, bytes are \
            fetched when they are read, and it follows what the account's devices change within seconds. \
            An opened file stays what it was, so files can be locked, and SQLite reads databases (those in \
            WAL mode with immutable=1).
            """,
        examples: [
            "apphome files mount ~/files",
            "apphome files mount ~/drive --from file:///srv/cloud",
        ])

    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @OptionGroup var origin: StoreOriginOptions
    @OptionGroup var options: DeviceViewOptions

    func run() throws {
        var arguments = MountArguments(app: "", kind: .files, directory: directory)
        arguments.from = try origin.arguments()
        let mounted = try options.mount(arguments)
        let origin = arguments.from.map { "Files of \($0.url)" } ?? "Files"
        let access = arguments.from == nil ? "" : " (read-only)"
        print(printable("\(origin) mounted at \(mounted)\(access)"))
        print(printable("stop: apphome unmount \(shellQuoted(mounted))"))
    }
}

/// `apphome device root`
struct DeviceRootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root", abstract: "Mounts the whole device, as iOS lays it out.",
        discussion: "Each app's rules are in force at its place. Files cannot be locked here (ENOLCK).",
        examples: ["apphome device root ~/iphone", "apphome device root ~/iphone --as Notes"])

    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("As this app sees it: others' containers are closed (EPERM).", valueName: "app"))
    var app: String?
    @Flag(help: "Every container is open; so it is without --as.") var allApps = false
    @OptionGroup var options: DeviceViewOptions

    func validate() throws {
        if app != nil, allApps { throw ValidationError("give --as or --all-apps, not both") }
    }

    func run() throws {
        let mounted = try options.mount(
            MountArguments(app: app ?? "", kind: .device, directory: directory))
        print(printable("the device mounted at \(mounted)"))
        print(printable("stop: apphome unmount \(shellQuoted(mounted))"))
    }
}

/// What views of the whole device have in common.
struct DeviceViewOptions: ParsableArguments {
    @Flag(help: "Let other users reach it, as far as mode bits let them.") var allowOther = false
    @Flag(help: "No changes through this mount.") var readOnly = false
    @Option(help: "How requests travel: ring is faster and wants enable-ring, see apphome(1); auto takes it.")
    var transport = TransportChoice.auto
    @OptionGroup var device: DeviceOptions

    /// - Returns: where it is mounted.
    func mount(_ arguments: MountArguments) throws -> String {
        var arguments = arguments
        arguments.isReadOnly = readOnly
        arguments.transport = transport.rawValue
        let client = try device.connect(makesDevice: arguments.from != nil)
        return try Mounter(client: client, allowsOthers: allowOther).mount(arguments).directory
    }
}
