internal import ArgumentParser
internal import Backup
internal import Posix
internal import Wire

/// `apphome backup verify BACKUP`
struct BackupVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads all of a backup, and says what of it is not whole.",
        discussion: """
            Every row of its list, every file's content with its digest, blobs that nothing names, files \
            that no backup has. Exit 3 where something is found.
            """,
        examples: ["apphome backup verify ~/backups/00008110-0123456789ABCDEF"])

    @OptionGroup var backup: BackupArgument
    @OptionGroup var password: PasswordOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        Process.keepMemoryPrivate()
        let found = try backup.open().reader(password: password.given()).verify()
        if output.json {
            try printJSON(BackupVerificationReport(found))
        } else {
            show(found)
        }
        if found.problemCount > 0 { throw ExitCode(3) }
    }

    private func show(_ found: BackupVerification) {
        for problem in found.problems { print(printable("\(problem.kind.rawValue): \(problem.text)")) }
        let more = found.problemCount - found.problems.count
        if more > 0 { print("and \(more) more") }
        let what = found.problemCount == 0 ? "whole" : "\(counted(found.problemCount, "problem"))"
        print("\(counted(found.files, "file")), \(byteCount(found.bytes)): \(what)")
    }
}

/// What `backup verify --json` prints.
struct BackupVerificationReport: Codable, Equatable {
    struct Problem: Codable, Equatable {
        /// row, blob, orphan or foreign.
        var kind: String
        var text: String
    }

    var items: Int
    var files: Int
    /// Of the content of files that are whole.
    var bytes: Int64
    /// Also of those that are not listed.
    var problemCount: Int
    var problems: [Problem]

    init(_ found: BackupVerification) {
        (items, files, bytes) = (found.items, found.files, found.bytes)
        problemCount = found.problemCount
        problems = found.problems.map { Problem(kind: $0.kind.rawValue, text: $0.text) }
    }
}
