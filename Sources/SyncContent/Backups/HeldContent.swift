internal import CloudStore
package import StoreBasics
package import SyncLog

/// A chunk that a backup snapshot refers to.
package struct HeldChunk: Equatable, Sendable {
    package var chunk: Chunk
    /// Since when an unbroken chain of the device's snapshots has had it at this place.
    package var since: StoreTime

    package init(chunk: Chunk, since: StoreTime) {
        self.chunk = chunk
        self.since = since
    }
}

/// Bytes that a backup snapshot refers to: a file's, or its list of a domain's items.
package struct HeldContent: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt64
    package var chunks: [HeldChunk]

    func encode(to writer: inout CBORWriter) {
        writer.array(3)
        writer.hash(hash)
        writer.unsigned(sizeBytes)
        writer.list(chunks) { writer, held in
            writer.array(2)
            held.chunk.encode(to: &writer)
            writer.unsigned(UInt64(clamping: held.since.seconds))
        }
    }
}

extension HeldContent {
    /// - Parameter chunkBytes: of the largest chunk.
    init(from reader: inout CBORReader, chunkBytes: Int) throws(CodingError) {
        try reader.array(of: 3)
        let hash = try reader.hash()
        let size = try reader.unsigned()
        var chunks: [HeldChunk] = []
        var sum: UInt64 = 0
        for _ in 0..<(try reader.array()) {
            try reader.array(of: 2)
            let chunk = try Chunk(from: &reader)
            guard chunk.sizeBytes <= chunkBytes else { throw .tooLarge }
            // No overflow: there are fewer chunks than bytes of this record.
            sum += UInt64(chunk.sizeBytes)
            chunks.append(HeldChunk(chunk: chunk, since: try reader.time()))
        }
        guard sum == size else { throw .invalid("chunks that do not add up to their file") }
        self.init(hash: hash, sizeBytes: size, chunks: chunks)
    }
}
