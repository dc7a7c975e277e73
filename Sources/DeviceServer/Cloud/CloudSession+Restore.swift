internal import CloudSync
internal import Device
internal import HomeTree
internal import SyncContent

/// What becomes of documents that are on this device alone, when a restore puts another home in their place.
extension CloudSession {
    /// Runs `publish`, which puts a filled container in the place of a barred app's: what only this device
    /// has of documents that differ there is kept for the log, and told to it when the store is there.
    /// - Returns: what `publish` does, and where those lie that sync did not know.
    func keepingUnsent<Result>(
        of app: InstalledApp, in container: StagedRestore.Container, _ publish: () throws -> Result
    ) throws -> (result: Result, beside: [LocalPath]) {
        // What only looks makes no database for an app that never synced.
        let storage = try (try? reader(of: app)).map { _ in try self.storage(of: app) }
        let copies = try copyUnsent(of: app, to: container, storage)
        do {
            let result = try publish()
            try? copies.finish(storage)
            return (result, copies.beside)
        } catch {
            try? copies.forget(storage)
            throw error
        }
    }

    private func copyUnsent(
        of app: InstalledApp, to container: StagedRestore.Container, _ storage: (any SyncStorage)?
    ) throws -> UnsentCopies {
        let tree = try views.take(app)
        defer { views.giveBack(app) }
        let source = try HomeDisk(tree: tree, databases: views.databaseAccess(of: app, tree))
        guard let target = try views.disk(aside: container, like: tree) else { return UnsentCopies() }
        return try source.copyUnsent(to: target, storage, SystemSyncRandomness())
    }
}

extension Views {
    /// The documents of a container that nobody else sees; nil where it has none.
    fileprivate func disk(aside container: StagedRestore.Container, like tree: HomeTree) throws -> HomeDisk? {
        do {
            return try HomeDisk(tree: try openAside(container, tree.policy))
        } catch LocalError.gone {
            return nil
        }
    }
}
