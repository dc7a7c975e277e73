internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome new NAME`
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes an app without Xcode, and installs it.",
        examples: [
            "apphome new Notes --share",
            "apphome new Notes --share --content build/files --replace",
            "apphome new Recipes --id com.example.recipes --group group.com.example --content ./files",
        ])

    @Argument(help: "The app's name.") var name: String
    @Option(name: .customLong("id"), help: "Its identifier; local.NAME otherwise.") var identifier: String?
    @Flag(help: "It shares its Documents as iTunes File Sharing does.") var share = false
    @Flag(help: "The Files app shows its Documents.") var files = false
    @Option(name: .customLong("group"), help: "An app group it belongs to; may be given again.")
    var groups: [String] = []
    @Option(help: ArgumentHelp("Its Info.plist.", valueName: "file")) var fromPlist: String?
    @Option(help: ArgumentHelp("What its bundle holds.", valueName: "dir")) var content: String?
    @Flag(
        help: """
            Replace an app of that identifier, also under open mounts; its data and groups stay, --share and \
            --files are given again.
            """)
    var replace = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var arguments = NewArguments(name: name, identifier: identifier)
        (arguments.share, arguments.files, arguments.groups) = (share, files, groups)
        arguments.replaces = replace
        let paths = try device.paths()
        let call = Call.new(
            arguments, propertyList: try fromPlist.map { try paths.open($0, "read").descriptor },
            content: try content.map { try openedContent($0, paths).descriptor })
        try paths.connect(makesDevice: true).ask(call).show(json: output.json)
    }

    private func openedContent(_ path: String, _ paths: NamedPaths) throws -> OpenedFile {
        let opened = try paths.open(path, "take the content of")
        guard opened.isDirectory else {
            throw CommandFailure("\(path) is not a directory; --content wants one")
        }
        return opened
    }
}
