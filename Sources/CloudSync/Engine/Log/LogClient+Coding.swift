internal import CloudStore
internal import SyncContent
internal import SyncLog

extension LogClient {
    /// The bytes of an entry for the batch in flight; where its operations are too many for one object, they
    /// go up before it, each time under a new locator, so that no collector can have seen the chunk as old.
    nonisolated(nonsending) func encode(
        _ frozen: EncodedBatch, at place: Place
    ) async throws(SyncFailure) -> [UInt8] {
        let sequence = place.head.sequence &+ 1
        var spilled: SpilledOperations?
        if frozen.operations.count > surroundings.settings.batchLimits.entryBytes {
            spilled = try await spill(frozen)
        }
        var treeHash: ContentHash?
        if sequence.isMultiple(of: surroundings.settings.entriesPerTreeHash) {
            treeHash = try storage.reading { try $0.isEqualEverywhere() ? $0.treeHash() : nil }
        }
        let entry = LogEntry(
            sequence: sequence, previous: place.head.entryHash, time: try await sayTime(at: place),
            batch: frozen, spilled: spilled, treeHash: treeHash)
        return entry.encoded()
    }

    private nonisolated(nonsending) func spill(
        _ frozen: EncodedBatch
    ) async throws(SyncFailure) -> SpilledOperations {
        let spilled = SpilledOperations(
            hash: ContentHash(of: frozen.operations), sizeBytes: UInt32(clamping: frozen.operations.count),
            locator: .object(surroundings.randomness.next()),
            count: UInt32(clamping: frozen.batch.operations.count))
        let key = account.layout.object(of: spilled.hash, at: spilled.locator)
        // Nobody else's key, so a second try of unknown outcome writes the same bytes or finds them.
        _ = try await ask { () async throws(StoreError) in
            try await account.store.forRecords.putIfAbsent(frozen.operations, at: key)
        }
        return spilled
    }

    /// What an object of the log says, with operations that lie elsewhere.
    /// - Throws: `.unknownFormat` where a later version wrote it; `.storeLies` where nobody can have.
    nonisolated(nonsending) func decode(_ slot: SlotEntry) async throws(SyncFailure) -> DecodedSlot {
        if let kept = ahead.slot(of: slot) { return kept }
        let entry = try read(slot)
        let bytes: [UInt8]
        switch entry.body {
        case .inline(let operations):
            if operations.count <= surroundings.settings.operationsApplied {
                return DecodedSlot(entry, operations)
            }
            bytes = EncodedBatch.encode(operations)
        case .spilled(let spilled):
            do { bytes = try await ContentReader(account).bytes(of: LocatedChunk(spilled)) } catch {
                throw SyncFailure(error)
            }
        }
        do {
            var operations = try entry.operations(spilled: bytes)
            guard operations.left > surroundings.settings.operationsApplied else {
                return DecodedSlot(entry, try operations.next(upTo: .max))
            }
            return DecodedSlot(entry, [], rest: operations)
        } catch {
            throw slot.lie
        }
    }

    private func read(_ slot: SlotEntry) throws(SyncFailure) -> LogEntry {
        let decoded: DecodedEntry
        do { decoded = try LogEntry.decode(slot.bytes) } catch { throw slot.lie }
        switch decoded {
        case .entry(let entry): return entry
        case .unknownVersion(let version):
            throw .trouble(.unknownFormat("entry \(slot.sequence) of version \(version)"))
        }
    }
}

/// An entry of the log, read.
struct DecodedSlot: Sendable {
    /// Of an entry with many operations: those that are applied next.
    var part: CommitPart
    /// What the writer's tree was before it, where it says so.
    var treeHash: ContentHash?
    /// Its operations, where they lie beside the log.
    var spilled: SpilledOperations?
    /// Nil where the entry has few operations.
    var rest: OperationReader?

    init(_ entry: LogEntry, _ operations: [Operation], rest: OperationReader? = nil) {
        part = CommitPart(entry.commit(operations))
        treeHash = entry.treeHash
        if case .spilled(let list) = entry.body { spilled = list }
        self.rest = rest
    }

    /// Goes on to the part that begins after so many operations.
    mutating func takePart(after applied: Int, upTo limit: Int) throws(CodingError) {
        guard var rest else { return }
        while rest.taken < applied, rest.left > 0 {
            _ = try rest.next(upTo: min(limit, applied - rest.taken))
        }
        part.first = rest.taken
        part.commit.batch.operations = try rest.next(upTo: limit)
        part.isLast = rest.left == 0
        self.rest = rest
    }
}

extension SlotEntry {
    var lie: SyncFailure { .trouble(.storeLies("entry \(sequence) of the log")) }
}
