internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome path APP data|bundle|group:NAME`
struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Prints where a container is seen, and mounts it if need be.",
        discussion: """
            It stays mounted until: apphome unmount APP. Exits 1 with the reason where the app would get \
            null for a group.
            """,
        examples: [
            "ls \"$(apphome path Notes data)/Documents\"",
            "apphome path Notes bundle",
            "apphome path Notes group:group.com.example",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: ArgumentHelp("Which container.", valueName: "data|bundle|group:NAME"))
    var container = "data"
    @Flag(help: "Keep Documents on this device, where this command mounts the home.") var noSync = false
    @OptionGroup var device: DeviceOptions

    func run() throws {
        let client = try device.connect()
        switch container {
        case "data": print(printable(try place(.home, client)))
        case "bundle": print(printable(try place(.bundle, client)))
        case let text where text.hasPrefix("group:"):
            print(printable(try client.groupPath(String(text.dropFirst("group:".count)), of: app)))
        default:
            throw CommandFailure(
                "\(container) is no container: data, bundle or group:NAME", exitStatus: 64)
        }
    }

    private func place(_ kind: MountKind, _ client: DaemonClient) throws -> String {
        guard let found = try client.ask(.seen(kind, of: app)).directory else {
            throw CommandFailure.unexpectedReply
        }
        // A program that ends just now unmounts what was mounted for it alone.
        let isForRun = found.contains("/run/homes/")
        let lock = try isForRun ? AppStage.lock(found.directoryAndName.directory ?? "") : nil
        defer { withExtendedLifetime(lock) {} }
        let place = try client.ask(.seen(kind, of: app))
        guard let directory = place.directory else { throw CommandFailure.unexpectedReply }
        if place.isMounted { return directory }
        // As for a program, in the device's own folder, until it is known to be a person's.
        var arguments = MountArguments(app: app, kind: kind, directory: directory, showsBundle: false)
        (arguments.isForRun, arguments.noSync) = (true, noSync)
        let mounter = Mounter(client: try DaemonClient.connect(to: client.location))
        let mounted = try mounter.mount(arguments).directory
        return try client.ask(.seen(kind, of: app)).directory ?? mounted
    }
}
