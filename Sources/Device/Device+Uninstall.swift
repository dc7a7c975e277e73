internal import Posix
public import SandboxRules
internal import SystemPackage

extension Device {
    /// Takes an app and its data off the device, and the containers of groups that no other app has.
    ///
    /// Killed at any point, the device has the app with all its data, or nothing of it. What sync remembers
    /// of the app goes first: were it there when the app is installed again, the empty Documents would look
    /// like a delete of everything.
    /// - Parameter willRemove: asked before anything is touched. Throws to refuse.
    /// - Returns: what a person should know, one line each.
    public func uninstall(
        _ app: InstalledApp, willRemove: () throws -> Void = {}
    ) throws(DeviceError) -> [String] {
        try performing("uninstall \(app.name)") {
            try publishing.withLock { _ in
                try refuseIfChanged(app)
                try finishPublications(of: app.bundleID)
                try finishRestorations(of: app.bundleID)
                try willRemove()
                let removal = try catalogue.commit(Removal(app))
                do {
                    try finish(removal)
                    return []
                } catch  where !(error is ProcessEnded) {
                    return ["the rest of its files is removed at the device's next start: \(error)"]
                }
            }
        }
    }

    /// - Throws: where the catalogue has another app by now, or none.
    func refuseIfChanged(_ app: InstalledApp) throws {
        guard try catalogue.app(app.bundleID) == app else {
            throw DeviceError(.unknownApp, "\(app.name) was changed meanwhile; look again: apphome list")
        }
    }

    /// What remains after the commit. May be repeated.
    func finish(_ removal: Removal) throws {
        try removed(.committed)
        try forgetSync(of: removal.bundleID)
        try removed(.forgotten)
        if let bundle = removal.bundleContainer {
            try FolderMove.remove(Layout.bundleContainer(bundle), in: directory)
        }
        if try FileTree.exists(directory, Layout.toolHomes) {
            try FolderMove.remove(Layout.toolHome(of: removal.bundleID), in: directory)
        }
        if try FileTree.exists(directory, Layout.snapshots) {
            try FolderMove.remove("\(Layout.snapshots)/\(removal.bundleID)", in: directory)
        }
        try removed(.bundleRemoved)
        try removeContainer(removal.dataContainer, at: Layout.dataContainer(removal.dataContainer))
        try removed(.dataRemoved)
        try removeReplaced(of: removal.bundleID)
        try removed(.replacedRemoved)
        try removeGroupContainers(removal.orphans)
        try removed(.groupsRemoved)
        try catalogue.end(removal)
        try removed(.ended)
    }

    /// What an earlier removal of the same app left, which its new data must not meet.
    func finishRemovals(of bundleID: BundleIdentifier) throws {
        for removal in try catalogue.journal(of: Removal.self) where removal.bundleID == bundleID.value {
            try finish(removal)
        }
    }

    /// The file in which sync remembers an app, in the folder of each account.
    public static func syncDatabase(of bundleID: BundleIdentifier) -> String {
        syncDatabase(named: bundleID.value)
    }

    private static func syncDatabase(named bundleID: String) -> String { "app-\(bundleID).sqlite" }

    /// Whether sync of any account has synced the app on this device.
    public func remembersSync(of app: InstalledApp) throws(DeviceError) -> Bool {
        try performing("look at the sync of \(app.name)") {
            guard try FileTree.exists(directory, Layout.cloud) else { return false }
            let folder = try FileTree.openDirectory(directory, Layout.cloud)
            for account in try DirectoryEntries.names(in: folder.raw).map(\.nameText) {
                if try FileTree.exists(folder.raw, "\(account)/\(Self.syncDatabase(of: app.bundleID))") {
                    return true
                }
            }
            return false
        }
    }

    private func forgetSync(of bundleID: String) throws(Errno) {
        let folder: Descriptor
        do {
            folder = try FileTree.openDirectory(directory, Layout.cloud)
        } catch .noSuchFileOrDirectory {
            return
        }
        for account in try DirectoryEntries.names(in: folder.raw).map(\.nameText) {
            try FolderMove.removeDatabase("\(account)/\(Self.syncDatabase(named: bundleID))", in: folder.raw)
        }
    }
}
