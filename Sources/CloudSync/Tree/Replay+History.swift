internal import CloudStore

/// The end of a retention that a person asks for.
extension Replay {
    /// What is named expires `collectionGraceSeconds` from now, as if it had been let go that much earlier:
    /// who still relies on its bytes does so by the rules for history that is about to end.
    ///
    /// A chunk has one clock for all history that refers to it, the latest. So a content goes only where
    /// nothing else in history refers to its chunks, but what goes with it.
    func endHistory(_ ended: [EndedHistory]) throws {
        let since = now.adding(seconds: Retention.collectionGraceSeconds - Retention.historySeconds)
        let contents = try contentsAlone(among: named(by: ended))
        for hash in Set(contents.flatMap(\.version.content.chunks).map(\.hash)) {
            guard var record = try storage.chunk(hash) else { continue }
            record.retainedSince = min(record.retainedSince, since)
            try storage.setChunk(record)
        }
        for var content in contents where since < content.since {
            try storage.removeExpiry(content.expiry)
            content.since = since
            try storage.setRetained(content)
            try storage.addExpiry(content.expiry)
        }
    }

    private func named(by ended: [EndedHistory]) throws -> [RetainedContent] {
        var found: [RetainedContent.Key: RetainedContent] = [:]
        for item in ended {
            let names = Set(item.contents)
            for content in try storage.history(of: storage.resolve(item.file))
            where isNamed(content.version, by: names) {
                found[content.key] = content
            }
        }
        return Array(found.values)
    }

    /// Those whose chunks no other history refers to. To leave one out can leave others not alone.
    private func contentsAlone(among all: [RetainedContent]) throws -> [RetainedContent] {
        var left = all
        while true {
            var counts: [ContentHash: UInt32] = [:]
            for chunk in left.flatMap(\.version.content.chunks) { counts[chunk.hash, default: 0] += 1 }
            let alone = try left.filter { content in
                try content.version.content.chunks.allSatisfy { chunk in
                    try storage.chunk(chunk.hash)?.retainedCount == counts[chunk.hash]
                }
            }
            if alone.count == left.count { return alone }
            left = alone
        }
    }
}
