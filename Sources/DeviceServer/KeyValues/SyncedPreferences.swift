internal import CloudSync
internal import Device
internal import HomeFiles
internal import HomeTree
internal import Posix
internal import PropertyLists
internal import SandboxRules
internal import SyncLog
internal import SystemPackage

/// `Library/SyncedPreferences/<id>.plist`: a key-value store as its app finds it on the disk. It is written
/// only, and through the app's tree, so that its mounts see it.
struct SyncedPreferences: Sendable {
    let views: Views
    let owner: Owner
    /// As a device makes it.
    private static let mode: UInt32 = 0o600

    /// Writes it anew, whole. Where no file is there, none is made for a store without keys.
    func write(_ values: [KeyName: [UInt8]], of app: InstalledApp) throws {
        // As a guest: it is the daemon's own work, which keeps no command from removing the app.
        let tree = try views.takeAsGuest(.app(app))
        defer { views.giveBackAsGuest(tree, key: app.bundleID.value) }
        let keys = values.map { ($0.key.text, $0.value) }
        let bytes = try KeyValueBytes.propertyList(Dictionary(keys, uniquingKeysWith: { $1 }))
        guard let library = try directory("Library", in: tree.home, of: tree, makes: !keys.isEmpty) else {
            return
        }
        defer { tree.forget(library) }
        let folder = "SyncedPreferences"
        guard let directory = try directory(folder, in: library, of: tree, makes: !keys.isEmpty) else {
            return
        }
        defer { tree.forget(directory) }
        try Preferences.fileName(of: app.bundleID).withFileName { (name) throws(Errno) in
            if keys.isEmpty, try !tree.isThere(name, in: directory) { return }
            try tree.place(bytes, as: name, in: directory, mode: Self.mode, owner: owner)
        }
    }

    /// - Returns: nil where it is not there, and is not to be made.
    private func directory(
        _ name: String, in parent: InodeNumber, of tree: HomeTree, makes: Bool
    ) throws(Errno) -> InodeNumber? {
        try name.withFileName { (name) throws(Errno) in
            if !makes, try !tree.isThere(name, in: parent) { return nil }
            return try tree.directory(name, in: parent, owner: owner)
        }
    }
}

extension HomeTree {
    fileprivate func isThere(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Bool {
        guard let found = try peek(name, in: directory) else { return false }
        forget(found.inode)
        return true
    }
}
