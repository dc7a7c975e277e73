internal import CloudStore
internal import CloudSync

/// The product's encoding of the log, for the checks.
enum LogEntry {
    static func decode(_ bytes: [UInt8]) throws -> Commit {
        throw StoreError.invalidAnswer("no codec yet")
    }

    static func hash(_ bytes: [UInt8]) -> ContentHash {
        let digest = Digests.sha256(bytes)
        let words = stride(from: 0, to: 32, by: 16).map { start in
            digest[start..<start + 16].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        }
        return ContentHash(high: words[0], low: words[1])
    }
}
