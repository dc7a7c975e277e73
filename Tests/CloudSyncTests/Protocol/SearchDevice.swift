import CloudStore
import Posix

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// One device of a small world: what it has to say, what is durable of it, and the request that it waits for.
// Unchecked: see SearchWorld.
final class SearchDevice: @unchecked Sendable {
    let index: Int
    let storage = MemoryStorage()
    private let operations: Int
    private unowned let world: SearchWorld
    var pending: SearchWorld.Pending?
    private(set) var heard = SearchHash()
    private(set) var isDone = false
    var isEnded = false
    private var lives: UInt64 = 0

    init(_ index: Int, says operations: Int, in world: SearchWorld) {
        self.index = index
        self.operations = operations
        self.world = world
    }

    func client(_ store: any ObjectStore) -> LogClient {
        LogClient(
            name: .container(ContainerName(bits: 1)), app: "local.test",
            account: Account(store: store, format: world.format), storage: storage,
            surroundings: SyncSurroundings(
                store: store, clock: SearchClock(),
                randomness: ContentFixture.Random(UInt64(index + 1) << 32 | lives),
                executor: world.executor, events: SilentSink()))
    }

    /// Begins with what is durable.
    func begin() {
        lives += 1
        let log = client(SearchStore(world, self))
        Task(executorPreference: world.executor) { [self] in await live(log) }
    }

    private func live(_ log: LogClient) async {
        let life = lives
        while true {
            do {
                try log.open()
                let (journal, frozen) = try storage.read { (try $0.journal(), try $0.frozenBatch()) }
                let said = Int((journal?.nextBatch ?? 1) - 1)
                if frozen == nil {
                    guard said < operations, let journal else { break }
                    try log.freeze([operation(said, journal.device)])
                }
                try await log.push()
            } catch {
                // As the engine does, it tries again: what was left undone is in storage.
                if isEnded || life != lives || (error as? SyncFailure) == .ended { return }
            }
        }
        isDone = true
    }

    /// A new document, then edits of it, each of what the one before made: told twice, an edit would be a
    /// conflict with itself.
    private func operation(_ number: Int, _ device: DeviceID) -> SyncLog.Operation {
        let file = FileID(bits: UInt128(index + 1))
        let name = "document \(index)"
        let attributes = Attributes(mode: 0o644, modified: 0)
        let content = Content.file(content(number))
        if number == 0 {
            return .create(
                Creation(
                    file: file, parent: .root, name: name, content: content, attributes: attributes))
        }
        return .edit(
            Edit(
                file: file, base: Revision(device: device, n: UInt64(number), index: 0), content: content,
                attributes: attributes, parent: .root, name: name))
    }

    func content(_ number: Int) -> FileContent {
        let hash = ContentHash(of: [UInt8(index), UInt8(number)])
        return FileContent(
            hash: hash, sizeBytes: 2, chunks: [Chunk(hash: hash, sizeBytes: 2, locator: .object(1))])
    }

    /// What is to be found of it at the end, in every tree.
    var last: (file: FileID, hash: ContentHash) {
        (FileID(bits: UInt128(index + 1)), content(operations - 1).hash)
    }

    func hear(_ fate: SearchChoice.Fate) { heard.add(Array("\(fate)".utf8)) }
    func hear(_ answer: UInt64) { heard.add(answer) }
}

/// Time stands still, and nobody waits: what a wait lets happen is a choice of its own.
struct SearchClock: SyncClock {
    func now() -> UInt64 { 1_000_000_000 }
    func wallTime() -> Int64 { 1_800_000_000_000_000_000 }
    func sleep(until moment: UInt64) async throws { try Task.checkCancellation() }
}

/// The store as one device sees it: each request waits for its fate.
struct SearchStore: ObjectStore {
    let world: SearchWorld
    let device: SearchDevice
    var traits: StoreTraits { StoreTraits(clockIsOurs: false, parallelRequests: 1) }

    init(_ world: SearchWorld, _ device: SearchDevice) {
        self.world = world
        self.device = device
    }

    private func request<Value>(
        isWrite: Bool = false, _ mark: @escaping (Value) -> UInt64,
        _ perform: @escaping () -> Value
    ) async throws(StoreError) -> Dated<Value> {
        if device.isEnded { throw .cancelled }
        let fate = await withCheckedContinuation { continuation in
            device.pending = SearchWorld.Pending(
                isWrite: isWrite, perform: { mark(perform()) },
                resume: { continuation.resume(returning: $0) })
        }
        switch fate {
        case .answered:
            let value = perform()
            device.hear(mark(value))
            return Dated(value, at: world.date)
        case .requestLost, .late: throw .unknownOutcome("no answer")
        case .replyLost:
            _ = perform()
            throw .unknownOutcome("no answer")
        case .undecided: throw .undecided
        case .crashAfter:
            _ = perform()
            throw .cancelled
        case .crashBefore: throw .cancelled
        }
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        try await request(
            isWrite: true, { $0 == .written ? 1 : 2 }, { world.putIfAbsent(bytes, at: key) })
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        try await request(Self.mark) { world.objects[key] }
    }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await request(
            { UInt64($0.objects.count) }, { world.list(prefix, after: after, limit: limit) })
    }

    private static func mark(_ object: StoredObject?) -> UInt64 {
        var hash = SearchHash()
        if let object { hash.add(object.bytes) }
        return hash.value
    }

    /// The log asks nothing else.
    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        throw .unsupported("put")
    }
    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> { throw .unsupported("head") }
    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> { throw .unsupported("delete") }
}
