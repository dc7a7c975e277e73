internal import ArgumentParser
internal import Wire

/// `apphome cloud log`
struct CloudLogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Who changed what, and when, the newest last.",
        discussion: """
            Before the path is the version of what brought a content, for cloud cat and
            cloud restore. With a path: of what is there, or was last, and below it. The
            log goes back thirty days at least.
            """,
        examples: ["apphome cloud log Notes --limit 20", "apphome cloud log Notes letter.txt"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "A path below Documents.") var path = ""
    @Option(help: "At most so many commits.") var limit = 50
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let entries = try device.ask(.log(of: app, below: path, limit: limit))
        if output.json { return try printJSON(entries) }
        printTable(
            entries.map {
                [
                    "\($0.sequence)", $0.time.text, $0.device, $0.operation,
                    $0.version.map(shortVersion) ?? "-", $0.path,
                ].map(printable)
            })
    }
}

/// `apphome cloud restore`
struct CloudRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Brings back what was deleted, or what a document had.",
        discussion: """
            What is deleted comes back as it was last, a directory with all that was
            deleted together with it. Of a document that is there name a version; what it
            holds now is kept for thirty days, as everything that is replaced or deleted.
            """,
        examples: [
            "apphome cloud restore Notes Photos",
            "apphome cloud restore Notes letter.txt --version 4f2a90c1-12-0",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "Paths below Documents, or items as cloud log --json names them.") var items: [String]
    @Option(help: "A version, as cloud log and cloud conflicts name them.") var version: String?
    @OptionGroup var device: DeviceOptions

    func run() throws { try device.tell(.restoreDocuments(items, of: app, version: version)) }
}
