internal import CloudStore
internal import SyncLog

/// Brings files' bytes from the store. Every chunk is compared with its hash before anybody sees it.
package struct ContentReader: Sendable {
    let account: Account
    let limit: RateLimit?
    let meter: TransferMeter?
    let cache = ChunkCache()

    /// - Parameters:
    ///   - limit: of what is got, in common for all readers of the device.
    ///   - meter: told what was got.
    package init(_ account: Account, limit: RateLimit? = nil, meter: TransferMeter? = nil) {
        self.meter = meter
        self.account = account
        self.limit = limit
    }

    var parallelism: Parallelism { Parallelism(requests: account.store.traits.parallelRequests) }

    /// A file's bytes from first to last, handed on in runs of at most 4 MiB; the whole is checked too.
    /// - Throws: `.wrongFile` at the end, when all was handed on: whoever took it drops it.
    package func download(
        _ content: LocatedContent, _ body: ([UInt8]) async throws(ContentError) -> Void
    ) async throws(ContentError) {
        var whole = ContentHasher()
        var rest = content.chunks[...]
        while !rest.isEmpty {
            let window = rest.prefix(upToBytes: Parallelism.budgetBytes, \.length)
            rest = rest.dropFirst(window.count)
            let runs = try await bytes(of: Array(window))
            for run in runs {
                whole.update(run[...])
                try await body(run)
            }
        }
        guard whole.hash == content.hash else { throw .wrongFile(content.hash) }
    }

    /// Bytes of a file from `offset` on: fewer than `count` where it ends before. Gets only the chunks that
    /// have them, and keeps some for the next call.
    package func read(
        _ content: LocatedContent, at offset: UInt64, count: Int
    ) async throws(ContentError) -> [UInt8] {
        let sum = offset.addingReportingOverflow(UInt64(clamping: count))
        let end = min(content.sizeBytes, sum.overflow ? .max : sum.partialValue)
        guard offset < end else { return [] }
        var bytes: [UInt8] = []
        for (start, chunk) in content.chunks(in: offset..<end) {
            let run = try await cached(chunk)
            let first = Int(max(offset, start) - start)
            let last = Int(min(end, start + UInt64(run.count)) - start)
            bytes += run[first..<last]
        }
        return bytes
    }

    /// A chunk's bytes, from the first of its places that has them.
    /// - Throws: `.unavailable` where none has anything, `.wrongBytes` where one has something else.
    package func bytes(of chunk: LocatedChunk) async throws(ContentError) -> [UInt8] {
        var isWrong = false
        for locator in chunk.locators {
            guard let found = try await get(chunk, at: locator) else { continue }
            meter?.add(found.count)
            if found.count == Int(chunk.sizeBytes), ContentHash(of: found) == chunk.hash { return found }
            isWrong = true
        }
        throw isWrong ? .wrongBytes(chunk.hash) : .unavailable(chunk.hash)
    }

    /// - Returns: what lies there, unchecked; nil where nothing does.
    private func get(_ chunk: LocatedChunk, at locator: Locator) async throws(ContentError) -> [UInt8]? {
        try await limit?.take(Int(chunk.sizeBytes))
        let key = account.layout.object(of: chunk.hash, at: locator)
        let range = locator.packOffset.map { UInt64($0)..<UInt64($0) + UInt64(chunk.sizeBytes) }
        do { return try await account.store.get(key, range: range).value?.bytes } catch {
            // A range past the object's end: the pack is cut short, so these are wrong bytes.
            if case .invalidAnswer = error { return [] }
            throw .store(error)
        }
    }

    private func cached(_ chunk: LocatedChunk) async throws(ContentError) -> [UInt8] {
        if let bytes = cache[chunk.hash] { return bytes }
        let bytes = try await bytes(of: chunk)
        cache.insert(bytes, for: chunk.hash)
        return bytes
    }
}
