internal import CloudStore
package import SyncLog

/// A pack of which so little is needed that the rest is moved to another, so that it can go.
package struct SparsePack: Equatable, Sendable {
    let parts: [LiveSet.Part]
    var liveBytes: UInt64 { parts.reduce(0) { $0 + UInt64($1.chunk.sizeBytes) } }
    /// Whose trees refer to it: all of them are to hear of the move, or it would free nothing.
    package var containers: Set<ContainerName> {
        parts.reduce(into: []) { $0.formUnion($1.containers) }
    }

    /// Packs of which more than half is dead; and those of which anything is, where a person took something
    /// out of the cloud: no byte of that may stay longer than its retention.
    static func all(in live: LiveSet, _ listing: [Listed]) -> [SparsePack] {
        listing.compactMap { object in
            guard case .pack(let id) = object.name, let pack = live.packs[id], !live.heldPacks.contains(id)
            else { return nil }
            let isSparse = pack.liveBytes < object.info.sizeBytes / 2
            let mustGo = live.doomedPacks.contains(id) && pack.liveBytes < object.info.sizeBytes
            guard isSparse || mustGo else { return nil }
            return SparsePack(parts: pack.parts.sorted { $0.key < $1.key }.map(\.value))
        }
    }
}

extension LiveSet {
    /// Forgets doomed packs that are gone, or of which all is needed: other documents have those bytes too.
    func forgetDoomed(_ listing: [Listed]) throws(CollectionError) {
        var rest = doomedPacks
        for object in listing {
            guard case .pack(let id) = object.name, rest.contains(id) else { continue }
            if packs[id]?.liveBytes ?? 0 < object.info.sizeBytes { rest.remove(id) }
        }
        guard !rest.isEmpty else { return }
        do {
            for notes in notes {
                try notes.writeTree { tree in
                    let time = try tree.treeHead().time
                    for pack in rest { try tree.removeDoomedPack(pack, endedBy: time) }
                }
            }
        } catch { throw .unreadable("notes", "\(error)") }
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
            let group = rest.prefix(upToBytes: ContentWriter.packBytes) { Int($0.liveBytes) }
            let taken = group.isEmpty ? rest.prefix(1) : group
            rest = rest.dropFirst(taken.count)
            try await move(taken.flatMap(\.parts), &repacked)
        }
        return repacked
    }

    private func move(_ parts: [LiveSet.Part], _ repacked: inout Repacked) async throws(CollectionError) {
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
