internal import ArgumentParser
internal import Posix

/// `apphome new NAME`
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes an app without Xcode, and installs it.",
        discussion: """
            EXAMPLE:
              apphome new Notes --share
              apphome new Recipes --id com.example.recipes --group group.com.example --content ./files
            """)

    @Argument(help: "The app's name.") var name: String
    @Option(name: .customLong("id"), help: "Its identifier; local.NAME otherwise.") var identifier: String?
    @Flag(help: "It shares its Documents as iTunes File Sharing does.") var share = false
    @Flag(help: "The Files app shows its Documents.") var files = false
    @Option(name: .customLong("group"), help: "An app group it belongs to; may be given again.")
    var groups: [String] = []
    @Option(help: ArgumentHelp("Its Info.plist.", valueName: "file")) var fromPlist: String?
    @Option(help: ArgumentHelp("What its bundle holds.", valueName: "dir")) var content: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var arguments = NewArguments(name: name, identifier: identifier)
        (arguments.share, arguments.files, arguments.groups) = (share, files, groups)
        var descriptors: [SharedDescriptor] = []
        if let fromPlist {
            arguments.hasPropertyList = true
            descriptors.append(try OpenedFile(fromPlist, "read").descriptor)
        }
        if let content {
            let opened = try OpenedFile(content, "take the content of")
            guard opened.isDirectory else {
                throw CommandFailure("\(content) is not a directory; --content wants one")
            }
            arguments.hasContent = true
            descriptors.append(opened.descriptor)
        }
        let reply = try device.connect(makesDevice: true).request(.new(arguments), descriptors)
        guard case .installed(let report) = reply else { throw CommandFailure.unexpectedReply }
        try report.show(json: output.json)
    }
}
