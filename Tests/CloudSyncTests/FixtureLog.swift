import CloudStore
import Posix

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A container's log and the tree that it makes, written by one device without the engine.
final class FixtureLog {
    let account: Account
    let container: ContainerName
    let storage = MemoryStorage()
    let writer: ContentWriter
    let clock: ContentFixture.Clock
    private let device: DeviceID
    private var n: UInt64 = 0

    init(_ account: Account, clock: ContentFixture.Clock, random: ContentFixture.Random, name: UInt128 = 77) {
        self.account = account
        self.clock = clock
        container = ContainerName(bits: name)
        device = DeviceID(bits: UInt128(random.next()))
        writer = ContentWriter(account, clock: clock, randomness: random)
    }

    var log: LogName { .container(container) }
    var snapshots: SnapshotReader { SnapshotReader(account, log: log) }

    /// Appends a batch to the log and to the tree.
    @discardableResult
    func commit(_ operations: [Operation], spill: Bool = false) async throws -> Revision {
        n += 1
        let batch = EncodedBatch(Batch(device: device, n: n, operations: operations))
        let head = try storage.read { try $0.treeHead() }
        var spilled: SpilledOperations?
        if spill {
            let place = SpilledOperations(
                hash: ContentHash(of: batch.operations), sizeBytes: UInt32(batch.operations.count),
                locator: .object(n), count: UInt32(operations.count))
            _ = try await account.store.putIfAbsent(
                batch.operations, at: account.layout.object(of: place.hash, at: place.locator))
            spilled = place
        }
        let entry = LogEntry(
            sequence: head.sequence + 1, previous: head.entryHash, time: clock.storeTime, batch: batch,
            spilled: spilled)
        let bytes = entry.encoded()
        _ = try await account.store.putIfAbsent(bytes, at: account.layout.logEntry(log, entry.sequence))
        let commit = Commit(
            sequence: entry.sequence, previous: entry.previous, time: entry.time, batch: batch.batch,
            batchHash: batch.hash)
        try storage.write { _ = try TreeState($0).apply(commit, entryHash: ContentHash(of: bytes)) }
        return batch.batch.revision(of: 0)
    }

    /// Sends files and commits them under new ids, named by their index.
    @discardableResult
    func create(_ files: [[UInt8]], from first: UInt128 = 1) async throws -> (Revision, ContentPlan) {
        let plan = try await writer.plan(ContentFixture.cut(files, account), known: [:])
        _ = try await writer.send(plan, from: ContentFixture.Files(files))
        let operations = plan.contents.enumerated().map { index, content in
            Operation.create(
                Creation(
                    file: FileID(bits: first + UInt128(index)), parent: .root,
                    name: "file \(first + UInt128(index))", content: .file(content),
                    attributes: Attributes(mode: 0o644, modified: 0)))
        }
        return (try await commit(operations), plan)
    }

    /// Takes an item out of the tree; its contents become history.
    func delete(_ id: UInt128) async throws {
        let found = try storage.read { try $0.node(FileID(bits: id)) }
        guard let node = found else { return }
        try await commit([
            .delete(
                Deletion(file: node.id, place: node.place, contents: node.contents.flatMap(\.revisions)))
        ])
    }

    /// Appends an entry that changes nothing but the log's time.
    func touch(spill: Bool = false) async throws {
        try await commit([.move(file: FileID(bits: .max), parent: .root, name: "nobody")], spill: spill)
    }

    func snapshot() async throws -> SnapshotInfo? {
        try await SnapshotWriter(account, log: log, writer: writer).write(storage)
    }

    func content(_ id: UInt128) throws -> FileContent? {
        guard case .file(let content)? = try storage.read({ try $0.node(FileID(bits: id))?.current?.content })
        else { return nil }
        return content
    }
}
