internal import Foundation
internal import PropertyLists
internal import SandboxRules

/// What `apphome new` is told.
public struct NewApp: Sendable {
    /// The app's name; `.app` is added.
    public var name: String
    /// nil: the property list's, else `local.NAME`.
    public var identifier: String?
    /// Sets `UIFileSharingEnabled`.
    public var sharesWithITunes = false
    /// Sets `LSSupportsOpeningDocumentsInPlace`.
    public var sharesWithFiles = false
    /// Application groups, as entitlements of their own.
    public var groups: [String] = []
    /// An Info.plist to begin with.
    public var infoPlist: [UInt8]?
    /// A directory, open for reading, whose files the bundle gets; the caller's.
    public var content: Int32?

    public init(name: String) { self.name = name }
}

extension NewApp {
    var bundleName: String { name.hasSuffix(".app") ? name : name + ".app" }

    /// The entitlements that the groups ask for; nil without groups.
    func entitlements() throws(DeviceError) -> [UInt8]? {
        if groups.isEmpty { return nil }
        var checked: [GroupIdentifier] = []
        for group in groups {
            guard let valid = GroupIdentifier(group) else {
                throw DeviceError(
                    .badValue,
                    "\"\(group.prefix(100))\" cannot be a group: use letters, digits, '.', '-' and '_'")
            }
            checked.append(valid)
        }
        do {
            return try Entitlements.propertyList(groups: checked)
        } catch {
            throw DeviceError(.badValue, error.reason)
        }
    }

    /// The new bundle's Info.plist: what `base` says, with what the person asked for.
    ///
    /// - Throws: `badValue` where `base` is a source plist and no identifier was given.
    func completed(base: [UInt8]?) throws(DeviceError) -> [UInt8] {
        let appName = String(bundleName.dropLast(4))
        var values: [String: Any] = [:]
        do {
            if let base { values = try PropertyList.dictionary(base) }
        } catch {
            throw DeviceError(.notAnApp, "the given Info.plist is \(error.reason); give another")
        }
        let identifier = try identifier(of: values, appName: appName)
        values = values.mapValues { Self.filled($0, name: appName, identifier: identifier) }
        values["CFBundleIdentifier"] = identifier.value
        if sharesWithITunes { values["UIFileSharingEnabled"] = true }
        if sharesWithFiles { values["LSSupportsOpeningDocumentsInPlace"] = true }
        let defaults = [
            "CFBundleName": appName, "CFBundlePackageType": "APPL", "CFBundleShortVersionString": "1.0",
            "CFBundleVersion": "1", "CFBundleInfoDictionaryVersion": "6.0",
        ]
        values.merge(defaults) { given, _ in given }
        do {
            return try PropertyList.binary(values)
        } catch {
            throw DeviceError(.badValue, "the new Info.plist is \(error.reason)")
        }
    }

    private func identifier(of values: [String: Any], appName: String) throws(DeviceError) -> BundleIdentifier
    {
        let found = values["CFBundleIdentifier"]
        if identifier == nil, let found, let text = found as? String, InfoPlist.isBuildSetting(text) {
            throw DeviceError(.badValue, "CFBundleIdentifier is \(text): this is a source plist; give --id")
        }
        if identifier == nil, found == nil {
            if let local = BundleIdentifier(localName: appName) { return local }
            throw DeviceError(.badValue, "\(appName.prefix(80)) is too long for an identifier; give --id")
        }
        let text = identifier ?? found as? String ?? ""
        guard let checked = BundleIdentifier(text) else {
            throw DeviceError(
                .badValue,
                "\"\(text.prefix(160))\" cannot be an app's identifier: "
                    + "use letters, digits, '.' and '-'; give --id"
            )
        }
        return checked
    }

    /// Fills in the build settings that a source plist usually names; others stay as they are.
    private static func filled(_ value: Any, name: String, identifier: BundleIdentifier) -> Any {
        guard let text = value as? String, InfoPlist.isBuildSetting(text) else { return value }
        let settings = [
            "PRODUCT_NAME": name, "TARGET_NAME": name, "EXECUTABLE_NAME": name, "DEVELOPMENT_LANGUAGE": "en",
            "PRODUCT_BUNDLE_IDENTIFIER": identifier.value, "PRODUCT_BUNDLE_PACKAGE_TYPE": "APPL",
            "MARKETING_VERSION": "1.0", "CURRENT_PROJECT_VERSION": "1",
        ]
        return settings.reduce(text) { text, setting in
            text.replacingOccurrences(of: "$(\(setting.key))", with: setting.value)
                .replacingOccurrences(of: "${\(setting.key)}", with: setting.value)
        }
    }
}
