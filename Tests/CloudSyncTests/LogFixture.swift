import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// One device's part in a container's log, over a store that tests share.
struct LogDevice {
    let storage: any SyncStorage
    let log: LogClient

    init(
        _ store: any ObjectStore, _ format: AccountFormat, clock: ContentFixture.Clock, seed: UInt64,
        storage: any SyncStorage = MemoryStorage(), rules: SafetyRules = .all,
        settings: SyncSettings = SyncSettings()
    ) throws {
        self.storage = storage
        log = LogClient(
            name: .container(ContainerName(bits: 1)), app: "local.test",
            account: Account(store: store, format: format), storage: storage,
            surroundings: SyncSurroundings(
                store: store, clock: clock, randomness: ContentFixture.Random(seed),
                executor: LogFixture.executor, events: SilentSink(), rules: rules, settings: settings))
        try log.open()
    }

    func create(_ name: String, file: UInt64) throws {
        try log.freeze([LogFixture.creation(name, file: file)])
    }

    func commit(_ name: String, file: UInt64) async throws {
        try create(name, file: file)
        try await log.push()
    }

    var journal: Journal {
        get throws { try #require(try storage.read { try $0.journal() }) }
    }
    var frozen: EncodedBatch? {
        get throws { try storage.read { try $0.frozenBatch() } }
    }
    /// Names of the directories at the top of the tree.
    var names: [String] {
        get throws { try storage.read { try $0.children(of: .root).map(\.name) } }
    }
    var head: UInt64 {
        get throws { try storage.read { try $0.treeHead().sequence } }
    }
}

enum LogFixture {
    static let executor = InlineExecutor()

    static func format(seed: UInt64 = 1) -> AccountFormat {
        AccountFormat(random: ContentFixture.Random(seed))
    }

    static func store(_ clock: ContentFixture.Clock) -> MemoryStore {
        MemoryStore { clock.storeTime }
    }

    static func creation(_ name: String, file: UInt64) -> SyncLog.Operation {
        .create(
            Creation(
                file: FileID(bits: UInt128(file)), parent: .root, name: name, content: .directory,
                attributes: Attributes(mode: 0o755, modified: 0)))
    }
}

struct SilentSink: SyncEventSink {
    func report(_ event: SyncEvent) {}
}

/// Runs each job where it is enqueued; for parts that no actor is made of.
final class InlineExecutor: EngineExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}

/// A storage that dies at one of its writes, before or after it was durable, and answers nothing from then
/// on.
final class DyingStorage: SyncStorage {
    struct Death: Error {}

    private let base: any SyncStorage
    private let state: Lock<Int>
    private let isDurable: Bool

    init(_ base: any SyncStorage, atWrite write: Int, isDurable: Bool) {
        self.base = base
        self.isDurable = isDurable
        state = Lock(write)
    }

    var hasDied: Bool { state.withLock { $0 < 0 } }

    func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        if hasDied { throw Death() }
        return try base.read(body)
    }

    func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        let left = state.withLock { left in
            defer { left -= 1 }
            return left
        }
        if left < 0 || (left == 0 && !isDurable) { throw Death() }
        let result = try base.write(body)
        if left == 0 { throw Death() }
        return result
    }

    func frozen() throws -> any TreeDatabase { try base.frozen() }
}

extension SpoiledStore {
    /// Spoils the first request that the fault has an answer for.
    func once(_ fault: @escaping Fault) {
        let isSpent = Lock(false)
        spoil { request in
            guard let answer = fault(request) else { return nil }
            return isSpent.withLock { isSpent in
                defer { isSpent = true }
                return isSpent ? nil : answer
            }
        }
    }
}
