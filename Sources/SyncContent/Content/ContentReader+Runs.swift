internal import CloudStore
internal import SyncLog

extension ContentReader {
    /// Many chunks at once, in the order asked for: what lies side by side in a pack comes with one request.
    /// The caller bounds how much he asks for.
    /// - Throws: as `bytes(of:)`, for the first chunk that cannot be had.
    package func bytes(of chunks: [LocatedChunk]) async throws(ContentError) -> [[UInt8]] {
        let runs = PackRun.runs(of: chunks)
        let parts = try await parallelism.map(runs, bytes: \.length) {
            run async throws(ContentError) in try await bytes(of: run)
        }
        var ordered = [[UInt8]](repeating: [], count: chunks.count)
        for (run, parts) in zip(runs, parts) {
            for (index, part) in zip(run.indices, parts) { ordered[index] = part }
        }
        return ordered
    }

    /// The same, and keeps some for the next call, for who reads the same again soon.
    func kept(_ chunks: [LocatedChunk]) async throws(ContentError) -> [[UInt8]] {
        let known = chunks.map { cache[$0.hash] }
        let missing = zip(chunks, known).filter { $1 == nil }.map(\.0)
        var got = try await bytes(of: missing)[...]
        for (chunk, bytes) in zip(missing, got) { cache.insert(bytes, for: chunk.hash) }
        return known.map { $0 ?? got.popFirst() ?? [] }
    }

    private func bytes(of run: PackRun) async throws(ContentError) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        let together = run.chunks.count > 1 ? try await get(run) : nil
        for chunk in run.chunks {
            // Alone where the run did not come, or what came for this chunk is not it: perhaps it lies
            // elsewhere too.
            if let together, let part = run.part(chunk, of: together), ContentHash(of: part) == chunk.hash {
                parts.append(part)
            } else {
                parts.append(try await bytes(of: chunk))
            }
        }
        return parts
    }

    private func get(_ run: PackRun) async throws(ContentError) -> [UInt8]? {
        guard let first = run.chunks.first, let locator = first.locators.first else { return nil }
        try await limit?.take(run.length)
        let key = account.layout.object(of: first.hash, at: locator)
        do {
            let bytes = try await account.store.get(key, range: run.start..<run.end).value?.bytes
            meter?.add(bytes?.count ?? 0)
            return bytes
        } catch {
            if case .invalidAnswer = error { return nil }
            throw .store(error)
        }
    }
}

/// Chunks that lie near each other in one pack, or one chunk.
private struct PackRun: Sendable {
    /// What lies between two chunks and is not wanted may be got too: less than another request costs.
    private static let gapBytes: UInt64 = 64 << 10
    /// Of what is got by one request.
    private static let runBytes: UInt64 = 8 << 20

    private(set) var chunks: [LocatedChunk]
    /// Of each chunk in what was asked for.
    private(set) var indices: [Int]
    private(set) var start: UInt64
    private(set) var end: UInt64

    var length: Int { Int(end - start) }

    static func runs(of chunks: [LocatedChunk]) -> [PackRun] {
        let places = chunks.map { $0.locators.first?.place }
        let order = chunks.indices.sorted { left, right in
            guard let one = places[left], let other = places[right] else {
                return places[left] == nil && (places[right] != nil || left < right)
            }
            return (one.pack, one.offset) < (other.pack, other.offset)
        }
        var runs: [PackRun] = []
        var pack: Bits128?
        for index in order {
            let chunk = chunks[index]
            if let place = places[index], place.pack == pack, runs.last?.takes(place, chunk) ?? false {
                runs[runs.count - 1].append(chunk, index, at: place.offset)
            } else {
                runs.append(PackRun(chunk, index, at: places[index]?.offset ?? 0))
                pack = places[index]?.pack
            }
        }
        return runs
    }

    private init(_ chunk: LocatedChunk, _ index: Int, at offset: UInt64) {
        chunks = [chunk]
        indices = [index]
        start = offset
        end = offset + UInt64(chunk.sizeBytes)
    }

    private func takes(_ place: Locator.Place, _ chunk: LocatedChunk) -> Bool {
        place.offset <= end + Self.gapBytes
            && place.offset + UInt64(chunk.sizeBytes) - start <= Self.runBytes
    }

    private mutating func append(_ chunk: LocatedChunk, _ index: Int, at offset: UInt64) {
        chunks.append(chunk)
        indices.append(index)
        end = max(end, offset + UInt64(chunk.sizeBytes))
    }

    func part(_ chunk: LocatedChunk, of bytes: [UInt8]) -> [UInt8]? {
        guard let offset = chunk.locators.first?.place?.offset else { return nil }
        let first = Int(offset - start)
        let last = first + chunk.length
        return last <= bytes.count ? Array(bytes[first..<last]) : nil
    }
}

extension Locator {
    /// In its pack; nil for an object of its own.
    var packOffset: UInt32? {
        if case .pack(_, let offset) = self { offset } else { nil }
    }

    fileprivate struct Place {
        var pack: Bits128
        var offset: UInt64
    }

    /// Nil for an object of its own.
    fileprivate var place: Place? {
        if case .pack(let id, let offset) = self { Place(pack: id, offset: UInt64(offset)) } else { nil }
    }
}
