internal import CloudSync
internal import Device
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Deleting in the cloud.
extension CloudCommands {
    /// Deletes here, as a program would, and lets that be synced.
    /// - Parameter forever: also ends the retention of what was deleted there, now or before.
    func removeFromCloud(_ text: String, of name: String, forever: Bool) throws -> Answer {
        let app = try device.app(named: name)
        guard try cloud.syncs(app) else {
            throw CommandFailure(
                "\(app.name) does not sync; switch it on first: apphome cloud on \(app.name)")
        }
        let names = try Self.names(text)
        guard let last = names.last else {
            throw CommandFailure("name a document: Documents itself is never deleted")
        }
        return try cloud.withSession { session in
            try session.with(app) {
                // What is on its way here comes first, or it would come back.
                var trouble = try session.syncOnce(app)
                do {
                    try views.withTree(of: app) { (tree) throws(Errno) in
                        try tree.discard(last, below: ["Documents"] + names.dropLast())
                    }
                    try session.confirmDeletes(app)
                    // A store that is silent was waited for already.
                    if !(trouble?.isOfConnection ?? false) { trouble = try session.syncOnce(app) }
                } catch Errno.noSuchFileOrDirectory where forever {
                    // It was deleted before.
                } catch let errno as Errno {
                    throw CommandFailure("cannot delete \(text): \(errno)")
                }
                if forever { try endRetention(at: names, text, of: app, session, trouble) }
                return .cloud(.synced(CloudSyncReport(try session.status(of: app), trouble)))
            }
        }
    }

    private func endRetention(
        at names: [String], _ text: String, of app: InstalledApp, _ session: CloudSession,
        _ trouble: SyncTrouble?
    ) throws {
        if let trouble, trouble.isOfConnection {
            throw CommandFailure(
                "\(text) is deleted here and still kept in the cloud: \(trouble); say it again later"
            )
        }
        let deleted = try session.storage(of: app).read { try $0.deletedItems(at: names) }
        guard !deleted.isEmpty else {
            throw CommandFailure("there is no \(text) in the cloud, and nothing of it is kept")
        }
        let identifier = app.bundleID.value
        try session.wait { try await $0.endHistory(identifier, of: deleted) }
    }
}
