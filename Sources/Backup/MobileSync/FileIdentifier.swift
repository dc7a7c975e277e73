internal import Crypto
internal import Posix

/// What a backup calls an item, and the name of its blob: the SHA-1 of `domain-path`, in 40 lowercase
/// hexadecimal digits.
package struct FileIdentifier: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 20

    // Not an array: half a million of them are in memory at once.
    private let first: UInt32
    private let second: UInt32
    private let third: UInt32
    private let fourth: UInt32
    private let fifth: UInt32

    package init(domain: String, path: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(domain.utf8.count + 1 + path.utf8.count)
        bytes.append(contentsOf: domain.utf8)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(contentsOf: path.utf8)
        self.init(Insecure.SHA1.hash(data: bytes))
    }

    /// - Returns: nil for anything but 40 lowercase hex digits: what it may name is a blob and no other path.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, let bytes = Hex.bytes(text) else { return nil }
        self.init(bytes)
    }

    private init(_ bytes: some Sequence<UInt8>) {
        var words: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { words in
            for (index, byte) in zip(words.indices, bytes) { words[index] = byte }
        }
        (first, second, third, fourth, fifth) = words
    }

    package var description: String {
        withUnsafeBytes(of: (first, second, third, fourth, fifth)) { Hex.text($0) }
    }

    /// The name of a folder of blobs.
    package static func folder(_ number: UInt8) -> String { Hex.text([number]) }

    /// The folder of its blob: the first two digits.
    var folder: String { withUnsafeBytes(of: first) { Hex.text($0.prefix(1)) } }

    /// The number of that folder, 0 to 255.
    var folderIndex: Int { withUnsafeBytes(of: first) { Int($0[0]) } }

    /// Where its blob lies in the backup's folder.
    var blobPath: String { "\(folder)/\(description)" }
}
