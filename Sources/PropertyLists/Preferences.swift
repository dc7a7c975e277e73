public import SandboxRules

/// An app's preferences: the property list at `Library/Preferences/<id>.plist`.
///
/// What is not changed keeps its type and value, also what this program has no type for.
public struct Preferences {
    private var values: [String: Any]

    /// - Parameter bytes: the file's; none, or an empty file: no preferences.
    /// - Throws: where they are no property list that an app could have, with the bounds of `PropertyList`.
    public init(_ bytes: [UInt8]) throws(PropertyListError) {
        values = bytes.isEmpty ? [:] : try PropertyList.dictionary(bytes)
    }

    /// The file's name.
    public static func fileName(of app: BundleIdentifier) -> String { app.value + ".plist" }

    /// - Returns: nil where the key is not there.
    public func value(at key: String) throws(PropertyListError) -> PreferenceValue? {
        guard let value = values[key] else { return nil }
        return try PreferenceValue(value)
    }

    public func all() throws(PropertyListError) -> PreferenceValue {
        try PreferenceValue(values)
    }

    public mutating func set(_ value: PreferenceValue, at key: String) {
        values[key] = value.propertyListValue
    }

    /// - Returns: whether it was there.
    public mutating func remove(_ key: String) -> Bool { values.removeValue(forKey: key) != nil }

    /// The file, in the binary form, as a device writes it.
    /// - Throws: where it would be larger than what is read again.
    public func bytes() throws(PropertyListError) -> [UInt8] {
        let bytes = try PropertyList.binary(values)
        guard bytes.count <= PropertyList.sizeLimitBytes else { throw PropertyListError("larger than 16 MB") }
        return bytes
    }
}
