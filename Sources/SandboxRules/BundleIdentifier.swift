/// An app's `CFBundleIdentifier`, checked once where it enters.
///
/// Letters, digits, `.` and `-` only, so that it is safe as a file name (`Library/Preferences/<id>.plist`),
/// in a mount's source and on a command line. At most 155 bytes, the App Store's limit.
public struct BundleIdentifier: Hashable, Sendable, CustomStringConvertible {
    public static let lengthLimitBytes = 155

    /// The identifier as the bundle spells it; comparison is exact, as on a device.
    public let value: String

    /// - Returns: nil where `value` is empty, too long, has another character, or begins with `.` or `-`
    ///   (a name that is a path part, or that a command would read as an option).
    public init?(_ value: String) {
        guard let first = value.utf8.first, value.utf8.count <= Self.lengthLimitBytes else { return nil }
        guard first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return nil }
        guard value.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.value = value
    }

    /// What `apphome new NAME` gives an app without an identifier: `local.NAME`, other characters as `-`.
    ///
    /// - Returns: nil where the result is too long.
    public init?(localName name: String) {
        let safe = name.map { character -> Character in
            let isSafe = character.utf8.count == 1 && character.utf8.allSatisfy(Self.isAllowed)
            return isSafe ? character : "-"
        }
        self.init("local." + String(safe))
    }

    public var description: String { value }

    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}
