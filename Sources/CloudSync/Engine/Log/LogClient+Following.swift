internal import SyncLog

/// What is too much for one batch is in the journal as batches of the next numbers: the first is in flight,
/// the others follow.
extension LogClient {
    /// An earlier build froze batches that were larger than any reader takes. They never reached the log, so
    /// they are cut.
    func cutOversizedBatch() throws(SyncFailure) {
        let isOversized = try storage.reading { try $0.frozenBatch()?.isOversized ?? false }
        guard isOversized else { return }
        try storage.writing { transaction in
            guard let frozen = try transaction.frozenBatch(), var journal = try transaction.journal() else {
                return
            }
            let parts = frozen.batch.parts(surroundings.settings.batchLimits)
            try transaction.replaceRevisions(parts.replacements)
            try transaction.setInFlight(parts.batches)
            journal.nextBatch = max(journal.nextBatch, frozen.batch.n + UInt64(parts.batches.count))
            try transaction.setJournal(journal)
        }
    }
}

extension JournalStorage {
    /// The batch in flight and those that follow it.
    func batchesInFlight() throws -> [Batch] {
        try ([frozenBatch()].compactMap(\.self) + followingBatches()).map(\.batch)
    }

    func setInFlight(_ batches: [Batch]) throws {
        for old in try followingBatches() { try removeFollowingBatch(old.batch.n) }
        try setFrozenBatch(batches.first.map(EncodedBatch.init))
        for batch in batches.dropFirst() { try addFollowingBatch(EncodedBatch(batch)) }
    }

    /// The batch in flight is in the log: the next one is in flight from now on.
    func advance() throws {
        let next = try followingBatch()
        if let next { try removeFollowingBatch(next.batch.n) }
        try setFrozenBatch(next)
    }
}

extension Batch {
    /// The batch as several, of its number and the next ones, and what became of the revisions that it made.
    func parts(_ limits: BatchLimits) -> (batches: [Batch], replacements: [Revision: Revision]) {
        var batches = [Batch(device: device, n: n, operations: [])]
        var replacements: [Revision: Revision] = [:]
        var bytes = 0
        // Away from their places, under names that nobody is to be shown.
        var parked: Set<FileID> = []
        for (index, operation) in operations.enumerated() {
            for piece in operation.pieces(limits) {
                let added = EncodedBatch.bytes(of: piece)
                let count = batches[batches.count - 1].operations.count
                let isFull = count >= limits.operations || bytes + added > limits.bytes
                if isFull, count > 0, parked.isEmpty {
                    batches.append(Batch(device: device, n: n + UInt64(batches.count), operations: []))
                    bytes = 0
                }
                let last = batches.count - 1
                let place = batches[last].operations.count
                replacements[revision(of: index)] = batches[last].revision(of: place)
                batches[last].operations.append(piece.replacing(replacements))
                bytes += added
                guard case .move(let file, _, let name) = piece else { continue }
                parked.remove(file)
                if name == Draft.parkingName(of: file) { parked.insert(file) }
            }
        }
        return (batches, replacements)
    }
}

extension Operation {
    /// All moves of a container's chunks came in one operation.
    fileprivate func pieces(_ limits: BatchLimits) -> [Operation] {
        guard case .relocate(let moves) = self else { return [self] }
        let most = max(1, limits.bytes / 2 / Chunk.encodedBytes)
        return stride(from: 0, to: max(1, moves.count), by: most).map { start in
            .relocate(Array(moves[start..<min(moves.count, start + most)]))
        }
    }
}
