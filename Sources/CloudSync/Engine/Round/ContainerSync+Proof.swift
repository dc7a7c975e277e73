internal import CloudStore
internal import SyncContent
internal import SyncLog

/// A batch is durable when its chunks were seen in the store shortly before or after its commit: a collector
/// that began before may be about to delete what nobody referred to.
extension ContainerSync {
    /// Looks again at everything that committed batches refer to, and sends anew what is not to be relied on,
    /// until all of it counts.
    /// - Parameter sent: the checks made while sending; nil after a restart, which forgot them.
    func prove(_ sent: PresenceChecks? = nil) async throws(SyncFailure) {
        var checks = sent
        var sentAgain: Set<ContentHash> = []
        while true {
            let files = try storage.reading { try $0.unprovenFiles() }
            if files.isEmpty { return }
            let gone = try abandonedChunks(of: files)
            let abandoned = gone.subtracting(sentAgain)
            if abandoned.isEmpty, let checks {
                if holds(checks) { return try endProof(of: files, lacking: gone) }
                // What the tree says may be too old by now.
                try await log.pull()
            }
            let chunks = try chunks(of: files)
            var found: SentContent
            do {
                found = try await writer.check(
                    chunks.all.filter { !abandoned.contains($0.hash) }, known: chunks.known)
            } catch {
                throw SyncFailure(error)
            }
            // Without this device's bytes another has to bring them: once they are tried here.
            sentAgain.formUnion(abandoned)
            found.stale += abandoned.sorted()
            checks = found.checks
            if !found.stale.isEmpty, let healed = try await heal(found.stale, of: files) {
                checks?.merge(healed)
            }
        }
    }

    /// What nobody could bring here is not durable: a later round tries again.
    private func endProof(of files: [FileID], lacking gone: Set<ContentHash>) throws(SyncFailure) {
        try storage.writing { transaction in
            try transaction.clearUnprovenFiles()
            if !gone.isEmpty { try files.forEach(transaction.addUnprovenFile) }
        }
    }

    /// Whether what was seen in the store counts at a commit now.
    func holds(_ checks: PresenceChecks) -> Bool {
        guard let date = log.lastDate.value else { return false }
        return checks.hold(
            at: date, clock: surroundings.clock.now(), account.format.retention, surroundings.rules)
    }

    /// Chunks that lie where nothing counts as present any more, whatever a HEAD finds there.
    private func abandonedChunks(of files: [FileID]) throws(SyncFailure) -> Set<ContentHash> {
        // Nearly always: then the chunks of what was sent just now are not read again.
        guard try storage.reading({ try $0.hasAbandonedUploads() }) else { return [] }
        let chunks = try chunks(of: files).all
        return try storage.reading { transaction in
            Set(try chunks.filter { try transaction.isAbandoned(PendingUpload($0)) }.map(\.hash))
        }
    }

    private func chunks(
        of files: [FileID]
    ) throws(SyncFailure) -> (all: [Chunk], known: [ContentHash: KnownChunk]) {
        let retention = account.format.retention
        return try storage.reading { transaction in
            var all: [Chunk] = []
            var known: [ContentHash: KnownChunk] = [:]
            for file in files {
                guard let node = try transaction.item(file) else { continue }
                for var chunk in node.contents.flatMap(\.content.chunks) where known[chunk.hash] == nil {
                    guard let record = try transaction.chunk(chunk.hash) else { continue }
                    chunk.locator = record.locator
                    known[chunk.hash] = KnownChunk(record, retention, readAt: log.lastReading.value)
                    all.append(chunk)
                }
            }
            return (all, known)
        }
    }

    /// Sends chunks again under new locators, and tells everybody: from files that still hold them, or else
    /// from the store itself, as long as it has them.
    /// - Returns: the checks of what was sent. What neither has another device has to bring, or
    ///   `cloud check --repair`.
    private func heal(
        _ stale: [ContentHash], of files: [FileID]
    ) async throws(SyncFailure) -> PresenceChecks? {
        var drafts: [CutDraft] = []
        for file in files {
            if let draft = try held(file) { drafts.append(draft) }
        }
        let plan = writer.healing(stale, of: drafts.compactMap(\.cut))
        if !plan.uploads.isEmpty {
            let source = DraftSource(disk: disk, drafts: drafts, rules: surroundings.rules)
            return try await heal(plan, from: source)
        }
        let contents = try storage.reading { tree in
            try files.flatMap { try tree.item($0)?.contents.compactMap(\.content.file) ?? [] }
        }
        let other = writer.healing(stale, of: contents.map(CutContent.init))
        return other.uploads.isEmpty ? nil : try await heal(other, from: try stored(contents))
    }

    private func heal(
        _ plan: ContentPlan, from source: any UploadSource
    ) async throws(SyncFailure) -> PresenceChecks? {
        let sent: SentContent
        do { sent = try await writer.send(plan, from: source) } catch {
            switch error {
            case .changed, .unavailable, .wrongBytes: return nil
            default: throw SyncFailure(error)
            }
        }
        try await log.push()
        try log.freeze([.relocate(plan.relocations)])
        try await log.push()
        return sent.checks
    }

    /// The file's bytes as they lie here, where they are those that the cloud has.
    private func held(_ file: FileID) throws(SyncFailure) -> CutDraft? {
        let found = try storage.reading { transaction -> (SyncedItem, LocalPath)? in
            guard let synced = try transaction.synced(file), !synced.isDataless, synced.kind == .file,
                let path = try transaction.localPath(of: file)
            else { return nil }
            return (synced, path)
        }
        guard let (synced, path) = found else { return nil }
        var cutter = ContentCutter(account.format.chunking)
        let draft = Draft(
            .refresh, file: file, path: path, parent: synced.parent, name: synced.name,
            attributes: synced.attributes, fingerprint: synced.fingerprint, source: .file)
        do throws(LocalError) {
            let fingerprint = try disk.read(path, expecting: synced.fingerprint) { run throws(LocalError) in
                cutter.append(run)
            }
            return CutDraft(draft: draft, fingerprint: fingerprint, cut: cutter.finish())
        } catch {
            if error == .ended { throw .ended }
            return nil
        }
    }

    /// Lets go of what was sent for batches that never came to be. What was excluded meanwhile goes from the
    /// store at once. The rest the collector takes, or `takeBackUploads`: a copy of this device may have it
    /// in a batch of its own.
    ///
    /// Rows go first. A request to delete may arrive long after it was given up, and what is sent again must
    /// not lie where that one looks.
    func sweepUploads() async throws(SyncFailure) {
        let uploads = try storage.reading { transaction in
            try transaction.frozenBatch() == nil ? transaction.pendingUploads() : []
        }
        if !uploads.isEmpty {
            let excluded = excludedChunks
            let retention = account.format.retention
            let kept = try storage.writing { transaction in
                try transaction.forgetAbandoned(retention)
                let kept = try uploads.filter { try transaction.isReferred($0) }
                let known = Set(kept)
                for upload in uploads { try transaction.removePendingUpload(upload.chunk) }
                try transaction.abandon(
                    uploads.filter { !known.contains($0) && !excluded.contains($0.chunk) }, isOwn: true)
                return kept
            }
            doomed.formUnion(uploads.filter { excludedChunks.contains($0.chunk) }.map(key))
            doomed.subtract(kept.map(key))
        }
        excludedChunks = []
        try await deleteDoomed()
    }

    func deleteDoomed() async throws(SyncFailure) {
        for key in doomed.sorted() {
            _ = try await log.ask { () async throws(StoreError) in try await account.store.delete(key) }
            doomed.remove(key)
        }
    }

    func key(of upload: PendingUpload) -> ObjectKey {
        account.layout.object(of: upload.chunk, at: upload.locator)
    }

    /// Notes that a file which was sent is excluded now.
    func noteExcluded(_ draft: CutDraft) throws(SyncFailure) {
        guard let pieces = draft.cut?.pieces, try mustStay(draft) else { return }
        excludedChunks.formUnion(pieces.map(\.hash))
    }

    func mustStay(_ draft: CutDraft) throws(SyncFailure) -> Bool {
        do { return try LocalError.ifKnown(disk.mustStay(draft, surroundings.rules)) ?? false } catch {
            throw .ended
        }
    }
}
