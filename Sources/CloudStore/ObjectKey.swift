/// The name of an object below the account's prefix, parsed once: segments of `a-z 0-9 . _ -` with a `/`
/// between them; none is empty, `.` or `..`. Engines disagree about every other name.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil where the text is not such a name, or longer than 512 bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= 512, Self.isValid(text) else { return nil }
        self.text = text
    }

    /// For keys that the account's layout makes of hex and digits, which are such names by their making.
    package init(wellFormed text: String) {
        self.text = text
    }

    public var description: String { text }

    public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isValid(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            segment in
            !segment.isEmpty && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
                && segment.allSatisfy(isAllowed)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
