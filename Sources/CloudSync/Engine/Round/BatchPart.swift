internal import SyncContent
internal import SyncLog

/// What of a plan goes into the next batch: as many drafts from the front as it may hold. Drafts that are
/// joined stay together, also where they are too many.
struct BatchPart {
    let drafts: ArraySlice<Draft>
    let rest: ArraySlice<Draft>

    init(_ drafts: [Draft], limits: BatchLimits, chunking: ChunkingParameters) {
        var (end, bytes) = (0, 0)
        while end < drafts.count {
            let next = drafts[(end + 1)...].firstIndex { !$0.isJoined } ?? drafts.endIndex
            let added = drafts[end..<next].map { $0.operationBytes(chunking) }.reduce(0, +)
            let fits = next <= limits.operations && bytes + added <= limits.bytes
            guard end == 0 || fits else { break }
            (end, bytes) = (next, bytes + added)
        }
        self.drafts = drafts[..<end]
        rest = drafts[end...]
    }
}

extension Draft {
    /// Of kind, ids, sizes, times and a place.
    private static let plainBytes = 192
    private static let revisionBytes = 40
    private static let attributeBytes = 24

    /// What its operation takes in the log at most.
    func operationBytes(_ chunking: ChunkingParameters) -> Int {
        var bytes = Self.plainBytes + name.utf8.count
        switch kind {
        case .delete(_, let contents), .withdraw(let contents): bytes += contents.count * Self.revisionBytes
        case .create, .edit, .move, .park, .setAttributes, .refresh, .forget: break
        }
        if case .symlink(let target) = source { bytes += target.count }
        if needsBytes {
            bytes += Int(clamping: sizeBytes / UInt64(chunking.minimumBytes) + 1) * Chunk.encodedBytes
        }
        for attribute in attributes.extended {
            bytes += attribute.name.utf8.count + attribute.value.count + Self.attributeBytes
        }
        return bytes
    }
}
