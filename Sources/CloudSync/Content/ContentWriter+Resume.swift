extension ContentWriter {
    /// The plan of a journaled batch after a crash, by the locators that it has: what the tree has at the
    /// same place is looked at, the rest is ours to send, where it was not sent yet.
    public func resume(
        _ files: [FileContent], known: [ContentHash: KnownChunk]
    ) async throws(ContentError) -> ContentPlan {
        var own: [StoredName: [PlannedPart]] = [:]
        var order: [StoredName] = []
        var relied: [Chunk] = []
        var seen: Set<ContentHash> = []
        for (index, file) in files.enumerated() {
            var offset: UInt64 = 0
            for chunk in file.chunks {
                defer { offset += UInt64(chunk.sizeBytes) }
                guard seen.insert(chunk.hash).inserted else { continue }
                if known[chunk.hash]?.locator == chunk.locator {
                    relied.append(chunk)
                    continue
                }
                let name = account.layout.name(of: chunk.hash, at: chunk.locator)
                if own[name] == nil { order.append(name) }
                own[name, default: []].append(
                    PlannedPart(
                        hash: chunk.hash, sizeBytes: chunk.sizeBytes, locator: chunk.locator, file: index,
                        offset: offset))
            }
        }
        let found = try await check(relied, known: known)
        let uploads = order.map { name in
            PlannedObject(name: name, parts: own[name, default: []].inPackOrder, mayExist: true)
        }
        for upload in uploads where !upload.isWhole { throw .malformed("a journaled pack with a gap") }
        return ContentPlan(contents: files, uploads: uploads, checks: found.checks, stale: found.stale)
    }
}

extension [PlannedPart] {
    fileprivate var inPackOrder: [PlannedPart] {
        sorted { ($0.locator.packOffset ?? 0) < ($1.locator.packOffset ?? 0) }
    }
}

extension PlannedObject {
    /// Whether the parts make the object from its first byte, without gaps.
    fileprivate var isWhole: Bool {
        var end: UInt32 = 0
        for part in parts {
            guard part.locator.packOffset ?? 0 == end else { return false }
            let next = end.addingReportingOverflow(part.sizeBytes)
            guard !next.overflow else { return false }
            end = next.partialValue
        }
        return true
    }
}

extension Locator {
    /// Nil for an object of its own.
    var packOffset: UInt32? {
        if case .pack(_, let offset) = self { offset } else { nil }
    }
}
