internal import Foundation

/// A value of a key-value store as devices keep it and tell it each other: a binary property list whose top
/// is the value.
public enum KeyValueBytes {
    /// - Throws: where the value can only be looked at.
    public static func encode(_ value: PreferenceValue) throws(PropertyListError) -> [UInt8] {
        guard let value = value.propertyListValue else {
            throw PropertyListError("no value of a property list")
        }
        return try PropertyList.binary(top: value)
    }

    /// - Parameter bytes: also what another device made, or somebody who can write to the store.
    public static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PreferenceValue {
        try PreferenceValue(PropertyList.any(bytes))
    }

    /// What counts of a value: a string's bytes in UTF-8, or those of data; of anything else, those of its
    /// property list (SPEC.md 11). Nothing but the head is read for it.
    public static func sizeBytes(of bytes: [UInt8]) -> Int {
        guard let text = BinaryPropertyListShape(bytes)?.topBytes else { return bytes.count }
        switch text {
        case .data(let range), .ascii(let range): return range.count
        case .utf16(let range):
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self).utf8.count
        }
    }

    /// All keys with their values, as the property list in `Library/SyncedPreferences`.
    /// - Parameter values: what cannot be read is left out.
    public static func propertyList(_ values: [String: [UInt8]]) throws(PropertyListError) -> [UInt8] {
        try PropertyList.binary(values.compactMapValues { try? PropertyList.any($0) })
    }
}
