internal import StoreBasics

extension ContentHash {
    package static let sizeBytes = 32

    /// The SHA-256 of some bytes.
    package init(of bytes: [UInt8]) {
        self.init(digest: Digests.sha256(bytes)[...])
    }

    /// Nil where these are not 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.sizeBytes else { return nil }
        self.init(digest: bytes[...])
    }

    package init(digest: ArraySlice<UInt8>) {
        let numbers = [digest.prefix(16), digest.suffix(16)].map { half in
            half.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        }
        self.init(high: numbers[0], low: numbers[1])
    }

    /// The 32 bytes, the most significant first.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in withUnsafeBytes(of: half.bigEndian) { Array($0) } }
    }
}
