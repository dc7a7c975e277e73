internal import ArgumentParser
internal import Posix
internal import SandboxRules

/// `apphome mount APP DIR`
struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts an app's home at a directory.",
        discussion: """
            The directory is made if its parent exists, and goes again when it is unmounted.

            EXAMPLE:
              apphome mount Notes ~/notes
              apphome mount Notes ~/notes --share ~/shared --names simulator
            """)

    enum Layout: String, ExpressibleByArgument, CaseIterable { case home }
    enum Names: String, ExpressibleByArgument, CaseIterable { case device, simulator, legacy }
    enum AttributeList: String, ExpressibleByArgument, CaseIterable { case apple, user }

    @Argument(help: "The app's name or identifier.") var app: String
    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Option(help: "What the home shows: home has the bundle beside the data.") var layout = Layout.home
    @Option(help: "How names are compared; the device's setting otherwise.") var names: Names?
    @Option(
        name: .customLong("xattr-list"),
        help: "How Apple's attributes are listed: user puts that prefix first.")
    var attributeList: AttributeList?
    @Option(help: ArgumentHelp("Mount the sharing view too.", valueName: "dir")) var share: String?
    @Flag(help: "Let other users reach it, as far as mode bits let them.") var allowOther = false
    @Flag(help: "No changes through this mount.") var readOnly = false
    @Flag(help: "Keep Documents on this device.") var noSync = false
    @Flag(help: "Stay until it is unmounted; an interrupt unmounts.") var foreground = false
    @OptionGroup var travel: TravelOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        let location = try device.location()
        guard foreground else {
            for line in try mountAll(try DaemonClient.connect(to: location)) { print(line) }
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
        let mounter = Mounter(client: client, allowsOthers: allowOther)
        let home = try mounter.mount(arguments(.home, directory))
        var places = [home.directory]
        if let share {
            do {
                places.append(try mounter.mount(arguments(.share, share)).directory)
            } catch {
                _ = try? Unmounter(fallback: device.location).unmount(home.directory)
                throw error
            }
        }
        return [
            "\(home.grant.appName) mounted at \(home.directory)", home.grant.documents,
            "stop: apphome unmount \(places.map(shellQuoted).joined(separator: " "))",
        ].map(printable)
    }

    private func arguments(_ kind: MountKind, _ directory: String) -> MountArguments {
        var arguments = MountArguments(app: app, kind: kind, directory: directory)
        arguments.names = names?.rawValue
        arguments.attributeList = attributeList?.rawValue
        travel.apply(to: &arguments)
        arguments.isReadOnly = readOnly
        arguments.noSync = noSync
        return arguments
    }

    private func directories() -> [String] { [directory] + (share.map { [$0] } ?? []) }
}

/// A word as a shell reads it back.
func shellQuoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+,@%:=".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}
