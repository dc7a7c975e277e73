internal import SyncContent
internal import SyncLog

/// Batches with contents that lie in the store already, and perhaps nowhere else.
extension ContainerSync {
    private static let triesAtOnce = 8

    /// Reads the log to its end, and brings what is in flight to its own: with the turn held.
    func catchUp() async throws(SyncFailure) {
        try log.open()
        try await log.push()
        // What is told next must not count as the proof of what was told before.
        try await prove()
    }

    /// Tells a person's word, with what `rely` answered.
    /// - Returns: nil where the log has it; why the store did not say so: then it waits in the journal.
    func tell(
        _ operations: [Operation], unproven: [FileID], _ checks: PresenceChecks
    ) async throws(SyncFailure) -> SyncTrouble? {
        try log.freeze(operations, unproven: unproven)
        do throws(SyncFailure) {
            try await log.push()
        } catch {
            if try storage.reading({ try $0.frozenBatch() }) != nil { return error.plain }
        }
        // What fails here is done by a later round.
        try? await prove(checks)
        return nil
    }

    /// Makes sure that a batch may name these: of what a collector may be about to take, the bytes are got
    /// from the store and sent anew.
    /// - Returns: the contents with the places that the batch is to name; the checks that it relies on.
    func rely(
        on contents: [Content]
    ) async throws(SyncFailure) -> (contents: [Content], checks: PresenceChecks) {
        let files = contents.compactMap(\.file)
        guard !files.isEmpty else { return (contents, PresenceChecks()) }
        try storage.reading(log.refuseUnknownWords)
        let source = try stored(files)
        var stale: Set<ContentHash> = []
        for _ in 0..<Self.triesAtOnce {
            let plan = try await plan(files.map(CutContent.init), except: stale)
            try remember(plan)
            let sent: SentContent
            do { sent = try await writer.send(plan, from: source) } catch { throw SyncFailure(error) }
            if sent.stale.isEmpty { return (contents.placed(plan.contents), sent.checks) }
            stale.formUnion(sent.stale)
        }
        throw .trouble(.storeSlow)
    }
}

extension ContainerSync {
    func stored(_ files: [FileContent]) throws(SyncFailure) -> StoredSource {
        let contents = try storage.reading { tree in try files.map { try tree.located($0) } }
        return StoredSource(reader: reader, contents: contents)
    }
}

/// Files of a plan whose bytes the store has.
struct StoredSource: UploadSource {
    let reader: ContentReader
    /// In the plan's order.
    let contents: [LocatedContent]

    func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8] {
        guard contents.indices.contains(file) else { throw .changed }
        return try await reader.read(contents[file], at: range.lowerBound, count: range.count)
    }

    /// They are out already.
    func confirm(_ files: Set<Int>) async throws(ContentError) {}
}

extension Content {
    var file: FileContent? { if case .file(let file) = self { file } else { nil } }
}

extension [Content] {
    /// With the places of its files, in their order.
    fileprivate func placed(_ files: [FileContent]) -> [Content] {
        var rest = files[...]
        return map { content in
            guard content.file != nil, let file = rest.popFirst() else { return content }
            return .file(file)
        }
    }
}
