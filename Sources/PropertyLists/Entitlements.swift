public import SandboxRules

/// What an app is entitled to, checked.
public struct Entitlements: Sendable, Equatable {
    /// `com.apple.security.application-groups`, each once, in the order given.
    public let groups: [GroupIdentifier]
    /// `com.apple.developer.ubiquity-container-identifiers`.
    public let ubiquityContainers: [String]
    /// `com.apple.developer.ubiquity-kvstore-identifier`.
    public let keyValueStore: String?

    /// No entitlements at all.
    public static let none = Entitlements()

    private init() {
        groups = []
        ubiquityContainers = []
        keyValueStore = nil
    }

    /// Checks the bytes of an entitlements property list.
    public init(_ bytes: [UInt8]) throws(PropertyListError) {
        try self.init(Self.checked(bytes))
    }

    init(_ values: [String: Any]) throws(PropertyListError) {
        let names = try Self.strings(values, "com.apple.security.application-groups")
        var groups: [GroupIdentifier] = []
        for name in names {
            guard let group = GroupIdentifier(name) else {
                throw PropertyListError(
                    "the entitlements name a group \"\(name.prefix(100))\" that is no group's name")
            }
            if !groups.contains(group) { groups.append(group) }
        }
        self.groups = groups
        ubiquityContainers = try Self.strings(values, "com.apple.developer.ubiquity-container-identifiers")
        keyValueStore = PropertyList.text(values, "com.apple.developer.ubiquity-kvstore-identifier")
    }

    /// A property list that entitles an app to `groups` and nothing else.
    public static func propertyList(groups: [GroupIdentifier]) throws(PropertyListError) -> [UInt8] {
        try PropertyList.binary(["com.apple.security.application-groups": groups.map(\.value)])
    }

    /// The entitlements inside an `embedded.mobileprovision`: a signed CMS message around an XML property
    /// list.
    ///
    /// The signature is not checked (a device does that; here nothing is granted that the person could not
    /// grant by the option), so the property list is found by its first and last tag.
    /// - Returns: the `Entitlements` dictionary as a property list; nil where the profile has none.
    public static func propertyList(profile: [UInt8]) throws(PropertyListError) -> [UInt8]? {
        guard let start = firstIndex(of: Array("<?xml".utf8), in: profile),
            let end = lastIndex(of: Array("</plist>".utf8), in: profile), start < end
        else { throw PropertyListError("embedded.mobileprovision holds no property list") }
        do {
            let values = try PropertyList.dictionary(Array(profile[start..<end + 8]))
            guard let entitlements = values["Entitlements"] as? [String: Any] else { return nil }
            return try PropertyList.binary(entitlements)
        } catch {
            throw PropertyListError("the property list in embedded.mobileprovision is \(error.reason)")
        }
    }

    private static func checked(_ bytes: [UInt8]) throws(PropertyListError) -> [String: Any] {
        do {
            return try PropertyList.dictionary(bytes)
        } catch {
            throw PropertyListError("the entitlements are \(error.reason)")
        }
    }

    /// The strings at `key`: an array of them, or one alone; a wildcard (`TEAM.*`) is kept as it stands.
    private static func strings(_ values: [String: Any], _ key: String) throws(PropertyListError) -> [String]
    {
        guard let value = values[key] else { return [] }
        if let one = value as? String { return [one] }
        guard let many = value as? [String], many.count <= 1000 else {
            throw PropertyListError("the entitlement \(key) is not a list of names")
        }
        return many
    }

    private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.indices.dropLast(pattern.count - 1).first { isFound(pattern, bytes, at: $0) }
    }

    private static func lastIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.indices.dropLast(pattern.count - 1).last { isFound(pattern, bytes, at: $0) }
    }

    private static func isFound(_ pattern: [UInt8], _ bytes: [UInt8], at start: Int) -> Bool {
        bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern)
    }
}
