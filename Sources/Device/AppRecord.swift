internal import Foundation
internal import GRDB
internal import SandboxRules

/// A row of the table `app`, and an app in the journal.
struct AppRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "app"

    var bundleID: String
    var name: String
    var displayName: String
    var version: String?
    var executable: String?
    var bundleContainer: String?
    var dataContainer: String
    var groups: [String]
    var sharesITunes: Bool
    var opensInPlace: Bool
    var documentBrowser: Bool
    var entitlements: Data?
    var entitlementsSource: String
    var installed: Date
    var sealDigest: String?
    /// Given by the catalogue; what a journal says of it does not count.
    var filesName: String?
}

extension InstalledApp {
    /// - Throws: `DeviceError` where the row is not one that a device writes.
    init(_ record: AppRecord) throws(DeviceError) {
        let damaged = DeviceError(
            .system,
            "the catalogue's row of \(record.bundleID) is damaged; restore catalogue.sqlite from a backup")
        guard let bundleID = BundleIdentifier(record.bundleID),
            let data = UUID(uuidString: record.dataContainer)
        else {
            throw damaged
        }
        let bundle = record.bundleContainer.flatMap(UUID.init(uuidString:))
        guard (bundle == nil) == (record.bundleContainer == nil) else { throw damaged }
        self.init(
            bundleID: bundleID, name: record.name, displayName: record.displayName, version: record.version,
            executable: record.executable, bundleContainer: bundle, dataContainer: data,
            groups: record.groups.compactMap { GroupIdentifier($0) },
            sharing: SharingKeys(
                itunes: record.sharesITunes, opensInPlace: record.opensInPlace,
                documentBrowser: record.documentBrowser),
            entitlements: record.entitlements.map { Array($0) },
            entitlementsSource: EntitlementsSource(rawValue: record.entitlementsSource) ?? .none,
            installed: record.installed, sealDigest: record.sealDigest, filesName: record.filesName)
    }
}

extension AppRecord {
    init(_ app: InstalledApp) {
        self.init(
            bundleID: app.bundleID.value, name: app.name, displayName: app.displayName, version: app.version,
            executable: app.executable, bundleContainer: app.bundleContainer?.uuidString,
            dataContainer: app.dataContainer.uuidString, groups: app.groups.map(\.value),
            sharesITunes: app.sharing.itunes, opensInPlace: app.sharing.opensInPlace,
            documentBrowser: app.sharing.documentBrowser,
            entitlements: app.entitlements.map { Data($0) },
            entitlementsSource: app.entitlementsSource.rawValue,
            installed: app.installed, sealDigest: app.sealDigest, filesName: app.filesName)
    }
}
