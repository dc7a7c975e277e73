import CloudStore
import Posix
import TestKit

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Several devices that commit files of a few common chunks while collectors run, all of them suspended for
/// hours or weeks at any request, some lost for ever between a commit and its second look. The writer, the
/// collector and the trees are the product's; the log's race is left out: a commit is one step.
// Unchecked: the stage lets one task run at a time, and hands over under its lock.
final class CollectionModel: @unchecked Sendable {
    let clock = ContentFixture.Clock()
    let random: ContentFixture.Random
    let rules: SafetyRules
    let store: MemoryStore
    let format: AccountFormat
    let log: FixtureLog
    let stage = Stage()
    /// Files whose device says that they are safe.
    private var durable: Set<FileID> = []
    /// Where their chunks were when their devices said so, and where they were moved since.
    private var proven: Set<Place> = []
    private var nextFile: UInt128 = 1
    /// What devices sent for batches that they dropped: looked at before it is sent again.
    private var leftovers: [ContentHash: KnownChunk] = [:]
    /// Who sleeps until when.
    private var sleeping: [Int: UInt64] = [:]
    private(set) var dangling: [String] = []
    private(set) var deleted = 0
    private(set) var commits = 0

    /// Chunks that files are made of: few, so that they meet again.
    private let pool: [[UInt8]]

    init(seed: UInt64, removed: SafetyRule?) {
        random = ContentFixture.Random(seed)
        rules = SafetyRules(removed: removed.map { [$0] } ?? [])
        let (clock, random) = (clock, random)
        store = MemoryStore { clock.storeTime }
        format = AccountFormat(random: random)
        pool = (0..<5).map { _ in random.bytes(40) }
        log = FixtureLog(Account(store: store, format: format), clock: clock, random: random)
    }

    func run() async {
        let devices = 3
        for id in 0..<devices + 2 {
            stage.enter()
            Task {
                await self.stage.pause(id)
                if id < devices { await self.live(id) } else { await self.collect(id) }
                self.stage.leave()
            }
        }
        await stage.direct { ids in
            self.passTime()
            if self.random.below(12) == 0 {
                self.sleep(ids[self.random.below(ids.count)])
            }
            let awake = ids.filter { self.sleeping[$0, default: 0] <= self.clock.now() }
            if awake.isEmpty {
                // Everybody sleeps: until the first wakes.
                let id = ids.min { self.sleeping[$0, default: 0] < self.sleeping[$1, default: 0] } ?? ids[0]
                let wait = self.sleeping[id, default: 0] - self.clock.now()
                self.clock.advance(days: Double(wait) / 86_400e9)
                return id
            }
            return awake[self.random.below(awake.count)]
        }
        await look("at the end")
    }

    private func sleep(_ id: Int) {
        let days = Double(1 + random.below(200)) / 8
        sleeping[id] = clock.now() + UInt64(days * 86_400e9)
    }

    private func passTime() {
        switch random.below(60) {
        case 0: clock.advance(days: Double(random.below(40)) / 4)
        case 1...6: clock.advance(days: Double(random.below(20)) / 24)
        default: clock.advance(days: 1.0 / 1_440)
        }
    }

    private var layout: StoreLayout { StoreLayout(nameKey: format.nameKey) }

    // MARK: A device

    private func account(_ id: Int) -> Account {
        let store = StagedStore(base: store, stage: stage, clock: clock, id: id, random: random)
        return Account(store: store, format: format)
    }

    private func live(_ id: Int) async {
        let account = account(id)
        let writer = ContentWriter(account, clock: clock, randomness: random, rules: rules)
        for _ in 0..<10 {
            do {
                if random.below(3) == 0 { try await delete() } else { try await create(writer, id) }
            } catch {
                // The store was away for long: the device gives this one up, what it sent is an orphan.
                continue
            }
        }
    }

    private func known() throws -> [ContentHash: KnownChunk] {
        let records = try log.storage.read { try $0.chunks(after: nil, limit: .max) }
        // Nothing is said that this does not know.
        let now = StoreMoment(date: clock.storeTime, clock: clock.now())
        return Dictionary(
            uniqueKeysWithValues: records.map { ($0.hash, KnownChunk($0, format.retention, readAt: now)) })
    }

    private func create(_ writer: ContentWriter, _ id: Int) async throws {
        let parts = (0..<1 + random.below(2)).map { _ in pool[random.below(pool.count)] }
        let files = CutContent.file(of: parts)
        let source = BytesInMemory([parts.flatMap { $0 }])
        let plan = try await writer.plan(
            [files], known: leftovers.merging(try known()) { _, committed in committed })
        let sent = try await writer.send(plan, from: source)
        guard sent.stale.isEmpty else { return }
        if random.below(5) == 0 {
            // Frozen anew, perhaps much later.
            for chunk in plan.contents[0].chunks {
                leftovers[chunk.hash] = KnownChunk(locator: chunk.locator, referencedSince: nil)
            }
            return
        }
        if random.below(5) == 0 { sleep(id) }
        await stage.pause(id)
        let file = FileID(bits: nextFile)
        nextFile += 1
        // What the log said before and says again is proven anew, or not.
        for chunk in plan.contents[0].chunks where now(chunk) != chunk { proven.remove(Place(chunk)) }
        try await commit([
            .create(
                Creation(
                    file: file, parent: .root, name: "\(file.bits)", content: .file(plan.contents[0]),
                    attributes: Attributes(mode: 0, modified: 0)))
        ])
        var (checks, date) = (sent.checks, clock.storeTime)
        let isLate = !checks.hold(at: date, clock: clock.now(), format.retention)
        // A device that is lost here never said that the file is safe.
        if random.below(isLate ? 2 : 8) == 0 { return }
        var chunks = plan.contents[0].chunks
        while !checks.hold(at: date, clock: clock.now(), format.retention, rules) {
            let found = try await patiently { () async throws(ContentError) in
                chunks = chunks.map(self.now)
                return try await writer.check(chunks, known: (try? self.known()) ?? [:])
            }
            checks = found.checks
            let healing = writer.healing(found.stale, of: [files])
            let again = try await patiently { () async throws(ContentError) in
                try await writer.send(healing, from: source)
            }
            checks.merge(again.checks)
            await stage.pause(id)
            if !healing.relocations.isEmpty { try await commit([.relocate(healing.relocations)]) }
            date = clock.storeTime
            let moves = Dictionary(uniqueKeysWithValues: healing.relocations.map { ($0.chunk, $0.locator) })
            for index in chunks.indices {
                chunks[index].locator = moves[chunks[index].hash] ?? chunks[index].locator
            }
        }
        proven.formUnion(chunks.map(Place.init))
        durable.insert(file)
    }

    /// Tried again while the store is away, as an engine does.
    private func patiently<Value: Sendable>(
        _ body: () async throws(ContentError) -> Value
    ) async throws -> Value {
        for _ in 0..<20 {
            do { return try await body() } catch { continue }
        }
        return try await body()
    }

    /// A chunk where the log says now.
    private func now(_ chunk: Chunk) -> Chunk {
        var chunk = chunk
        if let record = try? log.storage.read({ try $0.chunk(chunk.hash) }) { chunk.locator = record.locator }
        return chunk
    }

    private func delete() async throws {
        guard nextFile > 1 else { return }
        try await log.delete(UInt128(1 + random.below(Int(nextFile) - 1)))
    }

    private func commit(_ operations: [Operation]) async throws {
        try await log.commit(operations)
        commits += 1
        await look("after commit \(commits)")
    }

    // MARK: The collector

    private func collect(_ id: Int) async {
        let account = account(id)
        let writer = ContentWriter(account, clock: clock, randomness: random, rules: rules)
        let collector = Collector(
            account, clock: clock, writer: writer, logs: SyncedLogs.fresh(account, clock), rules: rules)
        for _ in 0..<12 {
            guard let report = try? await collector.run() else { continue }
            deleted += report.deletedObjects
            await look("after a collection")
            guard let repacked = try? await collector.repack(report.sparsePacks) else { continue }
            await stage.pause(id)
            let moves = repacked.relocations[log.container] ?? []
            if !moves.isEmpty,
                repacked.checks.hold(at: clock.storeTime, clock: clock.now(), format.retention, rules)
            {
                proven.formUnion(moves.map { Place(hash: $0.chunk, locator: $0.locator) })
                try? await commit([.relocate(moves)])
            }
        }
    }

    // MARK: What must hold

    /// Every chunk that a durable file's contents name, history too, lies where the log says; where that is a
    /// place that nobody has proven (its commit was late, and is not healed yet) it may lie where the log
    /// said before, back to a place that was proven.
    private func look(_ when: String) async {
        let (layout, durable, proven) = (layout, durable, proven)
        let needed = try? log.storage.read { tree in
            try tree.contents(of: durable).flatMap(\.chunks).map { chunk in
                let places = try tree.locators(of: chunk.hash).map { Place(hash: chunk.hash, locator: $0) }
                let last = places.firstIndex(where: proven.contains) ?? places.endIndex
                return places.prefix(last + 1).map { layout.object(of: $0.hash, at: $0.locator) }
            }
        }
        for keys in needed ?? [[]] where await !isAny(of: keys) { dangling.append("\(when): \(keys)") }
    }

    private func isAny(of keys: [ObjectKey]) async -> Bool {
        for key in keys {
            if let head = try? await store.head(key), head.value != nil { return true }
        }
        return false
    }
}

private struct Place: Hashable {
    var hash: ContentHash
    var locator: Locator

    init(hash: ContentHash, locator: Locator) {
        self.hash = hash
        self.locator = locator
    }

    init(_ chunk: Chunk) { self.init(hash: chunk.hash, locator: chunk.locator) }
}

extension CutContent {
    /// A file cut into these pieces.
    static func file(of parts: [[UInt8]]) -> CutContent {
        let whole = parts.flatMap { $0 }
        return CutContent(
            hash: ContentHash(of: whole), sizeBytes: UInt64(whole.count),
            pieces: parts.map { Piece(hash: ContentHash(of: $0), sizeBytes: UInt32($0.count)) })
    }
}

extension TreeStorage {
    fileprivate func contents(of files: Set<FileID>) throws -> [Content] {
        let current = try nodes(after: nil, limit: .max).filter { files.contains($0.id) }
            .flatMap { $0.contents.map(\.content) }
        let retained = try retainedContents(after: nil, limit: .max).filter { files.contains($0.file) }
        return current + retained.map(\.version.content)
    }
}
