internal import CloudStore
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import SystemPackage

extension ContainerSync {
    /// What one batch may send: so much is done again after a crash, and so long an app's changes wait for
    /// each other.
    static let batchBytes: UInt64 = 256 << 20

    /// So long files are read for one batch: a disk that has much to do makes small ones.
    private static let cutNanoseconds: UInt64 = 500_000_000

    /// What became of a plan's drafts.
    struct Upload {
        /// In the plan's order.
        var drafts: [ReadDraft] = []
        /// What the batch has no room for: the plan's last ones, which were not looked at.
        var rest: ArraySlice<Draft> = []
        /// When what changed just now may go, by the wall clock.
        var laterAt: Int64?
        /// Holds a copy of what changed just now and never comes to rest.
        var hasFreshCopy = false
        var checks = PresenceChecks()
        /// Holds what needs no bytes sent.
        var hasOthers: Bool { drafts.contains(where: \.isReady) }
    }

    struct ReadDraft: Sendable {
        var cut: CutDraft
        /// Where its bytes lie in the store.
        var content: FileContent?
        /// Whether it can go into a batch now.
        var isReady = false
    }

    /// Reads the drafts' bytes and brings them into the store. What cannot be read now is left for later.
    func upload(_ drafts: [Draft]) async throws(SyncFailure) -> Upload {
        var upload = Upload()
        let room = drafts.contains(where: \.needsBytes) ? try await uploadRoom(for: drafts) : UploadRoom()
        try cut(drafts, room, &upload)
        if upload.hasFreshCopy { try await letCopiesAge() }
        let files = upload.drafts.indices.filter { upload.drafts[$0].cut.cut != nil }
        sending = UploadProgress(of: files.map { upload.drafts[$0].cut.draft })
        sending.sentBefore = sent.total
        guard !files.isEmpty else { return upload }
        try await log.keepTime()
        let sent: Sent
        do throws(SyncFailure) { sent = try await send(files.map { upload.drafts[$0].cut }) } catch {
            // Deletes go all the same: they are what makes room.
            guard case .trouble(.storeFull(let why)) = error, upload.hasOthers else { throw error }
            storeFull = why
            return upload
        }
        upload.checks = sent.checks
        for (index, content) in zip(files, sent.contents) {
            upload.drafts[index].content = content
            upload.drafts[index].isReady = content != nil
        }
        return upload
    }

    // MARK: Reading

    /// Bytes that may be added.
    private struct UploadRoom {
        var quota: UInt64 = 0
        var store: UInt64 = 0

        mutating func take(_ bytes: UInt64) {
            quota -= min(quota, bytes)
            store -= min(store, bytes)
        }
    }

    private func uploadRoom(for drafts: [Draft]) async throws(SyncFailure) -> UploadRoom {
        let store = await account.store.freeBytes() ?? .max
        let bytes = drafts.filter(\.needsBytes).reduce(0 as UInt64) { $0.addingSaturated($1.sizeBytes) }
        return UploadRoom(quota: try await quotaRoom(for: bytes), store: store)
    }

    /// A file for which there is no room is not begun: what was sent of it would lie there and help nobody.
    /// - Returns: whether it may be sent.
    private func fits(_ draft: Draft, adding bytes: UInt64, _ room: UploadRoom) -> Bool {
        if bytes > room.quota {
            isQuotaInTheWay = true
            waitingItems.note(draft.path, .quota)
        } else if bytes > room.store {
            waitingItems.note(draft.path, .storeFull)
            let name = draft.path.names.joined(separator: "/")
            storeFull = storeFull ?? "\(name) takes \(bytes) bytes, and \(room.store) are free"
        } else {
            return true
        }
        return false
    }

    private func cut(_ drafts: [Draft], _ room: UploadRoom, _ upload: inout Upload) throws(SyncFailure) {
        var bytes: UInt64 = 0
        var room = room
        var cutter = ContentCutter(account.format.chunking)
        var batch = BatchRoom(surroundings.settings.batchLimits)
        let end = surroundings.clock.now() &+ Self.cutNanoseconds
        for (index, draft) in drafts.enumerated() {
            if index.isMultiple(of: Self.preparedAtOnce) {
                prepare(drafts[index...].prefix(Self.preparedAtOnce))
            }
            let isLate = !batch.isEmpty && surroundings.clock.now() >= end
            if !draft.isJoined, isLate || !batch.fits(drafts.group(at: index)) {
                upload.rest = drafts[index...]
                return
            }
            var read = ReadDraft(cut: CutDraft(draft: draft))
            defer { upload.drafts.append(read) }
            let sizeBytes = draft.sizeBytes
            if draft.needsBytes, bytes >= Self.batchBytes { continue }
            if isTooLarge(draft) { continue }
            let addedBytes = sizeBytes - min(sizeBytes, try replacedBytes(draft))
            if draft.needsBytes, !fits(draft, adding: addedBytes, room) { continue }
            let moment = notBefore(draft)
            let isOverdue = moment != nil && disk.isOverdue(draft.path)
            if let moment, !isOverdue {
                upload.laterAt = min(upload.laterAt ?? moment, moment)
                waitingItems.note(draft.path, .justChanged)
                continue
            }
            guard let cut = try cut(draft, &cutter), !isTooLarge(draft, cut.cut) else { continue }
            upload.hasFreshCopy = upload.hasFreshCopy || isOverdue
            // What cannot go now takes no room: else it would keep what can for ever.
            batch.take(draft)
            read.cut = cut
            read.isReady = cut.cut == nil
            bytes += sizeBytes
            room.take(addedBytes)
        }
    }

    /// Of small files, what takes longest is to make each durable.
    private func prepare(_ drafts: ArraySlice<Draft>) {
        let files = drafts.filter { $0.source == .file && notBefore($0) == nil }.map(\.path)
        if files.count > 1 { disk.prepareToRead(files) }
    }

    private static let preparedAtOnce = 64

    /// Whether a file has more chunks than one operation can name. Where its size does not say that, it is
    /// read for it once.
    private func isTooLarge(_ draft: Draft, _ content: CutContent? = nil) -> Bool {
        guard draft.needsBytes else { return false }
        let fewest = Int(clamping: draft.sizeBytes / UInt64(account.format.chunking.maximumBytes))
        let bytes = draft.operationBytes(chunks: content?.pieces.count ?? fewest)
        let contents = draft.contentFingerprint
        if bytes > surroundings.settings.batchLimits.largestOperationBytes { tooLarge.insert(contents) }
        guard tooLarge.contains(contents) else { return false }
        waitingItems.note(draft.path, .tooLarge)
        return true
    }

    /// What an edit takes the place of counts in the quota already.
    private func replacedBytes(_ draft: Draft) throws(SyncFailure) -> UInt64 {
        guard case .edit(let base, _, _) = draft.kind else { return 0 }
        return try storage.reading { transaction in
            let contents = try transaction.item(draft.file)?.contents ?? []
            return contents.first { $0.revisions.contains(base) }?.content.sizeBytes ?? 0
        }
    }

    /// When a file that has just changed may be sent, by the wall clock; nil: now.
    private func notBefore(_ draft: Draft) -> Int64? {
        guard draft.source == .file else { return nil }
        let now = surroundings.clock.wallTime()
        let moment = draft.fingerprint.changed &+ SkipBackup.graceNanoseconds
        // A clock that was set back must not hold a file for years.
        guard moment > now, moment <= now &+ SkipBackup.graceNanoseconds else { return nil }
        return moment
    }

    /// A database that is written without pause has no second without a change; its copy has one, for it does
    /// not change any more: a flag that is set within it comes before the first byte is sent.
    private func letCopiesAge() async throws(SyncFailure) {
        let moment = surroundings.clock.now() &+ UInt64(SkipBackup.graceNanoseconds)
        do { try await surroundings.clock.sleep(until: moment) } catch { throw .ended }
    }

    /// - Returns: nil where it cannot be read now.
    private func cut(
        _ draft: Draft, _ cutter: inout ContentCutter
    ) throws(SyncFailure) -> CutDraft? {
        do throws(LocalError) {
            var cut = CutDraft(draft: draft)
            switch draft.source {
            case .file:
                cut.fingerprint = try disk.read(
                    draft.path, expecting: draft.fingerprint
                ) { run throws(LocalError) in cutter.append(run) }
                cut.cut = cutter.finish()
            case .displaced(let displaced):
                try disk.readDisplaced(displaced) { run throws(LocalError) in cutter.append(run) }
                cut.cut = cutter.finish()
            case .directory, .symlink, nil: break
            }
            return cut
        } catch {
            cutter = ContentCutter(account.format.chunking)
            if let reason = WaitingItem.Reason(error) { waitingItems.note(draft.path, reason) }
            switch error {
            case .inUse, .changed, .gone, .dataless: return nil
            // Somebody else's file, which he keeps to himself, holds up no other.
            case .failed where error == LocalError(.permissionDenied): return nil
            case .full, .failed, .ended: throw SyncFailure(error)
            }
        }
    }

    // MARK: Sending

    private struct Sent {
        /// For each file; nil where it changed, or may not leave any more.
        var contents: [FileContent?] = []
        var checks = PresenceChecks()
    }

    /// Sends what the store does not have. A file that changes or is flagged meanwhile is left out, with what
    /// was sent of it, and the others are planned again: what of them is up is found there.
    private func send(_ files: [CutDraft]) async throws(SyncFailure) -> Sent {
        var left = Array(files.indices)
        var contents: [FileContent?] = Array(repeating: nil, count: files.count)
        var stale: Set<ContentHash> = []
        for _ in 0..<8 where !left.isEmpty {
            let drafts = left.map { files[$0] }
            let plan = try await plan(drafts.compactMap(\.cut), except: stale)
            try remember(plan)
            let source = DraftSource(disk: disk, drafts: drafts, rules: surroundings.rules)
            do throws(ContentError) {
                let sent = try await writer.send(plan, from: source)
                guard sent.stale.isEmpty else {
                    stale.formUnion(sent.stale)
                    continue
                }
                for (index, content) in zip(left, plan.contents) { contents[index] = content }
                return Sent(contents: contents, checks: sent.checks)
            } catch {
                guard error.isOfFiles else { throw SyncFailure(error) }
            }
            var gone: Set<Int> = []
            var excluded: Set<Int> = []
            for (position, draft) in drafts.enumerated() where try !mayLeave(draft) {
                gone.insert(position)
                if try mustStay(draft) { excluded.insert(position) }
            }
            try await takeBack(plan, files: excluded)
            // None is to blame: what was read differs from what was cut, and a later look decides.
            guard !gone.isEmpty else { break }
            left = left.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        }
        return Sent(contents: contents)
    }

    func mayLeave(_ draft: CutDraft) throws(SyncFailure) -> Bool {
        do { return try LocalError.ifKnown(disk.mayLeave(draft, surroundings.rules)) ?? false } catch {
            throw .ended
        }
    }

    func plan(
        _ files: [CutContent], except stale: Set<ContentHash>
    ) async throws(SyncFailure) -> ContentPlan {
        var known: [ContentHash: KnownChunk] = [:]
        let retention = account.format.retention
        try storage.reading { transaction in
            for upload in try transaction.pendingUploads() {
                known[upload.chunk] = KnownChunk(locator: upload.locator, referencedSince: nil)
            }
            for hash in files.lazy.flatMap(\.pieces).map(\.hash) {
                guard let record = try transaction.chunk(hash) else { continue }
                known[hash] = KnownChunk(record, retention, readAt: log.lastReading.value)
            }
        }
        for hash in stale { known[hash] = nil }
        do { return try await writer.plan(files, known: known) } catch { throw SyncFailure(error) }
    }

    /// Notes what is about to be sent, so that it is found again after a crash, and taken back where its item
    /// is flagged.
    func remember(_ plan: ContentPlan) throws(SyncFailure) {
        guard !plan.uploads.isEmpty else { return }
        try storage.writing { transaction in
            for part in plan.uploads.flatMap(\.parts) {
                try transaction.setPendingUpload(PendingUpload(chunk: part.hash, locator: part.locator))
            }
        }
    }

    /// Takes back what was sent of files that are excluded now: a pack goes whole. Rows go first, as in
    /// `sweepUploads`.
    private func takeBack(_ plan: ContentPlan, files: Set<Int>) async throws(SyncFailure) {
        let objects = plan.uploads.filter { $0.parts.contains { files.contains($0.file) } }
        guard !objects.isEmpty else { return }
        try storage.writing { transaction in
            for part in objects.flatMap(\.parts) { try transaction.removePendingUpload(part.hash) }
        }
        doomed.formUnion(objects.map { account.layout.object($0.name) })
        try await deleteDoomed()
    }
}

extension Draft {
    var sizeBytes: UInt64 { needsBytes ? contentFingerprint.sizeBytes : 0 }

    /// Of the file whose bytes it needs.
    fileprivate var contentFingerprint: Fingerprint {
        if case .displaced(let displaced) = source { displaced.fingerprint } else { fingerprint }
    }
}

extension ContentError {
    /// Whether the files are to blame, and not the store.
    fileprivate var isOfFiles: Bool {
        switch self {
        case .changed: true
        case .local(let error): error != .ended && error != .full
        default: false
        }
    }
}
