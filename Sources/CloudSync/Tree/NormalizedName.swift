internal import Foundation

/// A name as names are compared: two names that are one have equal bytes here (NFC, as `NamePolicy.device`
/// compares). What is stored and indexed, so its order is that of its bytes and no locale's.
public struct NormalizedName: Hashable, Comparable, Sendable {
    public let text: String

    public init(_ name: String) {
        // Nearly every name is ASCII, which is its own normal form.
        text = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
    }

    /// What an earlier call of this type made, from storage.
    init(stored: String) {
        text = stored
    }

    public static func == (left: NormalizedName, right: NormalizedName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public static func < (left: NormalizedName, right: NormalizedName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
