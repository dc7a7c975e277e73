internal import ArgumentParser
internal import Backup
internal import Posix
internal import Wire

/// `apphome backup ls BACKUP APP [PATH]`
struct BackupLsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "What a backup has of an app: a directory, or one item.",
        examples: [
            "apphome backup ls ~/backups org.example.notes Documents",
            "apphome backup ls ~/backups HomeDomain Library/SMS",
        ])

    @OptionGroup var chosen: BackedUpDomainOptions
    @Argument(help: "Below the app's home; its top otherwise.") var path: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        Process.keepMemoryPrivate()
        let (reader, domain) = try chosen.open()
        let path = (path ?? "").pathParts.joined(separator: "/")
        var refused = RefusedNotes()
        var found: [BackedUpItemReport] = []
        var isThere = path.isEmpty
        try reader.forEachItem(of: .domain(domain)) {
            refused.note($0.text)
        } _: { item in
            guard item.path.isPath(in: path) || path.isEmpty else { return }
            isThere = true
            let rest = item.path.pathParts.dropFirst(path.pathParts.count)
            let isItself = rest.isEmpty && item.kind != .directory
            if rest.count == 1 || isItself { found.append(BackedUpItemReport(item)) }
        }
        guard isThere else { throw CommandFailure("\(domain) has nothing at \(printable(path))") }
        found.sort { $0.path < $1.path }
        if output.json { try printJSON(found) } else { show(found) }
        try refused.end()
    }

    private func show(_ found: [BackedUpItemReport]) {
        printTable(
            found.map { item in
                let name = item.path.pathParts.last ?? ""
                return [
                    item.modeText, byteCount(item.size), item.modified,
                    item.target.map { "\(name) -> \($0)" } ?? name,
                ]
            })
    }
}

/// A backup and what of it is meant.
struct BackedUpDomainOptions: ParsableArguments {
    @OptionGroup var backup: BackupArgument
    @Argument(
        help: ArgumentHelp("An app's, group's or extension's identifier, or a domain.", valueName: "app"))
    var app: String
    @OptionGroup var password: PasswordOptions

    func open() throws -> (reader: BackupReader, domain: String) {
        let reader = try backup.open().reader(password: try password.given())
        return (reader, try reader.domain(named: app))
    }
}
