internal import Crypto
internal import Posix

/// What a backup calls an item, and the name of its blob: the SHA-1 of `domain-path`, in 40 lowercase
/// hexadecimal digits.
struct FileIdentifier: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 20

    let description: String

    init(domain: String, path: String) {
        description = Hex.text(Array(Insecure.SHA1.hash(data: Array("\(domain)-\(path)".utf8))))
    }

    /// - Returns: nil for anything but 40 lowercase hex digits: what it may name is a blob and no other path.
    init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, text.utf8.allSatisfy(Hex.isDigit) else {
            return nil
        }
        description = text
    }

    /// The folder of its blob: the first two digits.
    var folder: String { String(description.prefix(2)) }

    /// The number of that folder, 0 to 255.
    var folderIndex: Int { Int(folder, radix: 16) ?? 0 }
}
