internal import CloudStore
internal import Posix
internal import StoreBasics
package import SyncLog

extension ContentHash {
    /// 64 digits.
    package var hex: String { Hex.text(bytes) }
}

/// SHA-256 of bytes that come in runs.
package struct ContentHasher {
    private var hasher = SHA256Hasher()

    package mutating func update(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { hasher.update($0) }
    }

    /// The hash of all that came so far.
    package var hash: ContentHash { ContentHash(digest: hasher.digest()[...]) }
}

/// A key that makes names which say nothing of what they name to one who does not have it. An account that is
/// not encrypted has it in the open.
package struct NameKey: Equatable, Sendable {
    /// 32 of them.
    package let bytes: [UInt8]

    /// - Returns: nil where these are not 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Of four random numbers.
    init(_ number: () -> UInt64) {
        bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: number().littleEndian, Array.init) }
    }

    /// The first half of HMAC-SHA-256: 128 bits suffice where nobody gains by two that are equal.
    func name(of message: [UInt8]) -> UInt128 {
        ContentHash(digest: Digests.hmac(key: bytes, message)[...]).high
    }
}
