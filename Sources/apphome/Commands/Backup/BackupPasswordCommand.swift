internal import ArgumentParser
internal import Backup
internal import Posix
internal import Wire

/// `apphome backup password BACKUP`
struct BackupPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Gives an encrypted backup another password.",
        discussion: """
            Its keys are wrapped anew and contents stay as they are: it takes a moment. Copies of the backup \
            that were made before keep the old password, and a backup that is not encrypted stays so.
            """,
        examples: [
            "apphome backup password ~/backups",
            "apphome backup password ~/backups --password-file old --new-password-file new",
        ])

    @OptionGroup var backup: BackupArgument
    @OptionGroup var password: PasswordOptions
    @Option(help: ArgumentHelp("Take the new password from this variable.", valueName: "name"))
    var newPasswordEnv: String?
    @Option(help: ArgumentHelp("Take it from the first line of this file.", valueName: "file"))
    var newPasswordFile: String?

    func validate() throws {
        if newPasswordEnv != nil, newPasswordFile != nil {
            throw ValidationError("give one of --new-password-env, --new-password-file")
        }
    }

    func run() throws {
        Process.keepMemoryPrivate()
        let opened = try backup.open()
        let old = try password.given() ?? PasswordOptions.ask(isNew: false)
        let new =
            try PasswordOptions.taken(fromVariable: newPasswordEnv, file: newPasswordFile)
            ?? PasswordOptions.ask(isNew: true)
        try PasswordChange.run(opened.directory.descriptor, from: Array(old.utf8), to: Array(new.utf8))
        print("the password is changed; copies that were made before keep the old one")
    }
}
