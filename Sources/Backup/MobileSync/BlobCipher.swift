internal import Crypto
internal import CryptoExtras

/// AES-256-CBC from a zero vector with PKCS#7 padding, as blobs and Manifest.db have it, piece by piece.
struct BlobEncryptor {
    private let key: SymmetricKey
    private var vector = BlobCipher.zeroVector
    // Less than a block: what waits for more.
    private var waiting: [UInt8] = []

    init(_ key: SymmetricKey) { self.key = key }

    /// - Returns: what the next piece of content gives; empty where it fills no block yet.
    mutating func update(_ piece: some Collection<UInt8>) throws -> [UInt8] {
        waiting += piece
        let whole = waiting.count / BlobCipher.blockBytes * BlobCipher.blockBytes
        if whole == 0 { return [] }
        let encrypted = try encrypt(Array(waiting.prefix(whole)))
        waiting.removeFirst(whole)
        return encrypted
    }

    /// The last block, which is there always.
    mutating func finish() throws -> [UInt8] {
        let padding = BlobCipher.blockBytes - waiting.count
        return try encrypt(waiting + [UInt8](repeating: UInt8(padding), count: padding))
    }

    private mutating func encrypt(_ blocks: [UInt8]) throws -> [UInt8] {
        let vector = try AES._CBC.IV(ivBytes: vector)
        let encrypted = Array(try AES._CBC.encrypt(blocks, using: key, iv: vector, noPadding: true))
        self.vector = Array(encrypted.suffix(BlobCipher.blockBytes))
        return encrypted
    }
}

/// The reverse of `BlobEncryptor`. The padding stays: the caller knows the content's size, and takes it off.
struct BlobDecryptor {
    private let key: SymmetricKey
    private var vector = BlobCipher.zeroVector

    init(_ key: SymmetricKey) { self.key = key }

    /// - Parameter piece: whole blocks.
    mutating func update(_ piece: [UInt8]) throws -> [UInt8] {
        if piece.isEmpty { return [] }
        let vector = try AES._CBC.IV(ivBytes: vector)
        self.vector = Array(piece.suffix(BlobCipher.blockBytes))
        return Array(try AES._CBC.decrypt(piece, using: key, iv: vector, noPadding: true))
    }
}

enum BlobCipher {
    static let blockBytes = 16
    static let zeroVector = [UInt8](repeating: 0, count: blockBytes)

    /// How long the blob of a file of `sizeBytes` is.
    static func encryptedBytes(of sizeBytes: Int64) -> Int64 {
        let (blocks, _) = sizeBytes.quotientAndRemainder(dividingBy: Int64(blockBytes))
        return (blocks + 1).multipliedReportingOverflow(by: Int64(blockBytes)).partialValue
    }

    /// Whether `tail`, what is left behind the content, is its padding.
    static func isPadding(_ tail: some Collection<UInt8>) -> Bool {
        (1...blockBytes).contains(tail.count) && tail.allSatisfy { Int($0) == tail.count }
    }
}
