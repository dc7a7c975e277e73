internal import Crypto

/// What a backup calls an item, and the name of its blob: the SHA-1 of `domain-path`, in 40 lowercase
/// hexadecimal digits.
struct FileIdentifier: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 20

    let description: String

    init(domain: String, path: String) {
        description = Hexadecimal.text(Insecure.SHA1.hash(data: Array("\(domain)-\(path)".utf8)))
    }

    /// - Returns: nil for anything but 40 lowercase hex digits: what it may name is a blob and no other path.
    init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, text.utf8.allSatisfy(Hexadecimal.isDigit) else {
            return nil
        }
        description = text
    }

    /// The folder of its blob: the first two digits.
    var folder: String { String(description.prefix(2)) }

    /// The number of that folder, 0 to 255.
    var folderIndex: Int { Int(folder, radix: 16) ?? 0 }
}

enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * FileIdentifier.byteCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
