// The standard library has the normal form by which it compares strings, but shows it to insiders only;
// Foundation's is another one (U+10041 and U+301, for one, are not what `==` takes them for).
@_spi(_Unicode) internal import Swift

/// A name as names are compared: two names that are one have equal bytes here (NFC, as `NamePolicy.device`
/// compares). What is stored and indexed, so its order is that of its bytes and no locale's.
package struct NormalizedName: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ name: String) {
        // Nearly every name is ASCII, which is its own normal form.
        text = name.utf8.allSatisfy { $0 < 0x80 } ? name : Self.normalized(name)
    }

    private static func normalized(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name._nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// Whether these bytes are the name, in whatever normal form.
    package func isSpelled(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Nearly every one is ASCII, and then there is one way to spell it.
        if text.utf8.count == bytes.count, text.utf8.elementsEqual(bytes) { return true }
        return bytes.contains { $0 >= 0x80 } && NormalizedName(String(decoding: bytes, as: UTF8.self)) == self
    }

    package static func < (left: NormalizedName, right: NormalizedName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
