internal import Backup
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import Wire

/// The restore of one app.
struct RestoreWork {
    let service: BackupService
    let rights: ClientRights
    let mounts: MountedRestore
    let progress: BackupProgress

    /// So many documents that were put beside others, or left out, are named.
    private static let namedDocuments = 5

    /// - Parameter salvages: whether what is damaged loses itself alone.
    func restore(
        _ app: RestoreSelection.App, from backup: any StoredBackup, salvages: Bool
    ) throws -> RestoredApp {
        try restore(app, carriesOver: (.excluded, .documents)) { container, limitBytes in
            let domain = container.group.map { BackupReader.domain(ofGroup: $0.value) }
            let plan = try backup.plan(
                domain ?? BackupReader.domain(ofApp: app.bundleID.value), limitBytes: limitBytes,
                salvages: salvages)
            let report = try backup.restore(
                plan, into: container.directory.descriptor, owner: owner, progress: { try progress($0.bytes) }
            )
            return Filled(
                files: report.files, bytes: report.bytes, notes: Self.notes(of: report.leftOut),
                lost: report.lost)
        }
    }

    /// What `restore` would write.
    func plan(_ app: RestoreSelection.App, of backup: any StoredBackup, salvages: Bool) throws -> RestoredApp
    {
        var planned = RestoredApp(bundleID: app.bundleID.value, groups: app.groups.map(\.value))
        let there = try service.device.apps().first { $0.bundleID == app.bundleID }
        planned.isPlaceholder = there?.isPlaceholder ?? true
        for domain in app.domains {
            let plan = try rights.run {
                let room = try freeBytes(on: service.device.directory)
                return try backup.plan(domain, limitBytes: room, salvages: salvages)
            }
            planned.files += plan.files
            planned.bytes = planned.bytes.addingSaturated(plan.bytes)
        }
        planned.notes = note(unbound: app.unboundGroups)
        return planned
    }

    private static func notes(of leftOut: NamedItems) -> [String] {
        guard leftOut.count > 0 else { return [] }
        return [
            "\(counted(leftOut.count, "extended attribute")) left out, which no file here can have: "
                + leftOut.first.joined(separator: ", ")
        ]
    }

    func restore(
        _ app: RestoreSelection.App, fromPackage package: SharedDescriptor
    ) throws -> RestoredApp {
        try restore(app, carriesOver: (.nothing, .documentsOnly)) { container, limitBytes in
            let report = try XcappData.restore(
                from: package.descriptor, into: container.directory.descriptor, limitBytes: limitBytes,
                owner: owner, progress: { try progress($0.bytes) })
            return Filled(files: report.files, bytes: report.bytes, notes: Self.notes(ofLeftOut: report))
        }
    }

    private static func notes(ofLeftOut report: BackupReport) -> [String] {
        guard report.leftOutCount > 0 else { return [] }
        let named = report.leftOut.prefix(namedDocuments).map(\.path).joined(separator: ", ")
        return [
            "\(counted(report.leftOutCount, "item")) of the package left out, which no backup holds or "
                + "nobody can read: \(named)"
        ]
    }

    /// What the app's last restore replaced, once more.
    func restoreReplaced(of app: InstalledApp) throws -> RestoredApp {
        let kept = try service.device.replacedContainers(of: app)
        let choice = RestoreSelection.App(
            bundleID: app.bundleID, version: app.version, groups: kept.compactMap(\.group))
        return try restore(choice, carriesOver: (.nothing, .documentsOnly)) { container, limitBytes in
            guard let source = kept.first(where: { $0.group == container.group }) else { return Filled() }
            let (report, _) = try CarryOver.run(
                from: source.directory, into: container.directory.descriptor, .everything,
                limitBytes: limitBytes, names: try names, owner: owner, progress: { try progress($0.bytes) })
            return Filled(files: report.files, bytes: report.bytes)
        }
    }

    /// An empty container, as at the app's first launch. Documents that sync stay: they would come back.
    func reset(_ app: InstalledApp) throws -> RestoredApp {
        let choice = RestoreSelection.App(bundleID: app.bundleID, version: app.version)
        return try restore(choice, carriesOver: (.nothing, .documentsOnly)) { _, _ in Filled() }
    }

    /// How the device's apps compare names.
    private var names: NamePolicy {
        get throws { NamePolicy(name: try service.device.settings().names.rawValue) }
    }

    private var owner: Owner { service.device.owner }

    /// What was written into a container.
    private struct Filled {
        var files = 0
        var bytes: Int64 = 0
        var notes: [String] = []
        var lost: NamedItems?
    }

    private typealias Fill = (StagedRestore.Container, _ limitBytes: Int64) throws -> Filled

    /// - Parameter extents: what the new container takes over of an app that never synced (`local`), and
    ///   of one that did.
    private func restore(
        _ app: RestoreSelection.App,
        carriesOver extents: (local: CarryOver.Extent, synced: CarryOver.Extent), _ fill: Fill
    ) throws -> RestoredApp {
        let there = try service.device.apps().first { $0.bundleID == app.bundleID }
        guard let there else {
            try mounts.refuseInUse(nil, app.allGroups)
            return try withRoom {
                try fillAndPublish(app, extents.local, nil, fill) {
                    try mounts.refuseInUse(nil, app.allGroups)
                }
            }
        }
        return try mounts.whileBarred(there) { there, change in
            try mounts.refuseInUse(nil, app.allGroups)
            let away = try sendFirst(there)
            return try change.withoutSync(of: there) { session in
                let session = try service.cloud.syncs(there) ? session : nil
                try refuseHalfApplied(there, session, away)
                let hasSynced = try session != nil || service.device.remembersSync(of: there)
                let sender = session.map { Sender(app: there, session: $0) }
                var restored = try withRoom {
                    try fillAndPublish(app, hasSynced ? extents.synced : extents.local, sender, fill) {
                        try mounts.refuseInUse(there, app.allGroups)
                    }
                }
                if let away {
                    restored.notes.append("what differs from before goes to the cloud later: \(away)")
                }
                return restored
            }
        }
    }

    /// What nobody can go back to any more may still take the room that a restore needs.
    private func withRoom(_ body: () throws -> RestoredApp) throws -> RestoredApp {
        do { return try body() } catch  where Self.isOfRoom(error) {
            try service.device.removeDiscarded()
            return try body()
        }
    }

    private static func isOfRoom(_ error: any Error) -> Bool {
        switch error {
        case let error as BackupError: error.kind == .noRoom
        case let error as DeviceError: error.kind == .noRoom
        case let error as LocalError: error == .full
        default: false
        }
    }

    /// Who tells the log of an app's documents.
    private struct Sender {
        let app: InstalledApp
        let session: CloudSession
    }

    private func fillAndPublish(
        _ app: RestoreSelection.App, _ extent: CarryOver.Extent, _ sender: Sender?, _ fill: Fill,
        willReplace: () throws -> Void
    ) throws -> RestoredApp {
        let staged = try service.device.stageRestore(
            of: app.bundleID, version: app.version, groups: app.groups, unbound: app.unboundGroups)
        var restored = RestoredApp(bundleID: app.bundleID.value, groups: app.groups.map(\.value))
        do {
            try rights.run {
                for container in staged.containers {
                    let filled = try fill(container, try freeBytes(on: service.device.directory))
                    restored.files += filled.files
                    restored.bytes = restored.bytes.addingSaturated(filled.bytes)
                    restored.notes += filled.notes
                    restored.lost += filled.lost?.first ?? []
                    restored.lostCount += filled.lost?.count ?? 0
                    guard container.group == nil, let old = container.replaced else { continue }
                    let carried = try CarryOver.run(
                        from: old, into: container.directory.descriptor, extent,
                        limitBytes: try freeBytes(on: service.device.directory), names: try names,
                        owner: owner, progress: { _ in try progress(restored.bytes) })
                    restored.carriedFiles = carried.report.files
                    restored.behind = carried.behind
                }
            }
            let (result, beside) = try keepingUnsent(staged, sender) {
                try service.device.publish(staged) {
                    // Of the device's own kind, or it would be told as a failure of the catalogue.
                    do { try willReplace() } catch let refusal as CommandFailure {
                        throw DeviceError(.system, refusal.message)
                    }
                }
            }
            service.discarded.look()
            try mounts.moveOver(result.app, app.allGroups)
            restored.isPlaceholder = result.app.isPlaceholder
            restored.notes += result.notes + note(beside) + note(unbound: app.unboundGroups)
            return restored
        } catch {
            service.device.abandon(staged)
            try? service.device.noteFailedRestore(of: app.bundleID)
            throw error
        }
    }

    private func keepingUnsent(
        _ staged: StagedRestore, _ sender: Sender?, _ publish: () throws -> RestoreResult
    ) throws -> (RestoreResult, [LocalPath]) {
        guard let sender, let data = staged.containers.first(where: { $0.group == nil }) else {
            return (try publish(), [])
        }
        return try sender.session.keepingUnsent(of: sender.app, in: data, publish)
    }

    private func note(unbound groups: [GroupIdentifier]) -> [String] {
        guard !groups.isEmpty else { return [] }
        let names = groups.map(\.value).joined(separator: ", ")
        return ["restored for whichever app names them, for none here does: \(names)"]
    }

    private func note(_ beside: [LocalPath]) -> [String] {
        guard !beside.isEmpty else { return [] }
        let names = beside.prefix(Self.namedDocuments).map { $0.names.joined(separator: "/") }
        return [
            "\(beside.count) kept beside the backup's, for only this device has them: "
                + names.joined(separator: ", ")
        ]
    }

    /// What changed here goes up before it is replaced, as edits that every device's history keeps.
    ///
    /// - Returns: why nothing can go up now, where the store is out of reach: what it has already, it keeps.
    private func sendFirst(_ app: InstalledApp) throws -> SyncTrouble? {
        guard try service.cloud.syncs(app) else { return nil }
        return try service.cloud.withSession { session in
            try session.with(app) {
                let trouble = try session.syncOnce(app) ?? session.status(of: app).trouble
                guard let trouble, !trouble.isOfReach else { return trouble }
                throw CommandFailure(
                    "\(app.name) stays as it is, for what changed here could not go to the cloud first: "
                        + "\(trouble); or take it out of sync: apphome cloud off \(shellQuoted(app.name))")
            }
        }
    }

    /// - Parameter away: why the store is not reached.
    private func refuseHalfApplied(
        _ app: InstalledApp, _ session: CloudSession?, _ away: SyncTrouble?
    ) throws {
        guard let session, let away, try session.isHalfApplied(app) else { return }
        throw CommandFailure("\(app.name) stays as it is, for what came for it is half in place: \(away)")
    }
}
