internal import CloudStore
internal import CloudSync
internal import Device
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Deleting in the cloud.
extension CloudCommands {
    /// Deletes here, as a program would, and lets that be synced.
    func removeFromCloud(_ text: String, of name: String) throws -> CloudSyncReport {
        try removing(text, of: name) { removal in
            // What is on its way here comes first, or it would come back.
            let trouble = try removal.sync()
            try removal.discard()
            // A store that is silent was waited for already.
            let standing = trouble?.isOfConnection ?? false ? trouble : try removal.sync()
            return CloudSyncReport(try removal.session.status(of: removal.app), standing)
        }
    }

    /// As `removeFromCloud`, and ends the retention of all that was deleted at that path, now and before.
    /// - Throws: where the log does not say both afterwards; nothing is deleted here where that can be known
    ///   before.
    func removeForEver(_ text: String, of name: String) throws -> CloudRemoval {
        try removing(text, of: name) { removal in
            if let trouble = try removal.sync(), !trouble.letsDeletesPass {
                throw CommandFailure("nothing was deleted: the store has to take part in it. \(trouble)")
            }
            if try removal.isInCloud {
                try removal.discard()
                let trouble = try removal.sync()
                if try removal.isInCloud {
                    throw CommandFailure(
                        "\(text) is deleted here and not in the cloud: "
                            + (trouble.map { "\($0). " } ?? "") + "Then say this again")
                }
            }
            return try removal.endRetention()
        }
    }

    private func removing<Result>(
        _ text: String, of name: String, _ body: (Removal) throws -> Result
    ) throws -> Result {
        let app = try device.app(named: name)
        guard try cloud.syncs(app) else {
            throw CommandFailure(
                "\(app.name) does not sync; switch it on first: apphome cloud on \(app.name)")
        }
        let names = try Self.names(text)
        guard !names.isEmpty else {
            throw CommandFailure("name a document: Documents itself is never deleted")
        }
        return try cloud.withSession { session in
            try session.with(app) {
                try body(Removal(app: app, text: text, names: names, session: session, views: views))
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
    let views: Views

    func sync() throws -> SyncTrouble? { try session.syncOnce(app) }

    /// By the log, as far as it was read.
    var isInCloud: Bool {
        get throws { try session.storage(of: app).read { try $0.item(at: names) != nil } }
    }

    /// Deletes the local item.
    func discard() throws {
        do {
            try views.withTree(of: app) { (tree) throws(Errno) in
                try tree.discard(names[names.count - 1], below: ["Documents"] + names.dropLast())
            }
        } catch let errno as Errno {
            throw CommandFailure("cannot delete \(text): \(errno)")
        }
        try session.confirmDeletes(app)
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

extension SyncTrouble {
    /// Whether what a person deletes goes up all the same.
    fileprivate var letsDeletesPass: Bool {
        switch self {
        case .storeFull, .overQuota, .deletesHeld: true
        default: false
        }
    }
}
