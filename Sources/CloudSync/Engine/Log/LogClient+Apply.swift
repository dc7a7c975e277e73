internal import SyncContent
internal import SyncLog

extension LogClient {
    /// Applies entries in their order.
    /// - Parameter isOneTurn: of one with many operations, no more than a transaction takes.
    /// - Returns: whether all were applied.
    @discardableResult
    nonisolated(nonsending) func apply(
        _ entries: [SlotEntry], isOneTurn: Bool = false
    ) async throws(SyncFailure) -> Bool {
        var rest = entries[...]
        while !rest.isEmpty {
            let applied = try await applyNext(rest)
            if isOneTurn, applied == 0 { return false }
            rest = rest.dropFirst(applied)
        }
        return true
    }

    /// One transaction: entries with few operations together, or a part of one with many.
    /// - Returns: how many entries were applied to their ends.
    private nonisolated(nonsending) func applyNext(
        _ entries: ArraySlice<SlotEntry>
    ) async throws(SyncFailure) -> Int {
        let limit = surroundings.settings.operationsApplied
        var decoded: [DecodedSlot] = []
        var operations = 0
        for entry in entries where operations < limit {
            let slot = try await decode(entry)
            if slot.rest != nil {
                if decoded.isEmpty { return try applyPart(of: entry, slot, limit) ? 1 : 0 }
                ahead.keep(slot, of: entry)
                break
            }
            operations += slot.part.commit.batch.operations.count
            decoded.append(slot)
        }
        _ = try apply(Array(zip(entries, decoded)))
        return decoded.count
    }

    /// So many of an entry's operations as come next. A kill after it changes nothing: the tree says how far
    /// it is, and the entry is read again.
    /// - Returns: whether nothing of the entry is left.
    private func applyPart(of entry: SlotEntry, _ slot: DecodedSlot, _ limit: Int) throws(SyncFailure) -> Bool
    {
        var slot = slot
        let (applied, isOwn) = try storage.reading { transaction in
            guard let journal = try transaction.journal() else { return (0, false) }
            let progress = try transaction.commitProgress()
            let identity = try Identity(of: slot.part.commit, journal, transaction.frozenBatch(), rules)
            return (progress?.applied ?? 0, progress == nil && identity == .own)
        }
        // What this device said itself is in memory as a whole, and its end is one with that of the batch in
        // flight.
        do { try slot.takePart(after: applied, upTo: isOwn ? .max : limit) } catch { throw entry.lie }
        let isWhole = try apply([(entry, slot)])
        if isWhole { ahead.forgetEntry() } else { ahead.keep(slot, of: entry) }
        return isWhole
    }

    /// In one transaction with the cursor, the batch in flight and what the change means for this disk.
    /// - Returns: whether nothing of the last entry is left.
    private func apply(_ entries: [(SlotEntry, DecodedSlot)]) throws(SyncFailure) -> Bool {
        let outcome = try storage.writing { transaction in
            var outcome = Applied()
            for (entry, slot) in entries { try apply(slot, entry, transaction, &outcome) }
            return outcome
        }
        for files in outcome.changed {
            ahead.addNews(files, limit: surroundings.settings.pendingInPlan)
        }
        if outcome.becameAnother { report(.becameAnotherDevice) }
        if outcome.committed > 0 { report(.committed(operations: outcome.committed)) }
        if outcome.isWhole, let last = entries.last { report(.pulled(upTo: last.0.sequence)) }
        return outcome.isWhole
    }

    private struct Applied {
        var committed = 0
        var becameAnother = false
        var isWhole = true
        /// By others, for each entry.
        var changed: [[FileID]] = []
    }

    private func apply(
        _ slot: DecodedSlot, _ entry: SlotEntry, _ transaction: any SyncTransaction, _ outcome: inout Applied
    ) throws {
        let part = slot.part
        guard var journal = try transaction.journal() else {
            throw SyncFailure.trouble(.disk("the journal is not there"))
        }
        guard part.commit.sequence == entry.sequence else {
            throw SyncFailure.trouble(
                .storeLies("entry \(entry.sequence) of the log says \(part.commit.sequence)"))
        }
        var isOwn = false
        if part.first == 0 {
            isOwn = try begin(slot, entry, &journal, transaction, &outcome)
            try transaction.noteEntry(after: transaction.treeHead(), list: slot.spilled)
        }
        do {
            let hash = ContentHash(of: entry.bytes)
            let change = try transaction.take(
                part, entryHash: hash, isOwn: isOwn, rules: rules, zone: name.zone)
            if !change.isTwin { try applyAccount(part.commit.batch.operations, transaction) }
            outcome.isWhole = part.isLast || change.isTwin
            if !isOwn { outcome.changed.append(part.commit.batch.order(of: change.nodes)) }
        } catch TreeError.notNext {
            throw SyncFailure.trouble(.logHole(entry.sequence))
        }
        if outcome.isWhole {
            journal.headModified = entry.lastModified
            journal.storeTime = entry.seenAt
            journal.entriesSinceSnapshot += 1
            journal.bytesSinceSnapshot += UInt64(entry.bytes.count) + UInt64(slot.spilled?.sizeBytes ?? 0)
        }
        try transaction.setJournal(journal)
    }

    /// Before replay: what follows must find revisions of ours that no clone's entry shares.
    /// - Returns: whether it is this device's batch in flight.
    private func begin(
        _ slot: DecodedSlot, _ entry: SlotEntry, _ journal: inout Journal, _ transaction: any SyncTransaction,
        _ outcome: inout Applied
    ) throws -> Bool {
        if let expected = slot.treeHash, try transaction.isEqualEverywhere(),
            try transaction.treeHash() != expected
        {
            throw SyncFailure.trouble(.treeDiffers(entry.sequence))
        }
        switch try Identity(of: slot.part.commit, journal, transaction.frozenBatch(), rules) {
        case .foreign: return false
        case .own:
            try finishBatch(transaction)
            journal.newestOwn = entry.sequence
            outcome.committed += slot.part.commit.batch.operations.count
            return true
        case .clone:
            try becomeAnother(&journal, transaction)
            outcome.becameAnother = true
            return false
        }
    }

    /// The batch in flight is durable: it is in the log. That an operation came to nothing changes nothing in
    /// the tree, so the disk has to be compared with it all the same: a move that would have made a circle is
    /// to be taken back here.
    func finishBatch(_ transaction: any SyncTransaction) throws {
        if let frozen = try transaction.frozenBatch() {
            try transaction.addPending(frozen.batch.operations.compactMap(\.file))
            try transaction.finishUploads(frozen.batch.operations.flatMap(\.newChunks))
        }
        try transaction.advance()
        try transaction.finishBatch()
    }
}

extension JournalStorage {
    /// These chunks are referred to now, and so are the packs that they lie in, whatever else is in them.
    fileprivate func finishUploads(_ chunks: [Chunk]) throws {
        let hashes = Set(chunks.map(\.hash))
        let packs = Set(chunks.compactMap(\.locator.pack))
        for upload in try pendingUploads() {
            let isPacked = upload.locator.pack.map(packs.contains) ?? false
            if isPacked || hashes.contains(upload.chunk) { try removePendingUpload(upload.chunk) }
        }
    }
}

extension Batch {
    /// Files in the order in which they are told of, and behind them those that are not.
    fileprivate func order(of files: Set<FileID>) -> [FileID] {
        var rest = files
        let told = operations.compactMap(\.file).filter { rest.remove($0) != nil }
        return told + rest.sorted()
    }
}

extension Locator {
    /// Nil for an object of its own.
    fileprivate var pack: Bits128? {
        if case .pack(let id, _) = self { id } else { nil }
    }
}

extension Operation {
    /// The item that it is about.
    var file: FileID? {
        switch self {
        case .create(let creation): creation.file
        case .edit(let edit): edit.file
        case .move(let file, _, _), .setAttributes(let file, _), .withdraw(let file, _): file
        case .delete(let deletion): deletion.file
        case .resolve(let resolution): resolution.file
        case .relocate, .endHistory, .require, .account, .keyValue, .unknown: nil
        }
    }

    /// The chunks that it brings into the tree.
    var newChunks: [Chunk] {
        let content: Content
        switch self {
        case .create(let creation): content = creation.content
        case .edit(let edit): content = edit.content
        case .move, .setAttributes, .delete, .withdraw, .resolve, .relocate, .endHistory, .require, .account,
            .keyValue, .unknown:
            return []
        }
        if case .file(let file) = content { return file.chunks }
        return []
    }
}
