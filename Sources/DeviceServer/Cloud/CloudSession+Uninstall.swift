internal import CloudSync
internal import Device
internal import SandboxRules
internal import SyncLog
internal import Wire

/// What becomes of an app's documents when it leaves the device.
extension CloudSession {
    /// Deletes in the cloud all that this device has of a barred app, without touching it here.
    /// - Returns: how many items of others are left.
    /// - Throws: what kept the deletes from going up. What did not go is still there on both sides.
    func deleteDocuments(of app: InstalledApp) throws -> Int {
        let (synced, identifier) = (SyncedApp(app), app.bundleID.value)
        let storage = try storage(of: app)
        try wait { await $0.add(synced, disk: EmptyDisk(), storage: storage) }
        defer { try? wait { await $0.remove(identifier) } }
        try wait { try await $0.confirmDeletes(identifier) }
        let trouble = try syncOnce(app)
        let status = try status(of: app)
        if let trouble = trouble ?? status.trouble { throw trouble }
        guard status.pendingChanges == 0, !status.isRescanDue else {
            throw CommandFailure("the store has not taken all deletes yet; try again")
        }
        return try documents(of: app)
    }

    /// How many items of the app the store has, as far as this device knows.
    func documents(of app: InstalledApp) throws -> Int {
        var status = SyncStatus()
        try storage(of: app).read { try status.take($0) }
        return status.documents
    }

    /// Whether what came from the store may be half in place, as a kill leaves it until the next round.
    func isHalfApplied(_ app: InstalledApp) throws -> Bool {
        try (try? reader(of: app))?.read { try !$0.intentions().isEmpty } ?? false
    }

    /// What this device has to tell of the app, by a look at all of it; nil where that cannot be had now.
    func unseenChanges(of app: InstalledApp) -> Int? { try? unsent(of: app, naming: 0).changes }

    /// Documents that a barred app has on this device alone.
    func unsent(of app: InstalledApp, naming limit: Int) throws -> UnsentDocuments {
        try views.unsent(of: app, try? reader(of: app), naming: limit)
    }
}

extension Views {
    /// - Parameter storage: what sync remembers; nil where it remembers nothing.
    func unsent(
        of app: InstalledApp, _ storage: (any SyncStorage)?, naming limit: Int
    ) throws -> UnsentDocuments {
        let tree = try take(app)
        defer { giveBack(app) }
        return try HomeDisk(tree: tree).unsent(storage, naming: limit)
    }
}
