internal import ArgumentParser

/// `apphome backup …`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backups in the form that Finder and iTunes make.",
        examples: ["apphome backup create --to ~/backups", "apphome backup list ~/backups"],
        subcommands: [
            BackupCreateCommand.self, BackupRestoreCommand.self, BackupListCommand.self,
            BackupInfoCommand.self, BackupMountCommand.self, BackupVerifyCommand.self, BackupLsCommand.self,
            BackupExtractCommand.self, BackupPasswordCommand.self, BackupForgetCommand.self,
        ])
}
