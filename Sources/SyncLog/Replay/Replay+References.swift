internal import StoreBasics

/// Who refers to a chunk, and where it lies. The counts follow the contents; nothing else changes them.
extension Replay {
    func addReferences(of node: Node, over old: Node?) throws {
        for version in node.contents where !(old?.hasReferences(of: version) ?? false) {
            try addReferences(of: version, retainedSince: version.withdrawn)
        }
    }

    /// Drops what a row referred to and its successor does not.
    func dropReferences(of old: Node?, for node: Node?) throws {
        guard let old else { return }
        for version in old.contents where !(node?.hasReferences(of: version) ?? false) {
            try dropReferences(of: version, areRetained: version.withdrawn != nil)
        }
    }

    /// - Parameter retainedSince: nil for a content that is not being let go.
    func addReferences(of version: Version, retainedSince: StoreTime?) throws {
        for chunk in version.content.chunks {
            var record =
                try storage.chunk(chunk.hash)
                ?? ChunkRecord(
                    hash: chunk.hash, sizeBytes: chunk.sizeBytes, locator: chunk.locator, since: now)
            if retainedSince == nil, record.wasNearlyGone(at: now) { record.since = now }
            record.count(retainedSince: retainedSince)
            try storage.setChunk(record)
        }
    }

    func dropReferences(of version: Version, areRetained: Bool) throws {
        for chunk in version.content.chunks {
            guard var record = try storage.chunk(chunk.hash) else { continue }
            if areRetained { record.retainedCount &-= 1 } else { record.liveCount &-= 1 }
            if record.liveCount == 0, record.retainedCount == 0 {
                if version.withdrawn != nil { try doom(record, end: now) }
                try storage.removeChunk(chunk.hash)
            } else {
                try storage.setChunk(record)
            }
        }
    }

    /// Its bytes are not to lie in the store any more from then on.
    func doom(_ record: ChunkRecord, end: StoreTime) throws {
        for case .pack(let pack, _) in [record.locator] + record.replaced.map(\.locator) {
            try storage.addDoomedPack(DoomedPack(pack: pack, end: end))
        }
    }

    /// An operation says where its chunks lie: the last one in log order is believed.
    func noteLocators(of version: Version) throws {
        for chunk in version.content.chunks { try noteLocator(chunk.locator, of: chunk.hash) }
    }

    func relocate(_ relocations: [Relocation]) throws {
        for relocation in relocations { try noteLocator(relocation.locator, of: relocation.chunk) }
    }

    /// Does nothing for a chunk that the tree does not refer to.
    private func noteLocator(_ locator: Locator, of hash: ContentHash) throws {
        guard var record = try storage.chunk(hash), record.locator != locator else { return }
        record.replaced.removeAll {
            $0.locator == locator || now.seconds(since: $0.time) > Retention.historySeconds
        }
        record.replaced.append(ReplacedLocator(locator: record.locator, time: now))
        if record.replaced.count > ChunkRecord.replacedLimit { record.replaced.removeFirst() }
        record.locator = locator
        record.since = now
        try storage.setChunk(record)
    }
}

extension Node {
    /// Whether this row's references already count that content, in the same way.
    fileprivate func hasReferences(of version: Version) -> Bool {
        contents.contains {
            $0.position == version.position && ($0.withdrawn == nil) == (version.withdrawn == nil)
        }
    }
}

extension ChunkRecord {
    /// Counts one more reference: of a content that is being let go since a time, or of one that is not.
    mutating func count(retainedSince since: StoreTime?) {
        guard let since else {
            liveCount &+= 1
            return
        }
        retainedSince = retainedCount == 0 ? since : max(retainedSince, since)
        retainedCount &+= 1
    }

    /// History alone held it, with so little time left that the collector may have taken it meanwhile: who
    /// refers to it now begins anew.
    fileprivate func wasNearlyGone(at now: StoreTime) -> Bool {
        guard liveCount == 0, retainedCount > 0 else { return false }
        let left = Retention.historySeconds - now.seconds(since: retainedSince)
        return left <= Retention.collectionGraceSeconds
    }
}

extension Content {
    /// A file's chunks in order; none for everything else.
    package var chunks: [Chunk] {
        switch self {
        case .file(let file): file.chunks
        case .directory, .symlink: []
        }
    }
}
