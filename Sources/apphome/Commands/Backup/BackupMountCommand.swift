internal import ArgumentParser
internal import Backup
internal import BackupFS
internal import FoundationEssentials
internal import Posix
internal import Wire

/// `apphome backup mount BACKUP DIR`
struct BackupMountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mounts a backup of any iPhone, read-only.",
        discussion: """
            Nothing is written into the backup, not even an access time. Modes and owners are shown as they \
            were recorded, and not enforced: who mounts it reads all. `apphome unmount DIR` ends it.
            """,
        examples: [
            "apphome backup mount ~/backups/00008110-0123456789ABCDEF ~/phone",
            "apphome backup mount ~/backups ~/phone --by domain --password-file secret",
        ])

    @OptionGroup var backup: BackupArgument
    @Argument(help: ArgumentHelp("Where.", valueName: "dir")) var directory: String
    @Option(
        name: .customLong("by"),
        help: "path: as on the device; domain: a directory for each; id: as a plain backup lies on a disk.")
    var arrangement = Arrangement.path
    @Flag(
        help: "Have SQLite open databases that have a log: an empty one is found where the backup has none.")
    var sqlite = false
    @Flag(help: "Read it even where that moves access times.") var allowAtime = false
    @Option(
        help: ArgumentHelp(
            "Write hashes and all that stat says of the backup into a new file, now and at the unmount.",
            valueName: "file"))
    var proof: String?
    @Flag(help: "Stay until it is unmounted; an interrupt unmounts.") var foreground = false
    @OptionGroup var password: PasswordOptions

    func validate() throws {
        if proof != nil, allowAtime { throw ValidationError("--proof goes without --allow-atime") }
    }

    func run() throws {
        Process.keepMemoryPrivate()
        if BackgroundProcess.isStartedByCommand { return try serveForCommand() }
        if foreground { runWithoutBacktraces() }
        let given = try password.given()
        let opened = try backup.open()
        let source = try source(opened.directory)
        let isEncrypted = try BackupReader.Summary(of: source).isEncrypted
        let secret = try given ?? (isEncrypted ? PasswordOptions.ask(isNew: false) : nil)
        let directory = try NamedPath.mountPoint(directory)
        if foreground {
            let record = try startProof(source, of: opened.path)
            let mounted = try BackupMounting(
                source, named: opened.path, at: directory, arrangement, password: secret,
                showsEmptyLogs: sqlite)
            for line in mounted.lines { print(printable(line)) }
            flushOutput()
            return try end(try mounted.serve(), record)
        }
        for line in try start(opened, at: directory, secret) { print(printable(String(line))) }
    }

    private func source(_ directory: SharedDescriptor) throws -> BackupSource {
        allowAtime ? .withLittleTrace(directory) : try .withoutTrace(directory)
    }

    // MARK: A process of its own

    /// - Returns: the lines that say what was done.
    private func start(
        _ opened: OpenedBackup, at directory: String, _ secret: String?
    ) throws -> [Substring] {
        var arguments = ["backup", "mount", opened.path, directory, "--by", arrangement.rawValue]
        if allowAtime { arguments.append("--allow-atime") }
        if sqlite { arguments.append("--sqlite") }
        if let proof { arguments += ["--proof", try ProofFile.place(proof)] }
        let input = try secret.map { try PasswordOptions.pipe($0) }
        if input != nil { arguments += ["--password-fd", "\(BackgroundProcess.inputNumber)"] }
        let said = try BackgroundProcess.start(
            arguments, folder: opened.directory.raw, input: input?.raw, within: nil)
        guard let said, said.hasPrefix(Self.ready) else {
            throw CommandFailure(
                said.flatMap { $0.isEmpty ? nil : $0 } ?? "the mount's process did not start")
        }
        return said.dropFirst(Self.ready.count).split(separator: "\n")
    }

    private static let ready = "ready\n"

    private func serveForCommand() throws {
        let mounted: BackupMounting
        let record: ProofFile?
        do {
            let folder = SharedDescriptor(Descriptor(owning: BackgroundProcess.folderNumber))
            let source = try source(folder)
            record = try startProof(source, of: backup.path)
            mounted = try BackupMounting(
                source, named: backup.path, at: directory, arrangement,
                password: try password.given(), showsEmptyLogs: sqlite)
        } catch {
            BackgroundProcess.say(CommandFailure(describing: error).message)
            throw ExitCode.failure
        }
        BackgroundProcess.say(Self.ready + mounted.lines.joined(separator: "\n"))
        try end(try mounted.serve(), record)
    }

    private func startProof(_ source: BackupSource, of path: String) throws -> ProofFile? {
        try proof.map { try ProofFile(source, of: path, at: try ProofFile.place($0)) }
    }

    private func end(_ refused: RefusedItems, _ record: ProofFile?) throws {
        if try record?.end() == false {
            printError("apphome: warning: the backup has changed while it was mounted: see \(proof ?? "")")
            throw ExitCode(3)
        }
        var notes = RefusedNotes()
        for item in refused.first { notes.note(item.text) }
        try notes.end(more: refused.count - refused.first.count)
    }
}

extension Arrangement: ExpressibleByArgument {}
