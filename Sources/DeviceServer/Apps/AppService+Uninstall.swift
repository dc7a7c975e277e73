internal import CloudStore
internal import CloudSync
internal import Device
internal import SandboxRules
internal import Wire

extension AppService {
    /// So many documents that would be lost are named.
    private static let namedDocuments = 5

    /// Takes an app off the device, or says what that would do.
    ///
    /// Sync of the app ends first, so that no delete goes to the store: other devices keep the documents, and
    /// so does the cloud, until they are deleted there by name.
    /// - Throws: where a view of the app is mounted (SPEC 10); with `deletesCloud`, where the store did not
    ///   take the deletes.
    func uninstall(_ arguments: UninstallArguments) throws -> UninstallReport {
        let reference = AppReference(try device.app(named: arguments.app))
        let change = try AppChange(of: reference, "removed", .afterPurge, mounts)
        defer { change.end() }
        // As it is after what was waited for.
        let app = try device.app(named: reference.bundleID)
        try change.bar(reference) { (open) throws(CommandFailure) in
            try runs.running.refuseMountsOfRun(reference, open, "removed")
            guard open.isEmpty else { throw .mounted(app.name, at: open.map(\.directory), "removed") }
        }
        if arguments.isConfirmed { try groups.endMounts(ofGroupsLeaving: app) }
        if arguments.deletesCloud {
            try refuseWithoutSync(app)
            if !arguments.isDryRun { try prepareDeletes(of: app) }
        }
        // It may have stayed.
        defer { cloud.appHasChanged(reference.bundleID) }
        return try change.withoutSync(of: app) { session in
            var report = try report(of: app, arguments, session)
            guard arguments.isConfirmed else { return report }
            // Its tree would be shown again where an app of that identifier comes.
            try views.refuseInUse(app)
            if arguments.deletesCloud, let session {
                do { report.cloudDocuments = try session.deleteDocuments(of: app) } catch {
                    throw CommandFailure(
                        "\(app.name) stays, for its documents could not be deleted in the cloud: "
                            + CommandFailure(answering: error).message)
                }
            }
            report.notes = try device.uninstall(app) { try views.refuseInUse(app) }
            views.forgetTree(key: app.bundleID.value)
            views.purged.forget(app.bundleID.value)
            findings.forgetApps()
            mounts.records.forget(bundleID: app.bundleID.value)
            log.write("uninstalled \(app.bundleID.value)")
            return report
        }
    }

    private func report(
        of app: InstalledApp, _ arguments: UninstallArguments, _ session: CloudSession?
    ) throws -> UninstallReport {
        var report = UninstallReport(bundleID: app.bundleID.value, name: app.name)
        if arguments.isDryRun {
            report.parts = try device.parts(of: app).map { NamedSize(name: $0.name, bytes: $0.bytes) }
        }
        if let session {
            report.store = session.url.description
            report.cloudDocuments = try session.documents(of: app)
        }
        // They are deleted everywhere: none is to be sent first.
        guard !arguments.deletesCloud else { return report }
        let unsent =
            try session?.unsent(of: app, naming: Self.namedDocuments)
            ?? views.unsent(of: app, nil, naming: Self.namedDocuments)
        report.unsent = unsent.count
        report.unsentNames = unsent.paths.map { $0.names.joined(separator: "/") }
        return report
    }

    private func refuseWithoutSync(_ app: InstalledApp) throws {
        guard try cloud.syncs(app) else {
            throw CommandFailure(
                "\(app.name) does not sync, so nothing of it can be deleted in the cloud: sign in "
                    + "(apphome cloud account set) or switch it on (apphome cloud on \(app.name)) first, "
                    + "or leave --delete-cloud out")
        }
    }

    /// What is on its way here comes first: a delete names only what this device had.
    private func prepareDeletes(of app: InstalledApp) throws {
        try cloud.withSession { session in
            try session.with(app) {
                let trouble = try session.syncOnce(app) ?? session.status(of: app).trouble
                if let trouble { throw trouble }
            }
        }
    }
}
