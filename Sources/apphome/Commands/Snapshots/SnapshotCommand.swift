internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome snapshot APP NAME | --list | --delete NAME`
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Notes what an app's home and its groups hold, for apphome diff.",
        discussion: """
            Property lists are kept whole, databases as consistent copies (to 64 MiB; of larger ones each \
            table's count of rows and hash), of all else the facts, the attributes and a SHA-256. It is kept \
            on the device, beside the containers, until it is deleted or the app is uninstalled.
            """,
        examples: [
            "apphome snapshot Notes before", "apphome snapshot Notes --list",
            "apphome snapshot Notes --delete before",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "How the snapshot is called.") var name: String?
    @Flag(help: "Show the app's snapshots.") var list = false
    @Option(help: ArgumentHelp("Delete a snapshot.", valueName: "name")) var delete: String?
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let actions = [name != nil, list, delete != nil].filter { $0 }.count
        guard actions == 1 else { throw ValidationError("give a NAME, or --list, or --delete NAME") }
        if delete != nil, output.json {
            throw ValidationError("--delete says nothing that --json could print")
        }
    }

    func run() throws {
        let client = try device.connect().showing(shown)
        if let name { return try take(name, client) }
        if let delete {
            _ = try client.ask(.removeSnapshot(delete, of: app))
            return
        }
        let snapshots = try client.ask(.snapshots(of: app))
        if output.json { return try printJSON(snapshots) }
        printTable(
            snapshots.map { [$0.name, $0.time?.text ?? "?", byteCount($0.bytes), $0.damage ?? ""] },
            header: ["name", "time", "on disk"])
    }

    private func take(_ name: String, _ client: DaemonClient) throws {
        let taken = try client.ask(.takeSnapshot(name, of: app))
        for item in taken.leftOut.prefix(Self.mostShown) {
            printError("apphome: warning: \(printable("\(item.path): \(item.explanationForSnapshot)"))")
        }
        let more = taken.leftOut.count - Self.mostShown
        if more > 0 { printError("apphome: warning: and \(counted(more, "more item"))") }
        if output.json { return try printJSON(taken) }
        print(
            printable(
                "snapshot \(name): \(counted(taken.items, "item")), \(counted(taken.files, "file")) "
                    + "(\(byteCount(taken.bytes)))"))
    }

    private static let mostShown = 100
}

extension BackupOmission {
    /// What happened to it, for people.
    fileprivate var explanationForSnapshot: String {
        switch reason {
        case "unsupportedKind": "a socket or pipe: only its name is compared"
        case "nameNotUTF8": "not compared: its name is no UTF-8"
        case "unreadable": "cannot be read: its content is not compared"
        case "changing": "was written while it was read, each of three times"
        case "databaseBusy": "its app holds this database locked: its rows are not compared"
        default: reason
        }
    }
}
