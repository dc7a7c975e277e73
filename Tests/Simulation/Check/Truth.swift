internal import CloudStore
internal import CloudSync

/// The log as it really is, read at the moment each entry came to lie in the store, and the tree that follows.
final class Truth {
    let storage = MemoryStorage()
    private let rules: SafetyRules
    /// Contents that any commit ever named.
    private(set) var committed: Set<ContentHash> = []
    /// The tree's sum after each slot, which every device's has to equal at that slot.
    private(set) var sums: [UInt64: HashSum] = [0: HashSum()]
    private(set) var head: UInt64 = 0
    /// (dev, n) that took effect (I3).
    private var effective: [DeviceID: UInt64] = [:]

    init(rules: SafetyRules) {
        self.rules = rules
    }

    /// An object came to lie in the store.
    /// - Returns: what is wrong with it.
    func note(_ key: ObjectKey, _ bytes: [UInt8]) -> String? {
        let parts = key.text.split(separator: "/")
        guard parts.count == 5, parts[1] == "a", parts[3] == "log", let slot = UInt64(parts[4]) else {
            return nil
        }
        // Below the head it is a ghost in a slot that was truncated: the floor tells devices so (SYNC.md 4).
        guard slot > head else { return nil }
        guard slot == head + 1 else { return "I1: slot \(slot) was written after slot \(head)" }
        do {
            return try apply(bytes, slot)
        } catch {
            return "slot \(slot) cannot be replayed: \(error)"
        }
    }

    private func apply(_ bytes: [UInt8], _ slot: UInt64) throws -> String? {
        guard case .entry(let entry) = try LogEntry.decode(bytes), let commit = entry.commit else {
            return "slot \(slot) is of another version, or too large for a history"
        }
        head = slot
        for operation in commit.batch.operations { remember(operation) }
        let change = try storage.write { transaction in
            try TreeState(transaction, rules: rules).apply(commit, entryHash: ContentHash(of: bytes))
        }
        sums[slot] = try storage.read { try $0.recordSum() }
        guard !change.isTwin else { return nil }
        let (device, n) = (commit.batch.device, commit.batch.n)
        guard n > effective[device, default: 0] else {
            return "I3: batch \(n) of a device took effect after \(effective[device, default: 0])"
        }
        effective[device] = n
        return nil
    }

    private func remember(_ operation: Operation) {
        switch operation {
        case .create(let creation): remember(creation.content)
        case .edit(let edit): remember(edit.content)
        default: break
        }
    }

    private func remember(_ content: Content) {
        if case .file(let file) = content { committed.insert(file.hash) }
    }

    /// What live items and unnamed withdrawn ones refer to.
    var liveChunks: [ChunkRecord] {
        let all = (try? storage.read { try $0.chunks(after: nil, limit: .max) }) ?? []
        return all.filter { $0.liveCount > 0 }
    }

    var nodes: [Node] {
        (try? storage.read { try $0.nodes(after: nil, limit: .max) }) ?? []
    }

    /// Contents of live items, current and conflict versions.
    var liveHashes: Set<ContentHash> {
        var found: Set<ContentHash> = []
        for node in nodes where node.isLive {
            for case .file(let file) in node.contents.map(\.content) { found.insert(file.hash) }
        }
        return found
    }
}
