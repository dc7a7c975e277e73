internal import Foundation

/// Why bytes from outside were not accepted; `reason` completes a sentence such as "Info.plist is …".
public struct PropertyListError: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}

/// Property lists from outside: parsed within bounds.
public enum PropertyList {
    /// A larger property list is refused before it is read.
    public static let sizeLimitBytes = 16 << 20

    /// The dictionary that `bytes` (an XML or binary property list) hold.
    ///
    /// - Throws: where they are too large, no property list, or no dictionary with string keys.
    public static func dictionary(_ bytes: [UInt8]) throws(PropertyListError) -> [String: Any] {
        guard let dictionary = try any(bytes) as? [String: Any] else {
            throw PropertyListError("a property list without keys at its top")
        }
        return dictionary
    }

    /// As `dictionary`, whatever stands at the top.
    static func any(_ bytes: [UInt8]) throws(PropertyListError) -> Any {
        guard bytes.count <= sizeLimitBytes else { throw PropertyListError("larger than 16 MB") }
        try checkShape(bytes)
        let parsed = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        guard let parsed else {
            throw PropertyListError("not a property list, damaged, or nested too deep")
        }
        return parsed
    }

    /// A binary property list of `dictionary`, whose values are property list types.
    public static func binary(_ dictionary: [String: Any]) throws(PropertyListError) -> [UInt8] {
        try bytes(of: dictionary, .binary)
    }

    /// A binary property list of one value of a property list's types.
    static func binary(top value: Any) throws(PropertyListError) -> [UInt8] { try bytes(of: value, .binary) }

    /// An XML property list of `dictionary`, whose values are property list types.
    public static func xml(_ dictionary: [String: Any]) throws(PropertyListError) -> [UInt8] {
        try bytes(of: dictionary, .xml)
    }

    private static func bytes(
        of value: Any, _ format: PropertyListSerialization.PropertyListFormat
    ) throws(PropertyListError) -> [UInt8] {
        // Foundation writes arrays by a conformance of theirs that it looks up while it runs. Where it is
        // linked statically, the linker leaves that out unless somebody names it.
        _ = ([] as [Any])._bridgeToObjectiveC()
        do {
            return Array(
                try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0))
        } catch {
            throw PropertyListError("not writable as a property list")
        }
    }

    /// The boolean at `key`: a boolean or the numbers 1 and 0, as a device reads it; nothing else is true.
    static func flag(_ dictionary: [String: Any], _ key: String) -> Bool {
        dictionary[key] as? Bool ?? false
    }

    /// The string at `key`; nil where it is missing or empty.
    static func text(_ dictionary: [String: Any], _ key: String) -> String? {
        guard let text = dictionary[key] as? String, !text.isEmpty else { return nil }
        return text
    }

    private static func checkShape(_ bytes: [UInt8]) throws(PropertyListError) {
        if bytes.starts(with: Array("bplist".utf8)) {
            guard let shape = BinaryPropertyListShape(bytes) else {
                throw PropertyListError("a damaged binary property list")
            }
            guard shape.isWithinBounds else {
                throw PropertyListError("a property list nested too deep, or that unfolds to too many values")
            }
            return
        }
        // The old format with parentheses and braces is not one that a bundle's property lists use.
        let first = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        guard first == UInt8(ascii: "<") else { throw PropertyListError("not a property list") }
    }
}
