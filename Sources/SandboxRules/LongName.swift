internal import Crypto
// The normal form by which strings are compared; Foundation's is another one for some.
@_spi(_Unicode) internal import Swift

/// Names that iOS takes and no disk here does: of more than 255 bytes, in at most 255 UTF-16 units.
///
/// An item with such a name lies under a short one, which is made from the long one alone: it is found
/// without an index, in whichever Unicode spelling. The long name itself is an extended attribute of the item
/// (SPEC 3 Names). The attribute's own name has the same digest, so that each of several names of one item
/// has one. Where it is missing the item is found by its long name and listed under its short one.
public enum LongName {
    /// Bytes of the longest name that ext4, XFS, Btrfs, ZFS and tmpfs take.
    public static let diskLimitBytes = 255
    /// Bytes of the longest name that has 255 UTF-16 units.
    public static let longestBytes = 3 * NamePolicy.longestNameUTF16Units

    private static let prefix: StaticString = "apphome-long-name-"
    private static let digestDigits = 32
    private static let longestExtension = 16

    /// Whether it is longer than a disk takes.
    public static func isLong(_ name: UnsafeRawBufferPointer) -> Bool { name.count > diskLimitBytes }

    /// As that, for text.
    public static func isLong(_ name: String) -> Bool { name.utf8.count > diskLimitBytes }

    /// Whether it is one of the two by which such an item is found, the long one or the short one.
    static func isOfTwo(_ name: UnsafeRawBufferPointer) -> Bool { isLong(name) || name.hasPrefix(prefix) }

    /// The name under which a disk has an item with this one: the same name in its normal form, where that is
    /// short enough (Hangul takes three times the bytes in another), else a short one.
    /// - Returns: nil for a name that a disk takes as it is, and for one that iOS does not take either.
    public static func stored(for name: UnsafeRawBufferPointer) -> String? {
        guard isLong(name), NamePolicy.device.problem(with: name) == nil,
            let text = String(validating: name, as: UTF8.self)
        else { return nil }
        let normal = String(String.UnicodeScalarView(text._nfc))
        guard normal.utf8.count > diskLimitBytes else { return normal }
        return "\(prefix)\(digest(of: normal))\(pathExtension(of: normal))"
    }

    /// As that, for text; the same text for what a disk takes.
    public static func stored(for name: String) -> String {
        var name = name
        return name.withUTF8 { stored(for: UnsafeRawBufferPointer($0)) } ?? name
    }

    /// A path whose every name is as a disk has it.
    public static func storedPath(for path: String) -> String {
        guard path.utf8.count > diskLimitBytes else { return path }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { stored(for: String(Substring($0))) }.joined(separator: "/")
    }

    /// The attribute, by its name in the backing file system, that has the long name of what lies under
    /// `stored`; nil for what is no such name.
    public static func attribute(ofStored stored: UnsafeRawBufferPointer) -> String? {
        guard stored.hasPrefix(prefix), let digest = digest(in: stored[prefix.utf8CodeUnitCount...]) else {
            return nil
        }
        return "\(attributePrefix)\(digest)"
    }

    /// The value of that attribute as a name; nil where it is not the one of what lies under `stored`:
    /// anybody may have written it who can write the disk.
    public static func name(_ value: [UInt8], ofStored stored: UnsafeRawBufferPointer) -> String? {
        guard !value.contains(UInt8(ascii: "/")), !value.contains(0) else { return nil }
        let wanted = value.withUnsafeBytes { Self.stored(for: $0) }
        guard let wanted, wanted.utf8.elementsEqual(stored) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    /// Begins the attribute's name in the backing file system.
    private static let attributePrefix: StaticString = "user.apphome.name."
    /// Begins it in the cloud: other devices keep only attributes with names of Apple's.
    private static let travellingPrefix: StaticString = "com.apple.apphome.name."

    /// The name under which the attribute goes to other devices; nil for another attribute.
    /// - Parameter name: in the backing file system.
    public static func travellingName(ofAttribute name: UnsafeRawBufferPointer) -> String? {
        renamed(name, from: attributePrefix, to: travellingPrefix)
    }

    /// The attribute's name in the backing file system; nil for another attribute.
    /// - Parameter name: as another device sent it.
    public static func attribute(ofTravelling name: UnsafeRawBufferPointer) -> String? {
        renamed(name, from: travellingPrefix, to: attributePrefix)
    }

    private static func renamed(
        _ name: UnsafeRawBufferPointer, from old: StaticString, to new: StaticString
    ) -> String? {
        let count = old.utf8CodeUnitCount
        guard name.hasPrefix(old), name.count == count + digestDigits, let digest = digest(in: name[count...])
        else { return nil }
        return "\(new)\(digest)"
    }

    private static func digest(of normal: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = SHA256.hash(data: Array(normal.utf8)).prefix(digestDigits / 2)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// What these bytes begin with, where that is a digest.
    private static func digest(in bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        let digits = bytes.prefix(digestDigits)
        let isHex = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isHex && digits.count == digestDigits ? String(decoding: digits, as: UTF8.self) : nil
    }

    /// What programs tell a file's kind by, with its dot.
    private static func pathExtension(of name: String) -> String {
        let end = name.utf8.suffix(longestExtension + 1)
        guard let dot = end.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        let part = end[dot...]
        let isPlain = part.dropFirst().allSatisfy {
            $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isPlain && part.count > 1 ? String(decoding: part, as: UTF8.self) : ""
    }
}
