internal import CloudStore
internal import CloudSync
internal import Device
internal import SandboxRules
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

/// Deleting in the cloud. This device hears of it as every other one does: what only it has stays.
extension CloudCommands {
    func removeFromCloud(_ text: String, of name: String) throws -> CloudSyncReport {
        try removing(text, of: name) { removal in
            guard try removal.remove() > 0 else {
                let app = shellQuoted(removal.app.name)
                throw CommandFailure("there is no \(text) in the cloud; see: apphome cloud ls \(app)")
            }
            let trouble = try removal.sync()
            return CloudSyncReport(try removal.session.status(of: removal.app), trouble)
        }
    }

    /// As `removeFromCloud`, and ends the retention of all that was deleted at that path, now and before.
    func removeForEver(_ text: String, of name: String) throws -> CloudRemoval {
        try removing(text, of: name) { removal in
            _ = try removal.remove()
            let ended = try removal.endRetention()
            _ = try removal.sync()
            return ended
        }
    }

    private func removing<Result>(
        _ text: String, of name: String, _ body: (Removal) throws -> Result
    ) throws -> Result {
        let app = try syncingApp(named: name)
        let names = try Self.names(text)
        guard !names.isEmpty else {
            throw CommandFailure("name a document: Documents itself is never deleted")
        }
        return try cloud.withSession { session in
            try session.with(app) {
                try body(Removal(app: app, text: text, names: names, session: session))
            }
        }
    }
}

/// A path below an app's Documents that a person wants to be without.
private struct Removal {
    let app: InstalledApp
    /// As the person wrote it.
    let text: String
    let names: [String]
    let session: CloudSession

    func sync() throws -> SyncTrouble? { try session.syncOnce(app) }

    /// - Returns: how many items the cloud had there.
    /// - Throws: where the log does not say that they are deleted.
    func remove() throws -> Int {
        // What was written here is deleted with the rest, or it would come back.
        if let trouble = try sync(), trouble.isOfConnection { throw refusal(trouble) }
        let (identifier, names) = (app.bundleID.value, names)
        do { return try session.wait { try await $0.remove(identifier, at: names) } } catch let trouble
            as SyncTrouble
        {
            throw refusal(trouble)
        }
    }

    private func refusal(_ trouble: SyncTrouble) -> CommandFailure {
        CommandFailure("nothing was deleted: the store has to take part in it. \(trouble)")
    }

    func endRetention() throws -> CloudRemoval {
        let deleted = try session.storage(of: app).read { try $0.deletedItems(at: names) }
        let identifier = app.bundleID.value
        let ended =
            deleted.isEmpty
            ? EndedRetention() : try session.wait { try await $0.endHistory(identifier, of: deleted) }
        guard ended.contents + ended.kept > 0 else {
            throw CommandFailure("there is no \(text) in the cloud, and nothing of it is kept there")
        }
        return CloudRemoval(
            contents: ended.contents, end: Timestamp(seconds: Double(ended.end.seconds)), kept: ended.kept)
    }
}
