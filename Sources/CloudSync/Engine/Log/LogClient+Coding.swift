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
        let entry = try read(slot)
        if let commit = entry.commit { return DecodedSlot(commit: commit, treeHash: entry.treeHash) }
        guard case .spilled(let spilled) = entry.body else { throw slot.lie }
        let bytes: [UInt8]
        do { bytes = try await ContentReader(account).bytes(of: LocatedChunk(spilled)) } catch {
            throw SyncFailure(error)
        }
        do {
            return DecodedSlot(
                commit: try entry.commit(spilled: bytes), treeHash: entry.treeHash, spilled: spilled)
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
    var commit: Commit
    /// What the writer's tree was before it, where it says so.
    var treeHash: ContentHash?
    /// Its operations, where they lie beside the log.
    var spilled: SpilledOperations?
}

extension SlotEntry {
    fileprivate var lie: SyncFailure { .trouble(.storeLies("entry \(sequence) of the log")) }
}
