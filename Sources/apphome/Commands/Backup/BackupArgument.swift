internal import ArgumentParser

/// The one backup that a command is about.
struct BackupArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A backup's folder, or the folder that holds one.", valueName: "backup"))
    var path: String

    func open() throws -> OpenedBackup { try OpenedBackup.one(in: path) }
}
