import CloudStore
import StoreBasics

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// The log and the store's bytes, as values.
final class TestCloud: @unchecked Sendable {
    var log: [Commit] = []
    var contents: [ContentHash: [UInt8]] = [:]
    /// Seconds that went by beside those of the commits.
    var passed: Int64 = 0

    func holds(_ text: String) -> Bool { contents[ContentHash(of: Array(text.utf8))] != nil }

    static func hash(of sequence: UInt64) -> ContentHash { ContentHash(high: 0, low: UInt128(sequence)) }

    func append(_ batch: Batch) {
        let sequence = UInt64(log.count) + 1
        log.append(
            Commit(
                sequence: sequence, previous: Self.hash(of: sequence - 1),
                time: StoreTime(seconds: 1_000_000 + Int64(sequence) + passed), batch: batch,
                batchHash: ContentHash(high: 1, low: UInt128(batch.device.bits) << 32 | UInt128(batch.n))))
    }
}

struct TestSource: DownloadSource {
    let cloud: TestCloud

    func download(
        _ content: FileContent, _ body: ([UInt8]) throws(LocalError) -> Void
    ) async throws(DownloadError) {
        guard let bytes = cloud.contents[content.hash] else { throw .unavailable }
        do { try body(bytes) } catch { throw .local(error) }
    }
}

final class TestRandomness: SyncRandomness, @unchecked Sendable {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A device whose engine does one step at a time, as a test asks.
final class TestDevice {
    let id: DeviceID
    let disk = TestDisk()
    let storage: TestStorage
    let cloud: TestCloud
    let random: TestRandomness
    let rules: SafetyRules
    var touched = Touched()
    /// How much one plan takes up.
    var planLimit = UpPlanner.itemsInPlan
    /// How many of a directory's items are looked at for it, and forgotten at once.
    var downLimit = Int.max
    /// Inferred deletes are meant.
    var isConfirmed = false
    private var n: UInt64 = 0
    /// Told what happens, for the replay of a seed.
    var trace: (String) -> Void = { _ in }

    init(
        _ number: UInt64, _ cloud: TestCloud, rules: SafetyRules = .all,
        storage: any SyncStorage = MemoryStorage()
    ) {
        id = DeviceID(bits: UInt128(number))
        random = TestRandomness(number)
        self.cloud = cloud
        self.rules = rules
        self.storage = TestStorage(storage)
    }

    var applier: Applier {
        Applier(
            disk: disk, storage: storage, source: TestSource(cloud: cloud), randomness: random, rules: rules,
            limit: downLimit)
    }

    /// What there is to tell now.
    func planUp(isConfirmed: Bool? = nil) throws -> UpPlan {
        let isConfirmed = isConfirmed ?? self.isConfirmed
        touched.formUnion(Touched(disk.takeChanges()))
        return try storage.read { transaction in
            try UpPlanner(transaction, disk: disk, rules: rules, limit: planLimit) { [random] in
                FileID(bits: UInt128(random.next()) << 64 | UInt128(random.next()))
            }.plan(touched, isConfirmed: isConfirmed)
        }
    }

    /// Tells it: journals and commits.
    @discardableResult
    func up() throws -> UpPlan {
        let plan = try planUp()
        trace("  up \(id.bits): \(try lines(plan)) being written \(plan.retryLater.map(\.text))")
        try commit(plan.drafts)
        try storage.write { try $0.addPending(plan.stirred) }
        let (trail, removed) = (touched.trail, touched.removed)
        touched = plan.rest
        touched.unseen.formUnion(plan.retryLater)
        if !touched.isEmpty { touched.removed = removed }
        if !plan.isCutOff { touched.trail = trail.leading(to: touched.unseen.union(touched.paths)) }
        return plan
    }

    func commit(_ drafts: [Draft]) throws {
        n += 1
        var frozen: [FrozenDraft] = []
        var operations: [Operation] = []
        for draft in drafts {
            guard let (content, fingerprint) = try? read(draft) else { continue }
            let operation = draft.operation(content)
            let revision = operation.map { _ in
                Revision(device: id, n: n, index: UInt32(operations.count))
            }
            if let operation { operations.append(operation) }
            frozen.append(
                FrozenDraft(
                    draft: draft, operation: operation, revision: revision, fingerprint: fingerprint,
                    hash: content?.hash))
        }
        try storage.write { try $0.freeze(frozen) }
        guard !operations.isEmpty else {
            n -= 1
            return try storage.write { try $0.finishBatch() }
        }
        cloud.append(Batch(device: id, n: n, operations: operations))
        try storage.write { try $0.finishBatch() }
    }

    private func read(_ draft: Draft) throws -> (FileContent?, Fingerprint?) {
        var bytes: [UInt8] = []
        var fingerprint: Fingerprint?
        switch draft.source {
        case .file:
            fingerprint = try disk.read(draft.path, expecting: draft.fingerprint) { bytes += $0 }
        case .displaced(let displaced):
            try disk.readDisplaced(displaced) { bytes += $0 }
        case .directory, .symlink, nil:
            return (nil, nil)
        }
        let hash = ContentHash(of: bytes)
        cloud.contents[hash] = bytes
        let chunks =
            bytes.isEmpty
            ? [] : [Chunk(hash: hash, sizeBytes: UInt32(bytes.count), locator: .object(1))]
        return (FileContent(hash: hash, sizeBytes: UInt64(bytes.count), chunks: chunks), fingerprint)
    }

    /// Takes in the log.
    func pull() throws {
        try storage.write { transaction in
            while let commit = try cloud.log.dropFirst(Int(transaction.treeCursor())).first {
                _ = try transaction.take(
                    CommitPart(commit), entryHash: TestCloud.hash(of: commit.sequence),
                    isOwn: commit.batch.device == id, rules: rules)
            }
        }
    }

    /// Brings it to the disk, as far as that can be done now.
    @discardableResult
    func down() async throws -> Applied {
        var all = Applied()
        for _ in 0..<20 {
            let plan = try planDown()
            touched.unseen.formUnion(plan.unseen)
            try storage.write { try $0.note(plan, pending: $0.pending(after: nil, limit: 100_000)) }
            trace(
                "  down \(id.bits): \(plan.actions.map(\.text)) unseen \(plan.unseen.map(\.text).sorted()) "
                    + "deferred \(plan.deferred.count)")
            guard !plan.actions.isEmpty else { break }
            let applied = try await apply(plan)
            trace("    changed \(applied.changed.map(\.text)) unseen \(applied.unseen.map(\.text))")
            touched.unseen.formUnion(applied.unseen)
            touched.formUnion(Touched(disk.takeChanges()))
            touched.follow(applied.moved)
            touched.whole.formUnion(applied.whole)
            all.changed += applied.changed
            all.failures += applied.failures
        }
        return all
    }

    /// - Throws: as the applier, after what it did before was noted.
    func apply(_ plan: DownPlan) async throws -> Applied {
        var applied = Applied()
        do { try await applier.apply(plan.actions, &applied) } catch {
            touched.follow(applied.moved)
            throw error
        }
        return applied
    }

    func planDown() throws -> DownPlan {
        try storage.read { transaction in
            let pending = try transaction.pending(after: nil, limit: 100_000)
            return try DownPlanner(transaction, disk: disk, rules: rules, limit: downLimit).plan(pending)
        }
    }

    /// Everything that one engine's round does.
    func round() async throws {
        try pull()
        try await down()
        try commit(applier.compareDisplaced() + storage.read { try $0.namings() })
        try up()
        try pull()
        try await down()
    }

    /// The device died: what was in memory is gone.
    func restart() throws {
        disk.crashAt = nil
        storage.crashAt = nil
        touched = try applier.recover()
        touched.whole = [LocalPath()]
    }

    var pending: Int { (try? storage.read { try $0.pendingCount() }) ?? -1 }
}

/// A storage whose device may die before or after a write.
final class TestStorage: SyncStorage, @unchecked Sendable {
    let base: any SyncStorage
    var writes = 0
    /// Even: before that write; odd: right behind it.
    var crashAt: Int?

    init(_ base: any SyncStorage) { self.base = base }

    func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try base.read(body)
    }

    func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        writes += 2
        if crashAt == writes - 2 { throw LocalError.ended }
        let result = try base.write(body)
        if crashAt == writes - 1 { throw LocalError.ended }
        return result
    }

    func frozen() throws -> any TreeDatabase { try base.frozen() }
}

/// Rounds of all devices until nothing moves.
func convergeAll(_ devices: [TestDevice], rounds: Int = 200) async throws -> Int {
    var last: Int?
    for round in 0..<rounds {
        for device in devices { try await device.round() }
        let length = devices[0].cloud.log.count
        let isQuiet = devices.allSatisfy { $0.touched.isEmpty && $0.pending == 0 && $0.disk.changes.isEmpty }
        if isQuiet, last == length { return round }
        last = length
    }
    return rounds
}
