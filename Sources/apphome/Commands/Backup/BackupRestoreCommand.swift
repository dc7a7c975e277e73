internal import ArgumentParser
internal import Glibc
internal import Wire

/// `apphome backup restore --from DIR|--cloud`
struct BackupRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract:
            "Restores app data from a backup, also one of a real device; replaced data is kept for --undo.",
        examples: [
            "apphome backup restore --from ~/backups Notes",
            "apphome backup restore --from ~/backups/00008110-0123456789ABCDEF",
            "apphome backup restore --cloud --at 2026-11-20 Notes",
            "apphome backup restore --xcappdata Notes.xcappdata",
            "apphome backup restore --undo Notes",
        ])

    @Argument(help: "Names or identifiers; none: all apps of the backup.") var apps: [String] = []
    @Option(help: ArgumentHelp("A backup's folder, or the folder that holds one.", valueName: "dir"))
    var from: String?
    @Flag(help: "Restore from the newest snapshot in the account's store.") var cloud = false
    @Option(
        help: ArgumentHelp("With --cloud: the newest snapshot at or before this time.", valueName: "time"))
    var at: TimeOption?
    @Option(
        help: ArgumentHelp("With --cloud: another device's, by its name or id.", valueName: "device"))
    var of: String?
    @OptionGroup var password: PasswordOptions
    @Flag(help: "Also restore groups that other apps of this device share.") var groups = false
    @Option(help: ArgumentHelp("Restore Xcode's package of a container.", valueName: "file"))
    var xcappdata: String?
    @Option(help: ArgumentHelp("Go back to what the app's last restore replaced.", valueName: "app"))
    var undo: String?
    @Flag(help: "With --undo: take back an older restore, where the last one did not take place.")
    var yes = false
    @Flag(help: "Go on past damaged files: each is named and left out; exit 3.") var salvage = false
    @Flag(help: "Change nothing: say what would be restored.") var dryRun = false
    @Flag(help: "Let open mounts show what is restored, where no file of them is open.") var remount = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [from, xcappdata, undo, cloud ? "" : nil].count(where: { $0 != nil }) == 1 else {
            throw ValidationError(
                "say from what: one of --from DIR, --cloud, --xcappdata FILE, --undo APP")
        }
        if !cloud, at != nil || of != nil { throw ValidationError("--at and --of go with --cloud") }
        if cloud, password.isGiven { throw ValidationError("a password goes with --from DIR") }
        if from == nil, !cloud,
            groups || salvage || dryRun || password.isGiven || apps.count > (xcappdata == nil ? 0 : 1)
        {
            throw ValidationError("these options go with --from DIR")
        }
    }

    func run() throws {
        let outcome = try restore()
        if output.json {
            try printJSON(outcome)
        } else {
            for app in outcome.apps where app.failure == nil { app.show(undone: undo != nil, dryRun) }
            for note in outcome.notes { print(printable(note)) }
            if !outcome.otherGroups.isEmpty {
                let names = outcome.otherGroups.joined(separator: ", ")
                let way = groups ? "" : "; to restore them too: --groups"
                print(printable("left as they are, for other apps may have a part in them: \(names)\(way)"))
            }
        }
        let failed = outcome.apps.filter { $0.failure != nil }
        for app in failed {
            printError("apphome: warning: \(printable("\(app.name): \(app.failure ?? "")"))")
        }
        for app in outcome.apps { app.warnOfLost() }
        guard failed.isEmpty else {
            throw CommandFailure(
                "\(failed.count) of \(outcome.apps.count) apps were not restored and are as before: see above"
            )
        }
        if outcome.apps.contains(where: { $0.lostCount > 0 }) { throw ExitCode(3) }
    }

    private var chosen: RestoreArguments {
        RestoreArguments(
            apps: apps, allGroups: groups, remounts: remount, salvages: salvage, isDryRun: dryRun)
    }

    private func restore() throws -> RestoreOutcome {
        if cloud {
            let arguments = SnapshotRestoreArguments(choice: chosen, atSeconds: at?.seconds, device: of)
            return try device.connect().showing(shown).ask(.restoreSnapshot(arguments))
        }
        if let undo {
            return try device.connect().showing(shown).ask(
                .undoRestore(of: undo, remounts: remount, isConfirmed: yes))
        }
        let paths = try device.paths()
        if let xcappdata {
            let package = try paths.open(xcappdata, "restore")
            guard package.isDirectory else {
                throw CommandFailure("\(xcappdata) is no folder: name a package NAME.xcappdata")
            }
            return try paths.connect().showing(shown).ask(
                .restorePackage(package.descriptor, to: apps.first, remounts: remount))
        }
        let found = try OpenedBackup.all(in: from ?? ".", paths.open)
        guard let backup = found.first, found.count == 1 else {
            let names = found.map(\.path).joined(separator: ", ")
            throw CommandFailure("there are \(found.count) backups: give one with --from: \(names)")
        }
        var arguments = chosen
        arguments.password = try password.given(paths.open)
        if arguments.password == nil, try backup.isEncrypted() {
            arguments.password = try PasswordOptions.ask(isNew: false)
        }
        return try paths.connect().showing(shown).ask(.restore(arguments, from: backup.directory))
    }
}

extension RestoredApp {
    fileprivate func show(undone: Bool, _ isDryRun: Bool) {
        defer {
            for note in notes { print(printable(note)) }
            showCopy()
        }
        if undone {
            print(printable("\(name) is as it was before its last restore or undo"))
            if carriedFiles > 0 {
                let what = counted(carriedFiles, "document")
                print("\(what) that came since stay: the app syncs, and missing would mean deleted")
            }
            return
        }
        var parts = [counted(files, "file")]
        if !groups.isEmpty { parts.append(counted(groups.count, "group")) }
        let what = parts.joined(separator: ", ")
        let kind = isPlaceholder ? " as a placeholder (no bundle)" : " (\(byteCount(bytes)))"
        let word = isDryRun ? "would restore" : "restored"
        print(printable("\(word) \(name)\(kind): \(what)"))
        if behind > 0 {
            let undo = "apphome backup restore --undo \(shellQuoted(name))"
            print(printable("to have \(counted(behind, "file")) of before back: \(undo)"))
        }
    }

    fileprivate func warnOfLost() {
        for text in lost { printError("apphome: \(printable(text))") }
        guard lostCount > 0 else { return }
        printError("apphome: \(printable(name)): \(counted(lostCount, "item")) of the backup lost")
    }

    /// Says what is kept for `--undo`.
    func showCopy() {
        guard undoBytes > 0 else { return }
        let command = UndoCopy.command(of: name)
        print(printable("what was replaced is kept: \(byteCount(undoBytes)); to free it: \(command)"))
    }
}
