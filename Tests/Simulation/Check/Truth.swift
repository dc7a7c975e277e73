internal import CloudStore
internal import CloudSync
internal import SyncChecks
internal import SyncLog

/// The log as it really is, read at the moment each entry came to lie in the store, and the tree that
/// follows.
final class Truth {
    let storage = MemoryStorage()
    private let rules: SafetyRules
    /// Contents that any commit ever named.
    private(set) var committed: Set<ContentHash> = []
    /// Contents that any commit took out of the cloud: its sender has them, and perhaps nobody else.
    private(set) var withdrawn: Set<Token> = []
    /// The tree's sum after each slot, which every device's has to equal at that slot.
    private(set) var sums: [UInt64: HashSum] = [0: HashSum()]
    private(set) var head: UInt64 = 0
    /// The log up to it may be gone.
    private(set) var floor: UInt64 = 0
    /// Whose log it is, by its name in the store; empty: nobody's yet.
    var container = ""
    /// How far the logs' time may have come; nil: as far as a server's clock says.
    var pace: TimePace?
    /// (dev, n) that took effect (I3).
    private var effective: [DeviceID: UInt64] = [:]

    private let met: Met
    private let ledger: Ledger
    private let unsaid: Set<Plan.Word>
    /// The operations by themselves, so that a fault of replay cannot excuse itself.
    private var audit = ReplayLedger()
    private var partings = Partings()
    /// Directories that a person took away, knowing them.
    var seenDirectories: [FileID] = []
    /// Conflict versions that a device listed when its person took their item away: only these may a delete
    /// take beside what lay there (SYNC.md 3).
    var seenVersions: Set<Revision> = []
    /// Of each entry, for who writes a slot again.
    private var hashes: [UInt64: ContentHash] = [:]
    /// What people brought back of each item, in the place of what it had.
    var broughtBack: [FileID: Set<ContentHash>] = [:]
    /// Revisions of contents that people said may go.
    var asked: Set<Revision> = []
    /// Whether a content lies whole on some device's disk, or in the cloud to stay.
    var isHeld: (Token) -> Bool = { _ in true }
    /// Whether it has a name on a device's disk.
    var isShown: (Token, Int) -> Bool = { _, _ in true }
    /// Whose device that is.
    var author: (DeviceID) -> Int? = { _ in nil }
    /// Of the history's writers.
    var bounds: BatchLimits?
    /// Operations that lie in the store beside their entry.
    var list: (SpilledOperations) -> [UInt8]? = { _ in nil }
    /// For who reads along.
    var tell: (@autoclosure () -> String) -> Void = { _ in }

    init(rules: SafetyRules, ledger: Ledger, met: Met, unsaid: Set<Plan.Word>) {
        self.met = met
        self.rules = rules
        self.ledger = ledger
        self.unsaid = unsaid
    }

    /// An object came to lie in the store.
    /// - Returns: what is wrong with it.
    func note(_ key: ObjectKey, _ bytes: [UInt8]) -> String? {
        let parts = key.text.split(separator: "/")
        if key.text.contains("/log/"), case .entry(let entry) = try? LogEntry.decode(bytes),
            let wrong = pace?.note(entry.time, at: ledger.now())
        {
            return "\(key): \(wrong)"
        }
        guard parts.count == 5, parts[1] == "a", parts[2] == container, let slot = UInt64(parts[4])
        else { return nil }
        if parts[3] == "floor" { floor = max(floor, slot) }
        guard parts[3] == "log" else { return nil }
        // Below the floor it is a ghost: that tells devices so (SYNC.md 4).
        guard slot > head else {
            return slot <= floor || hashes[slot] == ContentHash(of: bytes)
                ? nil : "I1: slot \(slot) is another than it was"
        }
        guard slot == head + 1 else { return "I1: slot \(slot) was written after slot \(head)" }
        do {
            return try apply(bytes, slot)
        } catch {
            return "slot \(slot) cannot be replayed: \(error)"
        }
    }

    private func apply(_ bytes: [UInt8], _ slot: UInt64) throws -> String? {
        guard case .entry(let entry) = try LogEntry.decode(bytes), let commit = try commit(of: entry) else {
            return "slot \(slot) is of another version, or its operations are not there"
        }
        if let bounds {
            if commit.batch.isFull(bounds) { met.note(.fullBatch) }
            if commit.batch.operations.count > bounds.operations { met.note(.unboundBatch) }
        }
        head = slot
        hashes[slot] = ContentHash(of: bytes)
        for operation in commit.batch.operations { tell("    slot \(slot): \(describe(operation))") }
        for operation in commit.batch.operations { remember(operation) }
        let unseen = try storage.read { transaction in
            try commit.batch.operations.compactMap {
                try account(for: $0, of: commit.batch, in: transaction)
            }.first
        }
        let author = author(commit.batch.device)
        try storage.read { transaction in
            try partings.note(commit.batch, in: transaction) { hash in
                guard let author, let token = ledger.token(of: hash) else { return .none }
                let parting = ledger.parting(token, on: author)
                return isShown(token, author) ? min(parting, .oneName) : parting
            }
        }
        if let unseen { return "slot \(slot): \(unseen)" }
        let leaving = try storage.read { try contentsWithdrawn(by: commit.batch, in: $0) }
        withdrawn.formUnion(leaving)
        let change = try storage.write { transaction in
            try TreeState(transaction, rules: rules).apply(commit, entryHash: ContentHash(of: bytes))
        }
        if let lost = lost(of: leaving) {
            return "slot \(slot): content \(lost.number) is withdrawn and on no device"
        }
        sums[slot] = try storage.read { try $0.recordSum() }
        audit.note(commit.batch, seenDirectories: seenDirectories)
        audit.note(merged: change.merged)
        let findings = try storage.read { try TreeInvariants.findings(in: $0) }
        if let finding = findings.first { return "I6: after slot \(slot) \(finding)" }
        if entry.treeHash != nil { met.note(.treeHash) }
        guard !change.isTwin else {
            met.note(.batchTwice)
            return nil
        }
        let (device, n) = (commit.batch.device, commit.batch.n)
        guard n > effective[device, default: 0] else {
            return "I3: batch \(n) of a device took effect after \(effective[device, default: 0])"
        }
        effective[device] = n
        return nil
    }

    private func commit(of entry: LogEntry) throws -> Commit? {
        guard case .spilled(let spilled) = entry.body else { return entry.commit }
        met.note(.operationsBesideTheLog)
        return try list(spilled).map(entry.commit(spilled:))
    }

    /// Whose work an operation takes away: versions that a delete names were listed where somebody took their
    /// item away, or are still owed.
    /// - Returns: what is wrong with it.
    private func account(
        for operation: Operation, of batch: Batch, in tree: any SyncTransaction
    ) throws -> String? {
        switch operation {
        case .move(let file, _, _) where unsaid.contains(.move):
            return "SYNC.md 5: \(name(of: file, tree)) is moved, and nobody did that"
        case .delete(let deletion) where unsaid.contains(.delete):
            return "SYNC.md 5: \(name(of: deletion.file, tree)) is deleted, and nobody did that"
        case .create(let new) where isEmptiness(new.content): return "I8: \(new.name) is sent as emptiness"
        case .edit(let edit) where isEmptiness(edit.content): return "I8: \(edit.name) is sent as emptiness"
        case .edit(let edit):
            guard case .file(let file) = edit.content, let node = try tree.item(edit.file),
                // Somebody asked for it before it became one with another of its name, perhaps.
                ([node.id] + node.aliases).contains(where: { broughtBack[$0]?.contains(file.hash) ?? false })
            else { return nil }
            for version in node.contents where version.revisions.contains(edit.base) {
                if let token = token(of: version) { ledger.supersede(token, on: -1) }
            }
        case .resolve(let resolution):
            guard let node = try tree.item(resolution.file) else { return nil }
            let named = Set(resolution.contents)
            for version in node.contents
            where named.isSuperset(of: version.revisions) && !version.revisions.contains(resolution.keep)
                && !batch.creates(version.content)
                // What a device made itself lies before its person.
                && version.revisions.contains(where: { asked.contains($0) || $0.device == batch.device })
            {
                if let token = token(of: version) { ledger.supersede(token, on: -1) }
            }
        case .delete(let deletion):
            guard let node = try tree.item(deletion.file) else { return nil }
            let named = Set(deletion.contents)
            for version in node.contents
            where named.isSuperset(of: version.revisions)
                && !seenVersions.isDisjoint(with: version.revisions)
            {
                if let token = token(of: version) { ledger.supersede(token, on: -1) }
            }
        default: break
        }
        return nil
    }

    private func contentsWithdrawn(by batch: Batch, in tree: any SyncTransaction) throws -> [Token] {
        try batch.operations.flatMap { operation -> [Token] in
            guard case .withdraw(let file, let contents) = operation else { return [] }
            let named = try tree.item(file)?.contents.filter { !Set(contents).isDisjoint(with: $0.revisions) }
            return (named ?? []).compactMap(token)
        }
    }

    /// What was withdrawn is in its sender's hands. What was exchanged with another item first lives there,
    /// were it as a version that the sender does not hold any more.
    private func lost(of withdrawn: [Token]) -> Token? {
        withdrawn.first { ledger.isOwed($0) && !isHeld($0) }
    }

    /// What a file reads as whose bytes are not there.
    private func isEmptiness(_ content: Content) -> Bool {
        guard case .file(let file) = content, file.sizeBytes > 0, file.sizeBytes < 1 << 14 else {
            return false
        }
        return file.hash == ContentHash(of: [UInt8](repeating: 0, count: Int(file.sizeBytes)))
    }

    private func name(of file: FileID, _ tree: any SyncTransaction) -> String {
        (try? tree.item(file)?.name) ?? "what nobody knows"
    }

    /// What the operations by themselves promised and the tree does not have.
    var auditFindings: [String] {
        (try? storage.read { try audit.findings(in: $0) }) ?? ["the tree cannot be read"]
    }

    /// An operation in a person's words.
    private func describe(_ operation: Operation) -> String {
        func id(_ file: FileID) -> String { String(String(file.bits, radix: 16).suffix(4)) }
        func content(_ content: Content) -> String {
            if case .file(let file) = content {
                "content \(ledger.name(of: file.hash))"
            } else {
                "\(content)"
            }
        }
        func revisions(_ all: [Revision]) -> String {
            all.map { "\(String($0.device.bits, radix: 16).suffix(3))/\($0.n)/\($0.index)" }.joined(
                separator: " ")
        }
        switch operation {
        case .create(let new):
            return "create \(id(new.file)) \(new.name) in \(id(new.parent)) \(content(new.content))"
        case .edit(let edit):
            return "edit \(id(edit.file)) on \(revisions([edit.base])) \(content(edit.content))"
        case .move(let file, let parent, let name): return "move \(id(file)) to \(name) in \(id(parent))"
        case .setAttributes(let file, _): return "attributes of \(id(file))"
        case .delete(let gone):
            return "delete \(id(gone.file)) at \(revisions([gone.place])) with \(revisions(gone.contents))"
        case .withdraw(let file, let contents): return "withdraw \(id(file)) with \(revisions(contents))"
        default: return "\(operation)"
        }
    }

    /// Each item that held it lost it to somebody who had it before him there.
    func isAnswered(_ token: Token) -> Bool { ledger.hash(of: token).map(partings.isAnswered) ?? false }

    private func token(of version: Version) -> Token? {
        if case .file(let file) = version.content { ledger.token(of: file.hash) } else { nil }
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

    /// Contents of live items, current and conflict versions, and of withdrawn ones.
    var liveHashes: Set<ContentHash> { hashes { _ in true } }

    /// Without what is kept for a while only, because its sender took it out of the cloud.
    var lastingHashes: Set<ContentHash> { hashes { $0.withdrawn == nil } }

    private func hashes(where fits: (Version) -> Bool) -> Set<ContentHash> {
        var found: Set<ContentHash> = []
        for node in nodes {
            for case .file(let file) in node.contents.filter(fits).map(\.content) { found.insert(file.hash) }
        }
        return found
    }
}

extension Batch {
    /// Whether it had no room for another operation.
    fileprivate func isFull(_ limits: BatchLimits) -> Bool {
        operations.count >= limits.operations || EncodedBatch(self).operations.count >= limits.bytes
    }

    /// Whether it brings an item that holds this.
    fileprivate func creates(_ content: Content) -> Bool {
        guard case .file(let file) = content else { return false }
        return operations.contains { operation in
            guard case .create(let creation) = operation, case .file(let created) = creation.content else {
                return false
            }
            return created.hash == file.hash
        }
    }
}
