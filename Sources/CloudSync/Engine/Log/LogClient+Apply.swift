internal import SyncContent
internal import SyncLog

extension LogClient {
    /// So many operations and one entry more are in memory at once, and in a transaction.
    private static let operationsTogether = 10_000

    /// Applies entries in their order.
    nonisolated(nonsending) func apply(_ entries: [SlotEntry]) async throws(SyncFailure) {
        var rest = entries[...]
        while !rest.isEmpty {
            var decoded: [DecodedSlot] = []
            var operations = 0
            for entry in rest where operations < Self.operationsTogether {
                let slot = try await decode(entry)
                operations += slot.commit.batch.operations.count
                decoded.append(slot)
            }
            try apply(rest.prefix(decoded.count), decoded)
            rest = rest.dropFirst(decoded.count)
        }
    }

    /// In one transaction with the cursor, the batch in flight and what the change means for this disk.
    private func apply(
        _ entries: ArraySlice<SlotEntry>, _ decoded: [DecodedSlot]
    ) throws(SyncFailure) {
        let outcome = try storage.writing { transaction in
            var outcome = Applied()
            for (entry, slot) in zip(entries, decoded) {
                try apply(slot, entry, transaction, &outcome)
            }
            return outcome
        }
        if outcome.becameAnother { report(.becameAnotherDevice) }
        if outcome.committed > 0 { report(.committed(operations: outcome.committed)) }
        if let last = entries.last { report(.pulled(upTo: last.sequence)) }
    }

    private struct Applied {
        var committed = 0
        var becameAnother = false
    }

    private func apply(
        _ slot: DecodedSlot, _ entry: SlotEntry, _ transaction: any SyncTransaction, _ outcome: inout Applied
    ) throws {
        let commit = slot.commit
        guard var journal = try transaction.journal() else {
            throw SyncFailure.trouble(.disk("the journal is not there"))
        }
        guard commit.sequence == entry.sequence else {
            throw SyncFailure.trouble(
                .storeLies("entry \(entry.sequence) of the log says \(commit.sequence)"))
        }
        if let expected = slot.treeHash, try transaction.isEqualEverywhere(),
            try transaction.treeHash() != expected
        {
            throw SyncFailure.trouble(.treeDiffers(entry.sequence))
        }
        // Before replay: what follows must find revisions of ours that no clone's entry shares.
        let identity = try Identity(of: commit, journal, transaction.frozenBatch(), rules)
        switch identity {
        case .foreign: break
        case .own:
            try finishBatch(transaction)
            journal.newestOwn = entry.sequence
            outcome.committed += commit.batch.operations.count
        case .clone:
            try becomeAnother(&journal, transaction)
            outcome.becameAnother = true
        }
        try transaction.noteEntry(after: transaction.treeHead(), list: slot.spilled)
        do {
            let hash = ContentHash(of: entry.bytes)
            let change = try transaction.take(
                commit, entryHash: hash, isOwn: identity == .own, rules: rules)
            if !change.isTwin { try applyAccount(commit.batch.operations, transaction) }
        } catch TreeError.notNext {
            throw SyncFailure.trouble(.logHole(entry.sequence))
        }
        journal.headModified = entry.lastModified
        journal.storeTime = entry.seenAt
        journal.entriesSinceSnapshot += 1
        journal.bytesSinceSnapshot += UInt64(entry.bytes.count) + UInt64(slot.spilled?.sizeBytes ?? 0)
        try transaction.setJournal(journal)
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
        case .relocate, .endHistory, .require, .account, .unknown: nil
        }
    }

    /// The chunks that it brings into the tree.
    var newChunks: [Chunk] {
        let content: Content
        switch self {
        case .create(let creation): content = creation.content
        case .edit(let edit): content = edit.content
        case .move, .setAttributes, .delete, .withdraw, .resolve, .relocate, .endHistory, .require, .account,
            .unknown:
            return []
        }
        if case .file(let file) = content { return file.chunks }
        return []
    }
}
