internal import SyncLog

/// FastCDC with normalised chunking: cuts bytes where their last 64 say so, so that the same bytes are cut
/// the same way wherever they lie in a file, and an insertion moves no cut but those near it.
///
/// Up to the normal size one byte in 512 Ki cuts, beyond it one in 256 Ki: chunks of 0.6 MiB on average. This
/// is a balance. The larger and the more alike chunks are, the longer it takes behind a change until the old
/// cuts are met again: with a normal size of 1 MiB and factors of 4, as published, every fourth overwrite of
/// 1 MiB sent more than 4 MiB (up to 14); so it is one in 500.
struct Chunker {
    /// A random number for each byte; of the account's seed.
    private let gear: [UInt64]
    private let parameters: ChunkingParameters
    private let (strictMask, easyMask): (UInt64, UInt64)
    private var hash: UInt64 = 0
    private var length = 0

    init(_ parameters: ChunkingParameters) {
        self.parameters = parameters
        gear = Self.gearTable(parameters.seed)
        let bits = parameters.normalBytes.trailingZeroBitCount
        // The high bits: those are what the last 64 bytes have all had a part in.
        strictMask = ~0 << UInt64(64 - bits)
        easyMask = ~0 << UInt64(64 - bits + 1)
    }

    private static func gearTable(_ seed: [UInt8]) -> [UInt64] {
        (0..<64).flatMap { block in
            let bytes = ContentHash(of: seed + [UInt8(block)]).bytes
            return (0..<4).map { part in
                bytes[part * 8..<part * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
        }
    }

    /// Goes on through bytes.
    /// - Returns: how many of them belong to the chunk, where it ends among them; nil where it goes on.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        // The first bytes of a chunk cannot end it; only the 64 before the minimum have a part in the hash.
        let skipped = max(0, min(bytes.count, parameters.minimumBytes - 64 - length))
        let taken = bytes.withUnsafeBufferPointer { scan($0, from: skipped) }
        if taken.isEnd { (hash, length) = (0, 0) } else { length += bytes.count }
        return taken.isEnd ? taken.count : nil
    }

    /// Begins the next chunk, as at the end of a file.
    mutating func restart() {
        (hash, length) = (0, 0)
    }

    private mutating func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> (count: Int, isEnd: Bool) {
        var hash = hash
        defer { self.hash = hash }
        return gear.withUnsafeBufferPointer { gear in
            var index = start
            // Three stretches, each with its own question, so that the loop asks one only.
            let ends = [parameters.minimumBytes, parameters.normalBytes, parameters.maximumBytes]
            for (stretch, end) in ends.enumerated() {
                let limit = min(bytes.count, end - length)
                let mask = stretch == 0 ? 0 : stretch == 1 ? strictMask : easyMask
                while index < limit {
                    hash = (hash << 1) &+ gear[Int(bytes[index])]
                    index += 1
                    if mask != 0, hash & mask == 0 { return (index, true) }
                }
                if stretch == 2, index + length == end { return (index, true) }
            }
            return (index, false)
        }
    }
}
