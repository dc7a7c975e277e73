internal import SyncLog

/// Pieces that are to be sent together.
struct PieceQueue {
    private(set) var pieces: [CloudBackupBatch.Piece] = []
    private(set) var bytes = 0
    /// Whether some are of files: no list can have these before they are sent.
    private(set) var hasFiles = false
    private var hashes: Set<ContentHash> = []

    func contains(_ hash: ContentHash) -> Bool { hashes.contains(hash) }

    mutating func append(_ piece: CutContent.Piece, _ run: [UInt8]) {
        pieces.append(.init(piece: piece, bytes: run))
        hashes.insert(piece.hash)
        bytes += run.count
    }

    /// An item of a file waits for these.
    mutating func keepFiles() { hasFiles = true }
}
