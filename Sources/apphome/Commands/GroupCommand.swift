internal import ArgumentParser
internal import Wire

/// `apphome group …`
struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "The containers that the apps of a group share.",
        examples: [
            "apphome new Notes --group group.com.example",
            "cd $(apphome group path Notes group.com.example)",
        ],
        subcommands: [GroupPathCommand.self, GroupMountCommand.self])
}

struct GroupPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Where the app finds a group's container; mounts it if need be.",
        discussion: """
            It stays mounted until the last home of the group's apps is unmounted, or: apphome unmount DIR.
            Exits 1 with the reason where the app would get null.
            """,
        examples: ["apphome group path Notes group.com.example"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "The group.") var group: String
    @OptionGroup var device: DeviceOptions

    func run() throws {
        print(printable(try device.connect().groupPath(group, of: app)))
    }
}

struct GroupMountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts a second view of a group's container.",
        discussion:
            "Files cannot be locked through it (ENOLCK): databases are opened where the apps find them.",
        examples: ["apphome group mount Notes group.com.example ~/group"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "The group.") var group: String
    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Flag(help: "Let other users reach it, as far as mode bits let them.") var allowOther = false
    @Flag(help: "No changes through this mount.") var readOnly = false
    @OptionGroup var travel: TravelOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        var arguments = MountArguments(app: app, kind: .groupView, directory: directory)
        arguments.group = group
        arguments.isReadOnly = readOnly
        travel.apply(to: &arguments)
        let mounter = Mounter(client: try device.connect(), allowsOthers: allowOther)
        let mounted = try mounter.mount(arguments)
        print(
            printable("\(group) of \(mounted.grant.appName) mounted at \(mounted.directory), without locks"))
        print(printable("stop: apphome unmount \(shellQuoted(mounted.directory))"))
    }
}

extension DaemonClient {
    /// Where the app finds a group's container, which is mounted if need be.
    /// - Throws: exit status 1, with the reason printed, where the app would get null.
    func groupPath(_ group: String, of app: String) throws -> String {
        let place = try ask(.place(ofGroup: group, app: app, isForRun: false))
        guard let directory = place.directory else {
            print(printable(place.reason ?? "null"))
            throw ExitCode.failure
        }
        return place.isMounted
            ? directory : try mountGroup(group, of: app, at: directory, isForRun: false)
    }

    /// Mounts a group's container where its apps find it.
    /// - Returns: where.
    func mountGroup(
        _ group: String, of app: String, at directory: String, isForRun: Bool
    ) throws -> String {
        var arguments = MountArguments(app: app, kind: .group, directory: directory, isForRun: isForRun)
        arguments.group = group
        do {
            return try Mounter(client: self).mount(arguments).directory
        } catch {
            // Another client may have been first.
            let call = Call.place(ofGroup: group, app: app, isForRun: isForRun)
            let place = try DaemonClient.connect(to: location).ask(call)
            guard let directory = place.directory, place.isMounted else { throw error }
            return directory
        }
    }
}
