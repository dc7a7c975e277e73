internal import ArgumentParser
internal import Backup
internal import SystemPackage
internal import Wire

/// `apphome backup create --to DIR|--cloud`
struct BackupCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Backs up apps and their groups; files that the backup already has are not copied again.",
        examples: [
            "apphome backup create --to ~/backups",
            "apphome backup create --to ~/backups Notes --encrypt",
            "apphome backup create --cloud --keep 30d",
            "apphome backup create --dry-run --max-size 50M",
            "apphome backup create --xcappdata Notes.xcappdata Notes",
        ])

    @Argument(help: "Names or identifiers; none: all apps of the device.", completion: .apps)
    var apps: [String] = []
    @Option(help: ArgumentHelp("The folder to put the backup's folder in; it is made.", valueName: "dir"))
    var to: String?
    @Flag(help: "Make a snapshot in the cloud store; it shares contents with synced documents.")
    var cloud = false
    @Option(
        help: ArgumentHelp(
            "With --cloud: keep so many snapshots of this device (5), or those not older (12h, 30d, 8w).",
            valueName: "n|age"))
    var keep: KeepOption?
    @Flag(help: "Apps that are not on the device any more leave the backup.") var prune = false
    @Flag(help: "Encrypt it; asks for a password unless an option names one.") var encrypt = false
    @OptionGroup var password: PasswordOptions
    @Flag(help: "Write nothing: show what a backup would hold, and the largest files.") var dryRun = false
    @Option(help: ArgumentHelp("Exit 3 and write nothing if the backup would be larger.", valueName: "bytes"))
    var maxSize: ByteAmount?
    @Option(help: ArgumentHelp("Make Xcode's package of one app's container.", valueName: "file"))
    var xcappdata: String?
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !dryRun else { return }
        if keep != nil, !cloud { throw ValidationError("--keep goes with --cloud") }
        if cloud {
            guard to == nil, xcappdata == nil, !encrypt, !password.isGiven, !prune else {
                throw ValidationError("--cloud goes with --keep, --max-size and apps only")
            }
            return
        }
        if xcappdata != nil {
            guard apps.count == 1, to == nil, !encrypt, !password.isGiven, maxSize == nil, !prune else {
                throw ValidationError("--xcappdata goes with one app, and with no other option")
            }
            return
        }
        guard to != nil else { throw ValidationError("say where: --to DIR, or --cloud") }
        if password.isGiven && !encrypt { throw ValidationError("a password goes with --encrypt") }
    }

    func run() throws {
        if dryRun { return try measure() }
        if let xcappdata { return try createPackage(xcappdata) }
        if cloud { return try createSnapshot() }
        let directory = to ?? "."
        var arguments = BackupArguments(apps: apps, mostBytes: maxSize?.bytes, prunes: prune)
        let paths = try device.paths()
        if encrypt {
            arguments.password = try password.given(paths.open) ?? PasswordOptions.ask(isNew: true)
        }
        let client = try paths.connect().showing(shown)
        let folder = try TargetFolder(directory, deviceOf: client.owner)
        do {
            try show(
                try client.ask(.createBackup(arguments, in: folder.opened.descriptor)), in: folder.opened.path
            )
        } catch {
            // One that holds something by now stays.
            folder.removeIfMade()
            throw error
        }
    }

    private func createPackage(_ file: String) throws {
        let path = FilePath(file)
        guard let name = path.lastComponent?.string, name.hasSuffix(".xcappdata") else {
            throw CommandFailure("cannot make \(file): name a package NAME.xcappdata")
        }
        let parent = path.removingLastComponent().string
        let paths = try device.paths()
        let folder = try paths.open(parent.isEmpty ? "." : parent, "write into")
        let call = Call.createPackage(name, of: apps[0], in: folder.descriptor)
        try show(try paths.connect().showing(shown).ask(call), in: folder.path)
    }

    private func createSnapshot() throws {
        let arguments = SnapshotArguments(apps: apps, keep: keep?.kept, mostBytes: maxSize?.bytes)
        let created = try device.connect().showing(shown).ask(.createSnapshot(arguments))
        warn(of: created)
        if output.json { return try printJSON(created) }
        print(printable(summary(of: created)))
        let gone = created.pruned ?? 0
        let pruned = gone == 0 ? "" : "; \(counted(gone, "older snapshot")) went"
        print(printable("snapshot \(created.name), \(byteCount(created.sentBytes ?? 0)) sent\(pruned)"))
    }

    private func measure() throws {
        let measure = try device.connect().showing(shown).ask(.measureBackup(of: apps))
        if output.json { try printJSON(measure) } else { measure.show() }
        if let maxSize { try measure.check(mostBytes: maxSize.bytes) }
    }

    private func show(_ created: BackupCreated, in directory: String) throws {
        warn(of: created)
        if output.json { return try printJSON(created) }
        let gone = created.pruned ?? 0
        let pruned = gone == 0 ? "" : "; \(counted(gone, "domain")) of apps that are gone left it"
        print(printable(summary(of: created) + pruned))
        print(printable("\(directory)/\(created.name)"))
    }

    private func warn(of created: BackupCreated) {
        for item in created.leftOut {
            let whose = created.word(for: item.domain)
            printError("apphome: warning: \(printable("\(whose): \(item.path): \(item.explanation)"))")
        }
        let more = created.leftOutCount.subtractingReportingOverflow(created.leftOut.count).partialValue
        if more > 0 { printError("apphome: warning: and \(counted(more, "more item"))") }
    }

    private func summary(of created: BackupCreated) -> String {
        let only = created.appNames.count == 1 ? created.appNames.first : nil
        let what = only ?? counted(created.apps.count, "app")
        let unchanged = created.unchangedFiles > 0 ? ", \(created.unchangedFiles) of them unchanged" : ""
        let flagged = created.flagged > 0 ? "; left out: \(counted(created.flagged, "flagged item"))" : ""
        return "backed up \(what): \(counted(created.files, "file")) (\(byteCount(created.bytes)))"
            + unchanged + flagged
    }
}

extension BackupCreated {
    /// How the app or the group is called that a domain of the backup is of.
    fileprivate func word(for domain: String) -> String {
        guard let owner = BackupReader.owner(of: domain)?.identifier else { return domain }
        return zip(apps, appNames).first { $0.0 == owner }?.1 ?? owner
    }
}

extension BackupOmission {
    /// What happened to it, for people.
    fileprivate var explanation: String {
        switch reason {
        case "pathTooLong": "not backed up: its path is too long for a device's backup"
        case "unsupportedKind": "not backed up: a socket, pipe or device"
        case "nameNotUTF8": "not backed up: its name is no UTF-8"
        case "unreadable": "not backed up: it cannot be read"
        case "changing": "was written while it was read, each of three times: back up again later"
        case "databaseBusy":
            "no database that can be copied as one now: its files are in the backup as they were found"
        default: reason
        }
    }
}

extension BackupMeasure {
    fileprivate func show() {
        var rows = areas.map {
            [byteCount($0.bytes), counted($0.files, "file"), $0.name, $0.area].map(printable)
        }
        rows.append([byteCount(bytes), counted(files, "file"), "in all"])
        printTable(rows)
        guard !largest.isEmpty else { return }
        print("")
        print("the largest (what can be made again is kept out by: apphome skip-backup set PATH):")
        printTable(largest.map { [byteCount($0.bytes), $0.name, $0.path].map(printable) })
    }
}
