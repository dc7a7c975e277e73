internal import ArgumentParser
internal import Device

/// `apphome backup …`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backups in the form that Finder and iTunes make.",
        discussion: """
            EXAMPLE:
              apphome backup create --to ~/backups
              apphome backup list ~/backups
            """,
        subcommands: [BackupCreateCommand.self, BackupRestoreCommand.self, BackupListCommand.self])
}

/// Bytes, as a person writes them: 500M, 5G.
struct ByteAmount: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        guard let bytes = ByteCount.parse(argument) else { return nil }
        self.bytes = bytes
    }
}
