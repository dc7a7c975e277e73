package import StoreBasics

/// The end of a retention that a person asks for.
extension Replay {
    /// What is named expires `collectionGraceSeconds` from now, as if it had been let go that much earlier:
    /// who still relies on its bytes does so by the rules for history that is about to end.
    ///
    /// A chunk has one clock for all history that refers to it, the latest. So a content goes only where
    /// nothing else in history refers to its chunks, but what goes with it.
    func endHistory(_ ended: [EndedHistory]) throws {
        try meet(LogFeature.word(LogFeature.endedHistory))
        let since = Self.sinceOfEnded(at: now)
        let contents = try contentsAlone(among: named(by: ended))
        for hash in Set(contents.flatMap(\.version.content.chunks).map(\.hash)) {
            guard var record = try storage.chunk(hash) else { continue }
            record.retainedSince = min(record.retainedSince, since)
            try storage.setChunk(record)
            try doom(record, end: since.adding(seconds: Retention.historySeconds))
        }
        for var content in contents where since < content.since {
            try storage.removeExpiry(content.expiry)
            content.since = since
            try storage.setRetained(content)
            try storage.addExpiry(content.expiry)
        }
    }

    /// When history would have been let go that expires `collectionGraceSeconds` after `now`.
    package static func sinceOfEnded(at now: StoreTime) -> StoreTime {
        now.adding(seconds: Retention.collectionGraceSeconds - Retention.historySeconds)
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

    /// Those whose chunks no other history refers to. One that stays keeps with it all that share its chunks.
    private func contentsAlone(among all: [RetainedContent]) throws -> [RetainedContent] {
        var holders: [ContentHash: [Int]] = [:]
        for (index, content) in all.enumerated() {
            for chunk in content.version.content.chunks { holders[chunk.hash, default: []].append(index) }
        }
        var kept = try holders.filter { try storage.chunk($0)?.retainedCount != UInt32($1.count) }.map(\.key)
        var seen = Set(kept)
        var isAlone = [Bool](repeating: true, count: all.count)
        while let hash = kept.popLast() {
            for index in holders[hash, default: []] where isAlone[index] {
                isAlone[index] = false
                kept += all[index].version.content.chunks.map(\.hash).filter { seen.insert($0).inserted }
            }
        }
        return zip(all, isAlone).filter(\.1).map(\.0)
    }
}
