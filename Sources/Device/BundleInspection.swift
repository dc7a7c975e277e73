internal import Posix
internal import PropertyLists
internal import SandboxRules
internal import SystemPackage

/// What a staged bundle says of itself.
struct BundleInspection {
    static let plistLimitBytes = PropertyList.sizeLimitBytes

    static let plistTooLarge = tooLarge("Info.plist", plistLimitBytes)

    private static func tooLarge(_ name: String, _ limitBytes: Int) -> DeviceError {
        DeviceError(
            .notAnApp,
            "\(name) is larger than \(limitBytes >> 20) MB: this is no app; give one with a smaller \(name)")
    }

    let info: InfoPlist
    /// The app's name: that of its directory, without `.app`.
    let name: String
    /// The entitlements property list, and where it came from.
    let entitlements: [UInt8]?
    let source: EntitlementsSource
    let groups: [GroupIdentifier]

    /// Looks at the bundle `directory`.
    ///
    /// - Parameters:
    ///   - directoryName: `Name.app`.
    ///   - option: the entitlements that the person gave; they go before the bundle's own.
    init(_ directory: Int32, directoryName: String, option: [UInt8]?, limits: InstallLimits) throws {
        name = try Self.checkedName(directoryName)
        info = try Self.infoPlist(directory, name: directoryName)
        let (found, source) = try Self.entitlements(directory, info, option, limits)
        groups = try Self.groups(found, source)
        entitlements = found
        self.source = source
    }

    /// `Name` of `Name.app`.
    static func checkedName(_ directoryName: String) throws(DeviceError) -> String {
        guard directoryName.hasSuffix(".app") else {
            throw DeviceError(
                .notAnApp, "\(directoryName) is not an app bundle: its name does not end in .app")
        }
        let name = String(directoryName.dropLast(4))
        guard !name.isEmpty, !name.hasPrefix("."), directoryName.utf8.count <= 255 else {
            throw DeviceError(.notAnApp, "\(directoryName.prefix(80)) is no name for an app; rename it")
        }
        guard !name.hasSlash, !name.unicodeScalars.contains(where: \.isControl) else {
            throw DeviceError(
                .notAnApp, "\(directoryName) has a character that no app's name may have; rename it")
        }
        return name
    }

    /// The bundle's Info.plist, which must be a file of its own.
    static func infoPlist(_ directory: Int32, name: String) throws -> InfoPlist {
        guard let bytes = try plistBytes(directory) else {
            throw DeviceError(
                .notAnApp, "\(name) is not an app: it has no file Info.plist; give a built bundle")
        }
        do {
            return try InfoPlist(bytes)
        } catch {
            throw DeviceError(.notAnApp, "\(name) is not an app: \(error.reason); give a built bundle")
        }
    }

    /// The bytes of the Info.plist in `directory`; nil where there is no such file.
    static func plistBytes(_ directory: Int32) throws -> [UInt8]? {
        try metadata(directory, "Info.plist", limitBytes: plistLimitBytes)
    }

    private static func metadata(_ directory: Int32, _ name: String, limitBytes: Int) throws -> [UInt8]? {
        do {
            return try FileTree.read(directory, name, limitBytes: limitBytes)
        } catch Errno.fileTooLarge {
            throw tooLarge(name, limitBytes)
        }
    }

    private static func entitlements(
        _ directory: Int32, _ info: InfoPlist, _ option: [UInt8]?, _ limits: InstallLimits
    ) throws -> ([UInt8]?, EntitlementsSource) {
        if let option { return (option, .option) }
        if let executable = info.executable, let signed = try signedEntitlements(directory, executable) {
            return (signed, .codeSignature)
        }
        let profile = try metadata(directory, "embedded.mobileprovision", limitBytes: limits.profileBytes)
        let granted = try profile.flatMap { try Entitlements.propertyList(profile: $0) }
        return granted.map { ($0, .profile) } ?? (nil, .none)
    }

    /// The groups that the entitlements name.
    private static func groups(
        _ entitlements: [UInt8]?, _ source: EntitlementsSource
    ) throws(DeviceError) -> [GroupIdentifier] {
        guard let entitlements else { return [] }
        do {
            return try Entitlements(entitlements).groups
        } catch {
            throw DeviceError(
                .notAnApp, "\(error.reason) (from: \(source.rawValue)); give others: --entitlements FILE")
        }
    }

    private static func signedEntitlements(_ directory: Int32, _ executable: String) throws -> [UInt8]? {
        guard let file = try FileTree.openFile(directory, executable) else { return nil }
        let sizeBytes = try ItemStamp(of: file.raw).sizeBytes
        return try entitlements(signedIn: file.raw, sizeBytes: sizeBytes)
    }

    private static func entitlements(signedIn file: Int32, sizeBytes: UInt64) throws(Errno) -> [UInt8]? {
        try CodeSignature.entitlements(sizeBytes: sizeBytes) { offset, count throws(Errno) in
            try FileTree.read(file, offset: Int64(offset), count: count)
        }
    }
}
