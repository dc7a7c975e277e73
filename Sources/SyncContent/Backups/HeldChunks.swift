internal import SyncLog

/// The chunks that a new snapshot refers to: which of them the store has already, and where they lie. It asks
/// the store nothing.
struct HeldChunks {
    let account: Account
    let start: CloudBackupStart
    let index: any CloudBackupIndex
    let rules: SafetyRules

    private var retention: AccountRetention { account.format.retention }

    /// Whether all chunks of a content may be relied on where it says; then the snapshot holds them.
    func hold(_ content: HeldContent) throws(CloudBackupError) -> Bool {
        var rows: [IndexedChunk?] = []
        for held in content.chunks {
            let row = try CloudBackupError.storing { try index.row(held.chunk.hash) }
            guard try isPresent(held, row) else { return false }
            rows.append(row)
        }
        try CloudBackupError.storing {
            for (held, row) in zip(content.chunks, rows) { try set(held, row) }
        }
        return true
    }

    /// Whether a piece may be relied on where something else has it; then the snapshot holds it there.
    func hold(_ piece: CutContent.Piece) throws -> Bool {
        let row = try index.row(piece.hash)
        if let row, try isPresent(row.chunk, row) {
            try set(row.chunk, row)
            return true
        }
        guard let (chunk, known) = try known(piece.hash), relies(on: chunk, known) else { return false }
        try set(HeldChunk(chunk: chunk, since: start.moment.date), row)
        return true
    }

    /// Holds what was sent just now.
    func accept(_ sent: CloudBackupBatch.Sent) throws {
        for chunk in sent.chunks {
            try set(HeldChunk(chunk: chunk, since: start.moment.date), index.row(chunk.hash))
        }
    }

    private func set(_ held: HeldChunk, _ row: IndexedChunk?) throws {
        let marks = row?.marks ?? []
        try index.set(.init(chunk: held, marks: marks.union([.held, .present])))
    }

    /// What a document's content refers to, as the snapshot before has it where it does.
    func referred(_ content: FileContent) throws -> HeldContent {
        let chunks = try content.chunks.map { chunk in
            if let row = try index.row(chunk.hash), row.chunk.chunk == chunk { return row.chunk }
            return HeldChunk(chunk: chunk, since: start.moment.date)
        }
        return HeldContent(hash: content.hash, sizeBytes: content.sizeBytes, chunks: chunks)
    }

    /// Where the pieces of a content lie, each of which was found or sent.
    func located(_ cut: CutContent) throws -> HeldContent {
        let chunks = try cut.pieces.map { piece in
            guard let row = try index.row(piece.hash), row.marks.contains(.present) else {
                throw CloudBackupError.storage("a chunk that was sent is not known")
            }
            return row.chunk
        }
        return HeldContent(hash: cut.hash, sizeBytes: cut.sizeBytes, chunks: chunks)
    }

    // MARK: Presence

    private func isPresent(
        _ held: HeldChunk, _ row: IndexedChunk?
    ) throws(CloudBackupError) -> Bool {
        if let row, row.marks.contains(.present) { return row.chunk == held }
        if let row, row.chunk == held {
            let known = KnownChunk(locator: held.chunk.locator, referencedSince: held.since)
            if relies(on: held.chunk, known) { return true }
        }
        guard let (chunk, known) = try known(held.chunk.hash), chunk.locator == held.chunk.locator
        else { return false }
        return relies(on: chunk, known)
    }

    private func relies(on chunk: Chunk, _ known: KnownChunk) -> Bool {
        start.isPresent(chunk, known, account.layout, retention, rules)
    }

    private func known(_ hash: ContentHash) throws(CloudBackupError) -> (Chunk, KnownChunk)? {
        try CloudBackupError.storing { try start.known(hash, retention) }
    }

    // MARK: The quota

    /// Bytes of the chunks that no document of an app here refers to.
    func ownBytes() throws -> UInt64 {
        var sum: UInt64 = 0
        var last: ContentHash?
        while case let rows = try index.held(after: last, limit: 1_000), !rows.isEmpty {
            let chunks = rows.map(\.chunk.chunk)
            let areDocuments = try start.areDocuments(chunks.map(\.hash))
            for (chunk, isDocument) in zip(chunks, areDocuments) where !isDocument {
                sum &+= UInt64(chunk.sizeBytes)
            }
            last = chunks.last?.hash
        }
        return sum
    }

    /// Bytes of the chunks that the snapshot before has and the new one does not.
    func droppedBytes() throws -> UInt64 { start.base == nil ? 0 : try index.droppedBytes() }
}
