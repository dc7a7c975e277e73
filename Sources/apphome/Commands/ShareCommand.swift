internal import ArgumentParser
internal import Glibc
internal import SystemPackage
internal import Wire

/// `apphome share …`
struct ShareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "iTunes File Sharing: the top-level items of an app's Documents.",
        examples: ["apphome share ls", "apphome share put Notes letter.txt"],
        subcommands: [
            ShareMountCommand.self, ShareListCommand.self, ShareGetCommand.self, SharePutCommand.self,
            ShareRemoveCommand.self,
        ])
}

struct ShareMountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts the sharing view, read-only.",
        examples: [
            "apphome share mount Notes ~/shared",
            "apphome share mount Notes ~/shared --deep",
            "apphome share mount Notes ~/shared --from file:///srv/cloud",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Flag(help: "Show the whole tree, and not only the top-level items.") var deep = false
    @Flag(help: "Let other users reach it, as far as mode bits let them.") var allowOther = false
    @OptionGroup var origin: StoreOriginOptions
    @OptionGroup var travel: TravelOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        var arguments = MountArguments(app: app, kind: .share, directory: directory)
        arguments.deep = deep
        arguments.from = try origin.arguments()
        travel.apply(to: &arguments)
        let client = try device.connect(makesDevice: arguments.from != nil)
        let mounter = Mounter(client: client, allowsOthers: allowOther)
        let mounted = try mounter.mount(arguments)
        print(printable("\(mounted.grant.appName) shared at \(mounted.directory) (read-only)"))
        print(printable("stop: apphome unmount \(shellQuoted(mounted.directory))"))
    }
}

struct ShareListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "What an app shares; without an app: the apps that share.",
        examples: [
            "apphome share ls",
            "apphome share ls Notes --json",
            "apphome share ls Notes --from file:///srv/cloud",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String?
    @OptionGroup var origin: StoreOriginOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if app == nil, origin.from != nil { throw ValidationError("--from wants an app's name") }
    }

    func run() throws {
        let store = try origin.arguments()
        let client = try device.connect(makesDevice: store != nil)
        guard let app else {
            let apps = try client.ask(.sharingApps)
            return output.json ? try printJSON(apps) : printTable(apps.map(\.row), header: AppSummary.header)
        }
        let items = try client.ask(.sharedItems(of: app, from: store))
        if output.json { return try printJSON(items) }
        let rows = items.map { item in
            [
                item.kind == "directory" ? "-" : byteCount(item.size), item.modified?.text ?? "-",
                printable(item.name) + (item.kind == "directory" ? "/" : ""),
            ]
        }
        printTable(rows, header: ["size", "modified", "name"])
    }
}

struct ShareRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Removes an item; a folder with everything in it.",
        examples: ["apphome share rm Notes letter.txt"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "The item.") var name: String
    @OptionGroup var device: DeviceOptions

    func run() throws {
        try device.ask(.shareRemove(name, of: app))
    }
}
