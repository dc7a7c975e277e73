import CloudStore
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A commit with more operations than go into one transaction: those of earlier builds have up to 262,144.
struct LargeCommitTests {
    let clock = ContentFixture.Clock()
    let store: MemoryStore
    let format = LogFixture.format()

    init() {
        store = LogFixture.store(clock)
    }

    private func device(
        _ seed: UInt64, storage: any SyncStorage = MemoryStorage(), applied: Int = 10_000
    ) throws -> LogDevice {
        try LogDevice(
            store, format, clock: clock, seed: seed, storage: storage,
            settings: SyncSettings(operationsApplied: applied))
    }

    /// A first entry, then one with so many operations, as an earlier build writes it.
    private func author(_ count: Int, name: String = "d") async throws -> LogDevice {
        let limits = BatchLimits(operations: LogLimits.operations, bytes: LogLimits.operationsBytes)
        let one = try LogDevice(
            store, format, clock: clock, seed: 1, settings: SyncSettings(batchLimits: limits))
        try await one.commit("first", file: 1)
        try one.log.freeze((0..<count).map { LogFixture.creation("\(name)\($0)", file: UInt64(10 + $0)) })
        try await one.log.push()
        return one
    }

    private func treeHash(_ device: LogDevice) throws -> ContentHash {
        try device.storage.read { try $0.treeHash() }
    }

    /// Beside the log where it is more than an entry holds.
    @Test(arguments: ["d", String(repeating: "d", count: 200)])
    func itIsAppliedInPartsAndAKillBetweenThemChangesNothing(name: String) async throws {
        let one = try await author(2_000, name: name)
        let folder = try TemporaryFolder()
        let path = folder.path + "/sync.sqlite"
        var turns = 0
        while try await !device(2, storage: SQLiteStorage(path: path), applied: 300).log
            .pull(isOneTurn: true)
        {
            turns += 1
            let read = try SQLiteStorage(path: path)
            let (applied, head, pending) = try read.read { transaction in
                (
                    try transaction.commitProgress()?.applied, try transaction.treeHead().sequence,
                    try transaction.pendingCount()
                )
            }
            // The slot is the tree's with the last of them.
            #expect(applied == (turns < 7 ? turns * 300 : nil) && head == (turns < 7 ? 1 : 2))
            #expect(pending == 1 + min(turns * 300, 2_000))
            try #require(turns < 10)
        }
        #expect(turns == 6)
        let two = try device(2, storage: SQLiteStorage(path: path))
        #expect(try treeHash(two) == treeHash(one))
        #expect(try two.names == one.names)
        #expect(try two.journal.entriesSinceSnapshot == 2)
        try await two.commit("next", file: 3)
        try await one.log.pull()
        #expect(try treeHash(two) == treeHash(one))
    }

    @Test(arguments: [false, true])
    func aKillAtAnyOfItsWritesChangesNothing(isDurable: Bool) async throws {
        let one = try await author(20)
        for write in 0..<20 {
            let storage = MemoryStorage()
            let dying = DyingStorage(storage, atWrite: write, isDurable: isDurable)
            await #expect(throws: (any Error).self, "\(write)") {
                try await device(2, storage: dying, applied: 2).log.pull()
                if !dying.hasDied { throw DyingStorage.Death() }
            }
            let two = try device(2, storage: storage, applied: 3)
            try await two.log.pull()
            #expect(try treeHash(two) == treeHash(one), "\(write)")
        }
    }

    @Test func aFailureInAPartIsTriedAgain() async throws {
        let one = try await author(20)
        let storage = MemoryStorage()
        let two = try device(2, storage: storage, applied: 3)
        #expect(try await !two.log.pull(isOneTurn: true))
        let failing = try LogDevice(
            store, format, clock: clock, seed: 2,
            storage: DyingStorage(storage, atWrite: 1, isDurable: false),
            settings: SyncSettings(operationsApplied: 3))
        await #expect(throws: SyncFailure.self) { try await failing.log.pull() }
        try await two.log.pull()
        #expect(try treeHash(two) == treeHash(one))
    }

    @Test func aTwinOfItDoesNothing() async throws {
        let one = try await author(20)
        let entry = try #require(try await store.get(one.log.slot(2)).value)
        guard case .entry(var twin) = try LogEntry.decode(entry.bytes) else { return }
        twin.sequence = 3
        twin.previous = ContentHash(of: entry.bytes)
        _ = try await store.putIfAbsent(twin.encoded(), at: one.log.slot(3))
        let two = try device(2, applied: 3)
        try await two.log.pull()
        try await one.log.pull()
        #expect(try two.head == 3 && treeHash(two) == treeHash(one))
        #expect(try two.storage.read { try $0.commitProgress() } == nil)
    }

    /// All devices would believe it.
    @Test func noSnapshotIsMadeOfATreeThatIsBetweenTwoSlots() async throws {
        let one = try await author(20)
        let two = try device(2, applied: 3)
        #expect(try await !two.log.pull(isOneTurn: true))
        #expect(throws: SnapshotError.changed) { try TreePages(two.storage, ContentSizes()) }
        try await two.log.pull()
        #expect(try TreePages(two.storage, ContentSizes()).treeHash == treeHash(one))
    }

    /// Where the slot holds something else by then, nothing is built on half of what it held.
    @Test func anotherEntryInItsSlotIsRefused() async throws {
        _ = try await author(20)
        let two = try device(2, applied: 3)
        #expect(try await !two.log.pull(isOneTurn: true))
        let other = LogFixture.store(clock)
        let first = try #require(try await store.get(two.log.slot(1)).value)
        _ = try await other.putIfAbsent(first.bytes, at: two.log.slot(1))
        let liar = try LogDevice(other, format, clock: clock, seed: 3)
        try await liar.commit("other", file: 99)
        let again = try LogDevice(
            other, format, clock: clock, seed: 2, storage: two.storage,
            settings: SyncSettings(operationsApplied: 3))
        await #expect(throws: SyncFailure.trouble(.logHole(2))) { try await again.log.pull() }
    }
}
