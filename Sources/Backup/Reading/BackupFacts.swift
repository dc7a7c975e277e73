public import Foundation
internal import Posix
internal import PropertyLists

/// What a backup says of its device and of itself in its three property lists, as far as they can be read.
/// None of it needs a password. All of it comes from outside: to be escaped before it is shown.
public struct BackupFacts: Sendable, Equatable {
    public var deviceName: String?
    /// The device's.
    public var identifier: String?
    public var serialNumber: String?
    public var productType: String?
    public var productVersion: String?
    public var buildVersion: String?
    public var phoneNumber: String?
    public var imei: String?
    /// Of the program that made it.
    public var madeBy: String?
    /// When it was begun.
    public var begunAt: Date?
    /// When it was finished.
    public var finishedAt: Date?
    public var isEncrypted = false
    /// Whether a passcode was set on the device; nil where it does not say.
    public var wasPasscodeSet: Bool?
    /// nil where it does not say.
    public var isFull: Bool?
    /// False for one that its device broke off.
    public var isFinished = true
    public var apps: [BackedUpApp] = []

    package init(of source: BackupSource, refused: (RefusedRow) -> Void) throws(BackupError) {
        self = try BackupError.translating("read the backup") {
            let plist = try BackupFolder.plist(source)
            var facts = BackupFacts(plist)
            facts.takeInfo(Self.values(InfoPlist.fileName, source, refused))
            facts.takeStatus(Self.values(StatusPlist.fileName, source, refused))
            return facts
        }
    }

    private init(_ plist: ManifestPlist) {
        (deviceName, identifier) = (plist.deviceName, plist.identifier)
        (productVersion, isEncrypted) = (plist.productVersion, plist.isEncrypted)
        (serialNumber, productType) = (plist.serialNumber, plist.productType)
        (buildVersion, wasPasscodeSet) = (plist.buildVersion, plist.wasPasscodeSet)
        (begunAt, apps) = (plist.date, plist.apps)
    }

    /// One that is damaged loses itself alone.
    private static func values(
        _ name: String, _ source: BackupSource, _ refused: (RefusedRow) -> Void
    ) -> [String: Any] {
        do {
            guard let bytes = try source.read(name, limitBytes: BackupFolder.plistLimitBytes) else {
                refused(RefusedRow(name, "is missing"))
                return [:]
            }
            return try PropertyList.dictionary(bytes)
        } catch let error as PropertyListError {
            refused(RefusedRow(name, "is \(error.reason)"))
        } catch {
            refused(RefusedRow(name, "cannot be read: \(error)"))
        }
        return [:]
    }

    private mutating func takeInfo(_ values: [String: Any]) {
        let text = { (key: String) in (values[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        deviceName = deviceName ?? text("Device Name")
        identifier = identifier ?? text("Target Identifier")
        serialNumber = serialNumber ?? text("Serial Number")
        productType = productType ?? text("Product Type")
        productVersion = productVersion ?? text("Product Version")
        buildVersion = buildVersion ?? text("Build Version")
        (phoneNumber, imei) = (text("Phone Number"), text("IMEI"))
        madeBy = text("macOS Version").map { "macOS \($0)" } ?? text("iTunes Version").map { "iTunes \($0)" }
        let known = values["Applications"] as? [String: Any] ?? [:]
        for index in apps.indices { apps[index].name = Self.name(known[apps[index].bundleID]) }
    }

    /// What the store calls an app.
    private static func name(_ entry: Any?) -> String? {
        guard let entry = entry as? [String: Any], let metadata = entry["iTunesMetadata"] as? Data,
            let values = try? PropertyList.dictionary(Array(metadata))
        else { return nil }
        return values["bundleDisplayName"] as? String ?? values["itemName"] as? String
    }

    private mutating func takeStatus(_ values: [String: Any]) {
        isFull = values["IsFullBackup"] as? Bool
        finishedAt = (values["Date"] as? Date).map(ManifestPlist.nearest)
        isFinished = StatusPlist.isFinished(values)
    }
}
