internal import Foundation
internal import Posix
internal import PropertyLists

/// The device that a backup is of, as its property lists name it.
public struct BackedUpDevice: Sendable, Equatable {
    /// 40 hex digits, or 8 and 16 with a `-` between; the name of the backup's folder.
    public let identifier: String
    public let name: String
    let productType = "iPhone15,2"
    let productVersion = "17.0"
    let buildVersion = "21A329"
    let serialNumber = "APPHOME00000"

    /// - Returns: nil where `identifier` is no name of a device.
    public init?(identifier: String, name: String) {
        guard Self.isIdentifier(identifier) else { return nil }
        self.identifier = identifier
        self.name = name
    }

    static func isIdentifier(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy { Hex.isDigit($0 | 0x20) } }) else { return false }
        return parts.map(\.count) == [40] || parts.map(\.count) == [8, 16]
    }
}

/// An app, as a backup's property lists name it.
public struct BackedUpApp: Sendable, Equatable {
    public let bundleID: String
    public var version: String?
    /// What people call it; nil where that is not known.
    public var name: String?

    public init(bundleID: String, version: String? = nil, name: String? = nil) {
        self.bundleID = bundleID
        self.version = version
        self.name = name
    }
}

/// `Manifest.plist`: whether the backup is encrypted, and its keys.
struct ManifestPlist: Sendable {
    static let fileName = "Manifest.plist"
    static let keybagKey = "BackupKeyBag"

    var isEncrypted = false
    var keybag: [UInt8]?
    var manifestKey: [UInt8]?
    /// When the backup was begun. What was written in that second or later may differ from what is in it.
    var date = Date(timeIntervalSince1970: 0)
    var deviceName: String?
    var identifier: String?
    var productVersion: String?
    var serialNumber: String?
    var productType: String?
    var buildVersion: String?
    /// nil where it does not say.
    var wasPasscodeSet: Bool?
    var apps: [BackedUpApp] = []

    init() {}

    /// - Throws: `notABackup` for another kind of file; `PropertyListError`.
    init(_ bytes: [UInt8]) throws {
        let values = try PropertyList.dictionary(bytes)
        guard
            values["Lockdown"] is [String: Any] || values[Self.keybagKey] is Data
                || values["Version"] is String
        else { throw BackupError(.notABackup, "Manifest.plist is not one of a backup") }
        isEncrypted = values["IsEncrypted"] as? Bool ?? false
        keybag = (values[Self.keybagKey] as? Data).map(Array.init)
        manifestKey = (values["ManifestKey"] as? Data).map(Array.init)
        date = (values["Date"] as? Date).map(Self.nearest) ?? date
        let lockdown = values["Lockdown"] as? [String: Any] ?? [:]
        deviceName = lockdown["DeviceName"] as? String
        identifier = lockdown["UniqueDeviceID"] as? String
        productVersion = lockdown["ProductVersion"] as? String
        serialNumber = lockdown["SerialNumber"] as? String
        productType = lockdown["ProductType"] as? String
        buildVersion = lockdown["BuildVersion"] as? String
        wasPasscodeSet = values["WasPasscodeSet"] as? Bool
        apps = Self.apps(values["Applications"] as? [String: Any] ?? [:])
    }

    /// From the year 1 to 9999: a date in a property list is any number, or none.
    static func nearest(_ date: Date) -> Date {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    private static func apps(_ values: [String: Any]) -> [BackedUpApp] {
        values.keys.sorted().map { key in
            let app = values[key] as? [String: Any] ?? [:]
            return BackedUpApp(bundleID: key, version: app["CFBundleVersion"] as? String)
        }
    }

    func bytes(of device: BackedUpDevice) throws -> [UInt8] {
        let lockdown: [String: Any] = [
            "DeviceName": device.name, "UniqueDeviceID": device.identifier,
            "ProductType": device.productType, "ProductVersion": device.productVersion,
            "BuildVersion": device.buildVersion, "SerialNumber": device.serialNumber,
        ]
        var values: [String: Any] = [
            "Version": "10.0", "SystemDomainsVersion": "24.0", "Date": date, "WasPasscodeSet": false,
            "IsEncrypted": isEncrypted, "Lockdown": lockdown,
            "Applications": Dictionary(apps.map { ($0.bundleID, Self.entry($0)) }) { $1 },
        ]
        if let keybag { values[Self.keybagKey] = Data(keybag) }
        if let manifestKey { values["ManifestKey"] = Data(manifestKey) }
        return try PropertyList.binary(values)
    }

    private static func entry(_ app: BackedUpApp) -> [String: Any] {
        var entry: [String: Any] = [
            "CFBundleIdentifier": app.bundleID, "ContainerContentClass": "Data/Application",
            // What a device says of where its bundle lies: not a path that anybody follows.
            "Path": "/var/containers/Bundle/Application/\(app.bundleID)",
        ]
        entry["CFBundleVersion"] = app.version
        return entry
    }
}

/// `Info.plist`: what a person sees of a backup.
enum InfoPlist {
    static let fileName = "Info.plist"

    static func bytes(of device: BackedUpDevice, apps: [BackedUpApp], date: Date) throws -> [UInt8] {
        let identifier = device.identifier.uppercased()
        let values: [String: Any] = [
            "Applications": Dictionary(try apps.map { ($0.bundleID, try entry($0, date)) }) { $1 },
            "Installed Applications": apps.map(\.bundleID), "Build Version": device.buildVersion,
            "Device Name": device.name, "Display Name": device.name,
            "GUID": FileIdentifier(domain: "GUID", path: identifier).description.prefix(32).uppercased(),
            "ICCID": "", "IMEI": "", "MEID": "",
            "Phone Number": "", "Last Backup Date": date, "Product Name": device.productType,
            "Product Type": device.productType, "Product Version": device.productVersion,
            "Serial Number": device.serialNumber, "Target Identifier": device.identifier,
            "Target Type": "Device", "Unique Identifier": identifier, "iTunes Files": [String: Any](),
            "iTunes Settings": [String: Any](), "iTunes Version": "12.12.0.0", "iBooks Data 2": Data(),
        ]
        return try PropertyList.xml(values)
    }

    /// What the store knows of an app: a property list by itself, in which readers look for its name.
    private static func entry(_ app: BackedUpApp, _ date: Date) throws -> [String: Any] {
        let name = app.name ?? app.bundleID
        let metadata: [String: Any] = [
            "softwareVersionBundleId": app.bundleID, "bundleDisplayName": name, "itemName": name,
            "bundleShortVersionString": app.version ?? "", "purchaseDate": date.formatted(.iso8601),
            "com.apple.iTunesStore.downloadInfo": ["purchaseDate": date.formatted(.iso8601)],
        ]
        return ["iTunesMetadata": Data(try PropertyList.binary(metadata))]
    }
}

/// `Status.plist`: that the backup was finished.
enum StatusPlist {
    static let fileName = "Status.plist"

    static func bytes(date: Date, isFull: Bool) throws -> [UInt8] {
        try PropertyList.binary([
            "BackupState": "new", "Date": date, "IsFullBackup": isFull, "SnapshotState": "finished",
            "UUID": UUID().uuidString, "Version": "3.3",
        ])
    }

    /// Whether the device said that it had finished; true where it did not say.
    static func isFinished(_ bytes: [UInt8]) throws -> Bool {
        isFinished(try PropertyList.dictionary(bytes))
    }

    static func isFinished(_ values: [String: Any]) -> Bool {
        guard let state = values["SnapshotState"] as? String else { return true }
        return state == "finished"
    }
}
