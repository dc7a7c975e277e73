internal import Crypto

/// SHA-256 and HMAC over it: the one file of the store and of sync that knows the crypto library.
public enum Digests {
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// HMAC-SHA-256 (RFC 2104) of `message`: 32 bytes.
    public static func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

/// SHA-256 of bytes that come in pieces.
public struct SHA256Hasher: Sendable {
    private var state = SHA256()

    public init() {}

    public mutating func update(_ bytes: [UInt8]) { state.update(data: bytes) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bufferPointer: bytes) }

    /// The digest of all bytes so far; more may follow.
    public func digest() -> [UInt8] { Array(state.finalize()) }
}
