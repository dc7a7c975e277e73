/// The name of an object below the account's prefix, parsed once: segments of `a-z 0-9 . _ -` with a `/`
/// between them; none is empty, `.` or `..`. Engines disagree about every other name.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String
    /// The longest text, in bytes.
    static let byteLimit = 512

    /// Nil where the text is not such a name, or longer than 512 bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.byteLimit, Self.isValid(text) else { return nil }
        self.text = text
    }

    /// For keys that the account's layout makes of hex and digits, which are such names by their making.
    package init(wellFormed text: String) {
        self.text = text
    }

    public var description: String { text }

    /// The order of the bytes, which for text of ASCII alone is the order of strings.
    public static func < (left: ObjectKey, right: ObjectKey) -> Bool { left.text < right.text }

    /// Whether these bytes, which have no `/`, may stand between two of them.
    static func isSegment(_ bytes: some Sequence<UInt8>) -> Bool {
        var count = 0
        var hasOther = false
        for byte in bytes {
            guard isAllowed(byte) else { return false }
            count += 1
            if byte != UInt8(ascii: ".") { hasOther = true }
        }
        return hasOther || count > 2
    }

    private static func isValid(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy(isSegment)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
