internal import Backup
internal import Device
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SandboxRules
internal import Wire

extension BackupService {
    /// Restores apps of a backup, each whole or not at all; one that cannot be restored does not keep the
    /// others from it.
    func restore(
        _ arguments: RestoreArguments, from folder: SharedDescriptor, _ rights: ClientRights,
        _ progress: BackupProgress
    ) throws -> RestoreOutcome {
        let reader = try rights.run {
            try BackupReader(
                try folder.descriptor.duplicate(), password: arguments.password.map { Array($0.utf8) })
        }
        var outcome = try restore(arguments, from: reader, rights, progress)
        if !reader.summary.isFinished {
            outcome.notes.append("its device broke this backup off: files may be missing")
        }
        return outcome
    }

    func restore(
        _ arguments: RestoreArguments, from backup: any StoredBackup, _ rights: ClientRights,
        _ progress: BackupProgress
    ) throws -> RestoreOutcome {
        let selection = try RestoreSelection(arguments, backup, on: device)
        var outcome = RestoreOutcome(otherGroups: selection.otherGroups.map(\.value))
        progress.expect(backup.fileBytes(in: selection.domains))
        var bytesBefore: Int64 = 0
        // With the first that comes: of a damaged one they are no part.
        var unboundGroups = selection.unboundGroups
        for var app in selection.apps {
            app.unboundGroups = unboundGroups
            let work = restoreWork(arguments.remounts, rights, progress.after(bytesBefore))
            do {
                let restored =
                    arguments.isDryRun
                    ? try work.plan(app, of: backup, salvages: arguments.salvages)
                    : try work.restore(app, from: backup, salvages: arguments.salvages)
                bytesBefore = bytesBefore.addingSaturated(restored.bytes)
                outcome.apps.append(restored)
                unboundGroups = []
                if !arguments.isDryRun { log.write("restored \(app.bundleID)") }
            } catch let error as BackupError where error.kind == .cancelled {
                throw interrupted(after: outcome.apps) ?? error
            } catch {
                let reason = CommandFailure(answering: error).message
                // Of one app it is the command's own failure.
                if selection.apps.count == 1 { throw error }
                outcome.apps.append(RestoredApp(bundleID: app.bundleID.value, failure: reason))
            }
        }
        outcome.otherGroups += unboundGroups.map(\.value)
        return outcome
    }

    /// - Returns: nil where nothing is restored yet.
    private func interrupted(after apps: [RestoredApp]) -> CommandFailure? {
        let installed = (try? device.apps()) ?? []
        let restored = apps.filter { $0.failure == nil }.compactMap { BundleIdentifier($0.bundleID) }
            .map(installed.word)
        guard !restored.isEmpty else { return nil }
        return CommandFailure(
            "interrupted: \(restored.joined(separator: ", ")) restored, all others are as they were")
    }

    func restoreWork(
        _ remounts: Bool, _ rights: ClientRights, _ progress: BackupProgress, _ what: String = "restored"
    ) -> RestoreWork {
        RestoreWork(
            service: self, rights: rights,
            mounts: MountedRestore(service: self, remounts: remounts, what: what), progress: progress)
    }

    /// - Parameter name: of the app that gets the container; nil: the one that the package names.
    func restorePackage(
        _ package: SharedDescriptor, to name: String?, _ work: RestoreWork
    ) throws -> RestoreOutcome {
        let info = try work.rights.run { try XcappData.info(of: package.descriptor) }
        let bundleID =
            try name.map { try device.app(named: $0).bundleID }
            ?? info.flatMap { BundleIdentifier($0.bundleID) }
        guard let bundleID else {
            throw CommandFailure(
                "the package does not say whose container it is: name the app: "
                    + "apphome backup restore --xcappdata FILE APP")
        }
        let app = RestoreSelection.App(bundleID: bundleID, version: info?.version)
        work.progress.expect(
            try work.rights.run { try XcappData.fileBytes(of: package.descriptor) })
        let restored = try work.restore(app, fromPackage: package)
        log.write("restored \(bundleID) from a package")
        return RestoreOutcome(apps: [restored])
    }

    /// Takes the app's last restore back: for an app that syncs by another one, of what was replaced then,
    /// for to go back in one step would look like deletes of what has come since.
    /// - Parameter isConfirmed: also where a later restore was begun, and did not take place.
    func undoRestore(of name: String, _ isConfirmed: Bool, _ work: RestoreWork) throws -> RestoredApp {
        let app = try device.app(named: name)
        let kept = try device.keptCopy(of: app)
        let time = kept.flatMap { $0.time == 0 ? nil : timeText(Double($0.time)) } ?? "an unknown time"
        if let kept, kept.isPassed, !isConfirmed {
            throw CommandFailure(
                "the last restore of \(app.name) did not take place; what can be taken back is the one of"
                    + " \(time). If that is meant, add --yes")
        }
        var restored = try undo(app, work)
        restored.notes.insert("taken back: the restore or reset of \(time)", at: 0)
        return restored
    }

    private func undo(_ app: InstalledApp, _ work: RestoreWork) throws -> RestoredApp {
        if try device.remembersSync(of: app) {
            if let kept = try device.keptCopy(of: app) { work.progress.expect(kept.bytes) }
            return try work.restoreReplaced(of: app)
        }
        let result = try work.mounts.whileBarred(app) { app, change in
            let result = try change.withoutSync(of: app) { _ in
                try device.undoRestore(of: app) { try work.mounts.refuseInUse(app, app.groups) }
            }
            discarded.look()
            try work.mounts.moveOver(result.app, app.groups)
            return result
        }
        log.write("took the restore of \(app.bundleID) back")
        return RestoredApp(
            bundleID: result.app.bundleID.value, isPlaceholder: result.app.isPlaceholder, notes: result.notes)
    }
}
