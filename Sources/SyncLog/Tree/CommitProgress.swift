internal import StoreBasics

/// How far the commit after the tree's head was applied, where that is done in parts.
package struct CommitProgress: Equatable, Sendable {
    package var entryHash: ContentHash
    /// So many of its operations.
    package var applied: Int
    /// A bit for each of them, the lowest first: `Replay.brought`.
    package var brought: [UInt8]

    package init(entryHash: ContentHash, applied: Int, brought: [UInt8]) {
        self.entryHash = entryHash
        self.applied = applied
        self.brought = brought
    }
}

extension CommitProgress {
    init(_ part: CommitPart, _ entryHash: ContentHash, brought: Set<Revision>) {
        let applied = part.first + part.commit.batch.operations.count
        var bits = [UInt8](repeating: 0, count: (applied + 7) / 8)
        for revision in brought { bits[Int(revision.index / 8)] |= 1 << UInt8(revision.index % 8) }
        self.init(entryHash: entryHash, applied: applied, brought: bits)
    }

    /// `Replay.brought` of what was applied of a batch.
    func revisions(of batch: Batch) -> Set<Revision> {
        let indices = (0..<brought.count * 8).filter { brought[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
        return Set(indices.map(batch.revision))
    }
}
