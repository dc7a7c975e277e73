internal import SyncLog

/// Cuts bytes that come in runs as `ContentCutter` does, and hands each piece on with its bytes, so that a
/// file is read once only.
struct PieceCutter {
    private var chunker: Chunker
    private var whole = ContentHasher()
    private var piece: [UInt8] = []
    private var content = CutContent(hash: ContentHash(of: []), sizeBytes: 0, pieces: [])

    init(_ parameters: ChunkingParameters) {
        chunker = Chunker(parameters)
    }

    mutating func append(
        _ run: [UInt8], _ finished: (CutContent.Piece, [UInt8]) throws -> Void
    ) rethrows {
        whole.update(run[...])
        content.sizeBytes += UInt64(run.count)
        var rest = run[...]
        while let end = chunker.end(in: rest) {
            piece += rest.prefix(end)
            rest = rest.dropFirst(end)
            try finishPiece(finished)
        }
        piece += rest
    }

    /// What came; then the next may begin.
    mutating func finish(_ finished: (CutContent.Piece, [UInt8]) throws -> Void) rethrows -> CutContent {
        if !piece.isEmpty { try finishPiece(finished) }
        content.hash = whole.hash
        defer { reset() }
        return content
    }

    /// Forgets what came.
    mutating func reset() {
        chunker.restart()
        (whole, piece) = (ContentHasher(), [])
        content = CutContent(hash: content.hash, sizeBytes: 0, pieces: [])
    }

    private mutating func finishPiece(
        _ finished: (CutContent.Piece, [UInt8]) throws -> Void
    ) rethrows {
        let done = CutContent.Piece(hash: ContentHash(of: piece), sizeBytes: UInt32(piece.count))
        content.pieces.append(done)
        let bytes = piece
        piece = []
        try finished(done, bytes)
    }
}
