internal import CloudStore
package import SyncLog

/// A pack of which so little is needed that the rest is moved to another, so that it can go.
package struct SparsePack: Equatable, Sendable {
    struct Part: Equatable, Sendable {
        var chunk: Chunk
        /// Whose trees refer to it.
        var containers: Set<ContainerName>

        /// As a file of one piece.
        var content: CutContent {
            CutContent(CutContent.Piece(hash: chunk.hash, sizeBytes: chunk.sizeBytes))
        }
    }

    /// What is needed of it, by offset.
    let parts: [Part]
    var liveBytes: UInt64 { parts.reduce(0) { $0 + UInt64($1.chunk.sizeBytes) } }
    /// Whose trees refer to it: all of them are to hear of the move, or it would free nothing.
    package var containers: Set<ContainerName> {
        parts.reduce(into: []) { $0.formUnion($1.containers) }
    }
}

extension LiveSet {
    /// So many chunks are moved for a part of the store at once: the next run goes on.
    private static let movedChunks = 100_000

    /// Packs of which more than half is dead; and those of which anything is, where a person took something
    /// out of the cloud: no byte of that may stay longer than its retention.
    func sparsePacks() throws(CollectionError) -> [SparsePack] {
        let sparse = packs.filter { isSparse($0.value) || mustGo($0.key, $0.value) }
        var chosen: Set<Bits128> = []
        var chunks = 0
        for (id, pack) in sparse.sorted(by: { $0.key.value < $1.key.value }) where chunks < Self.movedChunks {
            chosen.insert(id)
            chunks += pack.liveChunks
        }
        return try parts(of: chosen).sorted { $0.key.value < $1.key.value }.map { _, parts in
            SparsePack(parts: parts.sorted { $0.key < $1.key }.map(\.value))
        }
    }

    private func isSparse(_ pack: Pack) -> Bool {
        pack.liveChunks > 0 && !pack.isHeld && pack.liveBytes < pack.sizeBytes / 2
    }

    private func mustGo(_ id: Bits128, _ pack: Pack) -> Bool {
        pack.liveChunks > 0 && !pack.isHeld && doomedPacks.contains(id) && pack.liveBytes < pack.sizeBytes
    }

    /// What is needed of these packs, by their offsets.
    private func parts(
        of packs: Set<Bits128>
    ) throws(CollectionError) -> [Bits128: [UInt32: SparsePack.Part]] {
        var found: [Bits128: [UInt32: SparsePack.Part]] = [:]
        guard !packs.isEmpty else { return found }
        for tree in trees {
            try tree.forEachChunk { record in
                guard case .pack(let id, let offset) = record.locator, packs.contains(id) else { return }
                let chunk = Chunk(hash: record.hash, sizeBytes: record.sizeBytes, locator: record.locator)
                found[id, default: [:]][offset, default: SparsePack.Part(chunk: chunk, containers: [])]
                    .containers.insert(tree.container)
            }
        }
        return found
    }

    /// Forgets doomed packs that are gone, or of which all is needed: other documents have those bytes too.
    func forgetDoomed() throws(CollectionError) {
        let rest = doomedPacks.filter { id in packs[id].map { $0.liveBytes >= $0.sizeBytes } ?? true }
        guard !rest.isEmpty else { return }
        do {
            for tree in trees {
                try tree.storage.writeTree { notes in
                    let time = try notes.treeHead().time
                    for pack in rest { try notes.removeDoomedPack(pack, endedBy: time) }
                }
            }
        } catch { throw .unreadable("notes", "\(error)") }
    }
}

extension LiveSet.Tree {
    func forEachChunk(_ body: (ChunkRecord) -> Void) throws(CollectionError) {
        do {
            try frozen.readTree { try $0.forEachRow($0.chunks, after: \.hash, body) }
        } catch { throw .unreadable(container.hex, "\(error)") }
    }
}

/// Chunks that lie at a new place too, which the log does not know yet.
package struct Repacked: Equatable, Sendable {
    /// To be committed in each container's log.
    package var relocations: [ContainerName: [Relocation]] = [:]
    /// Holds the commits to the same time as any other. Where it does not hold any more the relocations are
    /// dropped, and come again with the next run.
    package var checks = PresenceChecks()
}

extension Collector {
    /// Sends what is needed of sparse packs in new ones. The old ones go when a later run finds nothing that
    /// needs them: their places stay the readers' fallback for `graceSeconds`.
    /// - Throws: `.content` where a part cannot be had: `AccountCheck` says more.
    package func repack(_ packs: [SparsePack]) async throws(CollectionError) -> Repacked {
        var repacked = Repacked()
        var rest = packs[...]
        while !rest.isEmpty {
            let group = rest.prefix(upToBytes: account.sizes.packBytes) { Int($0.liveBytes) }
            let taken = group.isEmpty ? rest.prefix(1) : group
            rest = rest.dropFirst(taken.count)
            try await move(taken.flatMap(\.parts), &repacked)
        }
        return repacked
    }

    private func move(_ parts: [SparsePack.Part], _ repacked: inout Repacked) async throws(CollectionError) {
        let reader = ContentReader(account, limit: writer.limit)
        let plan = writer.healing(parts.map(\.chunk.hash), of: parts.map(\.content))
        let chunks = parts.map { LocatedChunk($0.chunk) }
        let bytes = try await CollectionError.content(await reader.bytes(of: chunks))
        let sent = try await CollectionError.content(await writer.send(plan, from: BytesInMemory(bytes)))
        repacked.checks.merge(sent.checks)
        let containers = Dictionary(
            parts.map { ($0.chunk.hash, $0.containers) }, uniquingKeysWith: { $0.union($1) })
        for relocation in plan.relocations {
            for container in containers[relocation.chunk] ?? [] {
                repacked.relocations[container, default: []].append(relocation)
            }
        }
    }
}

/// Files that are in memory.
struct BytesInMemory: UploadSource {
    private let files: [[UInt8]]

    init(_ files: [[UInt8]]) {
        self.files = files
    }

    func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8] {
        guard files.indices.contains(file), range.upperBound <= UInt64(files[file].count) else {
            throw .changed
        }
        return Array(files[file][Int(range.lowerBound)..<Int(range.upperBound)])
    }

    func confirm(_ files: Set<Int>) async throws(ContentError) {}
}
