public import SandboxRules

/// What a bundle's Info.plist says, checked.
public struct InfoPlist: Sendable, Equatable {
    public let identifier: BundleIdentifier
    /// `CFBundleDisplayName`, else `CFBundleName`; nil where there is neither.
    public let displayName: String?
    /// `CFBundleShortVersionString`, else `CFBundleVersion`: what a person calls the version; nil without
    /// both.
    public let version: String?
    /// `CFBundleExecutable`: a plain file name in the bundle; nil where there is none.
    public let executable: String?
    public let sharing: SharingKeys

    /// Checks the bytes of an Info.plist.
    ///
    /// - Throws: a reason that begins with "Info.plist" or the key's name.
    public init(_ bytes: [UInt8]) throws(PropertyListError) {
        let values: [String: Any]
        do {
            values = try PropertyList.dictionary(bytes)
        } catch {
            throw PropertyListError("Info.plist is \(error.reason)")
        }
        try self.init(values)
    }

    init(_ values: [String: Any]) throws(PropertyListError) {
        identifier = try Self.identifier(values)
        displayName =
            PropertyList.text(values, "CFBundleDisplayName") ?? PropertyList.text(values, "CFBundleName")
        version =
            PropertyList.text(values, "CFBundleShortVersionString")
            ?? PropertyList.text(values, "CFBundleVersion")
        executable = try Self.executable(values)
        sharing = SharingKeys(
            itunes: PropertyList.flag(values, "UIFileSharingEnabled"),
            opensInPlace: PropertyList.flag(values, "LSSupportsOpeningDocumentsInPlace"),
            documentBrowser: PropertyList.flag(values, "UISupportsDocumentBrowser"))
    }

    /// Whether a build setting that Xcode would fill in still stands in `text`: `$(NAME)` or `${NAME}`.
    public static func isBuildSetting(_ text: String) -> Bool {
        text.contains("$(") || text.contains("${")
    }

    private static func identifier(_ values: [String: Any]) throws(PropertyListError) -> BundleIdentifier {
        guard let value = values["CFBundleIdentifier"] else {
            throw PropertyListError("Info.plist has no CFBundleIdentifier")
        }
        guard let text = value as? String else {
            throw PropertyListError("CFBundleIdentifier is not a string")
        }
        if isBuildSetting(text) {
            throw PropertyListError("CFBundleIdentifier is \(text): this is a source plist")
        }
        guard let identifier = BundleIdentifier(text) else {
            throw PropertyListError(
                "CFBundleIdentifier is \"\(text.prefix(160))\": "
                    + "only letters, digits, '.' and '-' make an identifier"
            )
        }
        return identifier
    }

    private static func executable(_ values: [String: Any]) throws(PropertyListError) -> String? {
        guard let name = PropertyList.text(values, "CFBundleExecutable") else { return nil }
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }), name != ".", name != ".."
        else {
            throw PropertyListError("CFBundleExecutable is not a file name")
        }
        return name
    }
}
