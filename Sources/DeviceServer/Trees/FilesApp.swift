internal import CloudSync
internal import Device
internal import FoundationEssentials
internal import SandboxRules

/// An app as the Files app looks at it, be it on the device or in an account's store.
struct FilesApp: Equatable {
    let identifier: String
    let displayName: String
    let sharing: SharingKeys
    /// What a view's part is called that shows its documents.
    let part: String
}

extension FilesApp {
    /// Another container is another part, also of an app that was removed and has come again.
    init(_ app: InstalledApp) {
        self.init(
            identifier: app.bundleID.value, displayName: app.displayName, sharing: app.sharing,
            part: app.dataContainer.uuidString)
    }

    init(_ app: SyncedApp) {
        self.init(
            identifier: app.identifier, displayName: app.displayName, sharing: SharingKeys(app),
            part: app.identifier)
    }
}

extension [FilesApp] {
    /// Those that offer themselves, each under the name that it has in Files: in the order of their
    /// identifiers, so that of two that are called the same it is always the same one that gets a number.
    func named() -> [(name: String, app: FilesApp)] {
        var names = FilesNames()
        return filter(\.sharing.files).sorted { $0.identifier < $1.identifier }
            .map { (names.name(for: $0.displayName), $0) }
    }
}
