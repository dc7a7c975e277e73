internal import SyncContent
internal import SyncLog

/// Sending again what the store lost, from this disk (`cloud check --repair`).
extension ContainerSync {
    /// Bytes of chunks that lie here, in files that are as the tree has them.
    func localBytes(of wanted: Set<ContentHash>) -> [ContentHash: [UInt8]] {
        var found: [ContentHash: [UInt8]] = [:]
        for place in (try? places(of: wanted)) ?? [] where found[place.chunk] == nil {
            let bytes = try? disk.read(place.path, place.range, expecting: place.fingerprint)
            if let bytes, ContentHash(of: bytes) == place.chunk { found[place.chunk] = bytes }
        }
        return found
    }

    /// Where a chunk lies on this disk.
    private struct LocalPlace {
        var chunk: ContentHash
        var path: LocalPath
        var range: Range<UInt64>
        var fingerprint: Fingerprint
    }

    private func places(of wanted: Set<ContentHash>) throws -> [LocalPlace] {
        try storage.read { transaction in
            var places: [LocalPlace] = []
            try transaction.forEachRow(transaction.nodes, after: \.id) { node in
                if node.isLive { places += try Self.places(in: node, of: wanted, transaction) }
            }
            return places
        }
    }

    private static func places(
        in node: Node, of wanted: Set<ContentHash>, _ transaction: any SyncTransaction
    ) throws -> [LocalPlace] {
        guard case .file(let content) = node.current?.content,
            content.chunks.contains(where: { wanted.contains($0.hash) }),
            let synced = try transaction.synced(node.id), synced.hash == content.hash, !synced.isDataless,
            let path = try transaction.localPath(of: node.id)
        else { return [] }
        var places: [LocalPlace] = []
        var start: UInt64 = 0
        for chunk in content.chunks {
            let end = start + UInt64(chunk.sizeBytes)
            if wanted.contains(chunk.hash) {
                places.append(
                    LocalPlace(
                        chunk: chunk.hash, path: path, range: start..<end, fingerprint: synced.fingerprint))
            }
            start = end
        }
        return places
    }

    /// Tells everybody where bytes lie from now on.
    /// - Parameter checks: of the new places; where they do not hold any more nothing is told.
    func commit(
        _ relocations: [Relocation], _ checks: PresenceChecks = PresenceChecks()
    ) async throws(SyncFailure) {
        try await commit { _ in self.holds(checks) ? [.relocate(relocations)] : [] }
    }

    /// - Parameter operations: of the tree as the whole log has it; none: nothing is told.
    func commit(
        _ operations: (any SyncTransaction) throws -> [Operation]
    ) async throws(SyncFailure) {
        await turn.take()
        defer { turn.give() }
        try log.open()
        try await log.push()
        let told = try storage.reading(operations)
        guard !told.isEmpty else { return }
        try log.freeze(told)
        try await log.push()
    }
}
