package import SyncLog

/// A file's bytes, cut and hashed; it is not yet known where they will lie.
package struct CutContent: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt64
    package var pieces: [Piece]

    /// A run of the file's bytes that is stored as one.
    package struct Piece: Hashable, Sendable {
        package var hash: ContentHash
        package var sizeBytes: UInt32
    }
}

extension CutContent {
    /// As the log has it.
    package init(_ content: FileContent) {
        self.init(
            hash: content.hash, sizeBytes: content.sizeBytes,
            pieces: content.chunks.map { Piece(hash: $0.hash, sizeBytes: $0.sizeBytes) })
    }

    /// A file of one piece.
    package init(_ piece: Piece) {
        self.init(hash: piece.hash, sizeBytes: UInt64(piece.sizeBytes), pieces: [piece])
    }
}

/// Cuts and hashes a file whose bytes come in runs. Holds none of them.
package struct ContentCutter {
    private var chunker: Chunker
    private var whole = ContentHasher()
    private var piece = ContentHasher()
    private var pieceBytes: UInt32 = 0
    private var sizeBytes: UInt64 = 0
    private var pieces: [CutContent.Piece] = []

    package init(_ parameters: ChunkingParameters) {
        chunker = Chunker(parameters)
    }

    package mutating func append(_ run: [UInt8]) {
        whole.update(run[...])
        sizeBytes += UInt64(run.count)
        var rest = run[...]
        while let end = chunker.end(in: rest) {
            take(rest.prefix(end))
            finishPiece()
            rest = rest.dropFirst(end)
        }
        take(rest)
    }

    /// The file that came; then the next one may begin.
    package mutating func finish() -> CutContent {
        if pieceBytes > 0 { finishPiece() }
        chunker.restart()
        defer { (whole, sizeBytes, pieces) = (ContentHasher(), 0, []) }
        return CutContent(hash: whole.hash, sizeBytes: sizeBytes, pieces: pieces)
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        piece.update(bytes)
        pieceBytes += UInt32(bytes.count)
    }

    private mutating func finishPiece() {
        pieces.append(CutContent.Piece(hash: piece.hash, sizeBytes: pieceBytes))
        (piece, pieceBytes) = (ContentHasher(), 0)
    }
}
