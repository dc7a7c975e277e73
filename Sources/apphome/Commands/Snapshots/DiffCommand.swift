internal import ArgumentParser
internal import Glibc
internal import HomeSnapshots
internal import Posix
internal import Wire

/// `apphome diff APP A [B]`
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what changed in an app's home and groups since a snapshot, or between two.",
        discussion: """
            Files, flags and attributes that were added, changed or deleted; of property lists the keys, of \
            SQLite databases the rows. An item is known by its inode: one that moved is renamed.
            """,
        examples: [
            "apphome diff Notes before", "apphome diff Notes before after --json",
            "apphome diff Notes before --exit-code",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "The earlier snapshot.") var from: String
    @Argument(help: "The later snapshot; without it: what the app has now.") var to: String?
    @Flag(help: "Exit 1 if something changed.") var exitCode = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let client = try device.connect().showing(shown)
        let compared = try client.ask(.compareSnapshots(of: app, from: from, to: to))
        let difference = try withExtendedLifetime(client) {
            try SnapshotDifference(from: try open(compared.from), to: try open(compared.to))
        }
        if output.json {
            try printJSON(difference)
        } else {
            for change in difference.changes { change.show() }
        }
        if exitCode, !difference.changes.isEmpty { throw ExitCode(1) }
    }

    private func open(_ path: String) throws -> HomeSnapshot {
        try HomeSnapshot(in: SharedDescriptor(try Descriptor(path, flags: O_DIRECTORY)))
    }
}
