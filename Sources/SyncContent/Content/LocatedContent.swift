package import SyncLog

/// A chunk with all places where its bytes may lie.
package struct LocatedChunk: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt32
    /// The one that counts first, then those it replaced, the latest first.
    package var locators: [Locator]

    var length: Int { Int(sizeBytes) }
}

extension LocatedChunk {
    /// A chunk as an operation has it.
    init(_ chunk: Chunk) {
        self.init(hash: chunk.hash, sizeBytes: chunk.sizeBytes, locators: [chunk.locator])
    }

    /// A chunk of the tree, with its fallbacks.
    init(_ record: ChunkRecord) {
        self.init(
            hash: record.hash, sizeBytes: record.sizeBytes,
            locators: [record.locator] + record.replaced.reversed().map(\.locator))
    }

    /// The operations of a commit that lie beside the log.
    package init(_ spilled: SpilledOperations) {
        self.init(hash: spilled.hash, sizeBytes: spilled.sizeBytes, locators: [spilled.locator])
    }
}

/// A file's content that can be read: checked to be one that chunks can make.
package struct LocatedContent: Equatable, Sendable {
    /// Of the largest chunk that is read, whoever wrote it.
    package static let chunkLimitBytes = 4 << 20

    package let hash: ContentHash
    package let sizeBytes: UInt64
    package let chunks: [LocatedChunk]
    /// Where each chunk begins in the file.
    private let starts: [UInt64]

    /// - Throws: `.malformed` where the sizes do not add up, or a chunk is empty or larger than any that is
    ///   written.
    package init(hash: ContentHash, sizeBytes: UInt64, chunks: [LocatedChunk]) throws(ContentError) {
        var end: UInt64 = 0
        var starts: [UInt64] = []
        for chunk in chunks {
            guard (1...UInt32(Self.chunkLimitBytes)).contains(chunk.sizeBytes), !chunk.locators.isEmpty else {
                throw .malformed("a chunk of \(chunk.sizeBytes) bytes, at \(chunk.locators.count) places")
            }
            starts.append(end)
            end += UInt64(chunk.sizeBytes)
        }
        guard end == sizeBytes else { throw .malformed("chunks of \(end) bytes for \(sizeBytes)") }
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.chunks = chunks
        self.starts = starts
    }

    /// A content as an operation or the tree has it.
    /// - Parameter locators: where the tree knows a chunk to lie; empty: where the content says.
    package init(
        _ content: FileContent, locators: (ContentHash) -> [Locator] = { _ in [] }
    ) throws(ContentError) {
        let chunks = content.chunks.map { chunk in
            let known = locators(chunk.hash)
            let places = known.contains(chunk.locator) ? known : known + [chunk.locator]
            return LocatedChunk(hash: chunk.hash, sizeBytes: chunk.sizeBytes, locators: places)
        }
        try self.init(hash: content.hash, sizeBytes: content.sizeBytes, chunks: chunks)
    }

    /// The chunks that have bytes of a range of the file, and where each begins in it.
    func chunks(in range: Range<UInt64>) -> [(start: UInt64, chunk: LocatedChunk)] {
        guard !range.isEmpty else { return [] }
        // The last chunk that begins at or before the range, by halving.
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        var found: [(start: UInt64, chunk: LocatedChunk)] = []
        for index in max(0, low - 1)..<starts.count where starts[index] < range.upperBound {
            found.append((starts[index], chunks[index]))
        }
        return found
    }
}

extension TreeStorage {
    /// Where a chunk lies: the log's last word first, then earlier locators, the newest first.
    package func locators(of hash: ContentHash) throws -> [Locator] {
        try chunk(hash).map(LocatedChunk.init)?.locators ?? []
    }
}
