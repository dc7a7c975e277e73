import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// The commit protocol (SYNC.md 4), branch by branch.
struct LogClientTests {
    let clock = ContentFixture.Clock()
    let format = LogFixture.format()
    let store: MemoryStore
    let spoiled: SpoiledStore

    init() {
        store = LogFixture.store(clock)
        spoiled = SpoiledStore(store)
    }

    private func device(_ seed: UInt64, storage: any SyncStorage = MemoryStorage()) throws -> LogDevice {
        try LogDevice(spoiled, format, clock: clock, seed: seed, storage: storage)
    }

    private func slots() async throws -> Int {
        try await store.list("v1/a/", after: nil, limit: 1000).value.objects.count {
            $0.key.text.contains("/log/")
        }
    }

    @Test func aBatchComesIntoTheLogAndToAnotherDevice() async throws {
        let (one, two) = (try device(1), try device(2))
        try await one.commit("A", file: 1)
        #expect(try one.frozen == nil)
        #expect(try one.head == 1)
        try await two.log.pull()
        #expect(try two.names == ["A"])
    }

    @Test func aLostAnswerIsRecognisedAsOnesOwn() async throws {
        let one = try device(1)
        spoiled.once { request in
            if case .putIfAbsent = request { .lose } else { nil }
        }
        try await one.commit("A", file: 1)
        #expect(try one.frozen == nil)
        #expect(try await slots() == 1)
    }

    @Test func aWriteThatNeverArrivedIsTriedAtTheSameSlot() async throws {
        let one = try device(1)
        spoiled.once { request in
            if case .putIfAbsent = request { .refuse(.unknownOutcome("reset")) } else { nil }
        }
        try await one.commit("A", file: 1)
        #expect(try one.head == 1)
        #expect(try await slots() == 1)
    }

    @Test func anUndecidedRaceNeverMeansThatTheSlotIsTaken() async throws {
        let one = try device(1)
        spoiled.once { request in
            if case .putIfAbsent = request { .refuse(.undecided) } else { nil }
        }
        try await one.commit("A", file: 1)
        #expect(try one.head == 1)
        #expect(try one.journal.nextBatch == 2)
    }

    @Test func whoLosesASlotReadsItAndTakesTheNext() async throws {
        let (one, two) = (try device(1), try device(2))
        try await one.commit("A", file: 1)
        try two.create("B", file: 2)
        // Two sees an empty log once, and then loses slot 1.
        spoiled.once { request in
            if case .get = request { .hide } else { nil }
        }
        try await two.log.push()
        #expect(try two.names == ["A", "B"])
        #expect(try two.head == 2)
    }

    /// It never won one while another device wrote without pause, and waited longer each time.
    @Test func whoLosesManySlotsWaitsNoLongerForThat() async throws {
        let (one, two) = (try device(1), try device(2))
        for number in 1...60 { try await one.commit("A\(number)", file: UInt64(number)) }
        try two.create("B", file: 100)
        // Two finds each slot empty where it looks, and taken where it writes.
        let asked = Lock(Set<ObjectKey>())
        spoiled.spoil { request in
            guard case .get(let key) = request, key.text.contains("/log/") else { return nil }
            return asked.withLock { $0.insert(key).inserted } ? .hide : nil
        }
        let began = clock.now()
        try await two.log.push()
        #expect(try two.head == 61)
        #expect(clock.now() - began <= 60 * 50_000_000)
    }

    @Test func aStoreThatHidesWhoHasASlotIsSaidToBeSlow() async throws {
        let (one, two) = (try device(1), try device(2))
        try await one.commit("A", file: 1)
        try two.create("B", file: 2)
        spoiled.spoil { request in
            if case .get(let key) = request, key.text.contains("/log/") { .hide } else { nil }
        }
        spoiled.forget()
        await #expect(throws: SyncFailure.trouble(.storeSlow)) { try await two.log.push() }
        #expect(spoiled.puts < 50)
    }

    @Test func aLateTwinDoesNothing() async throws {
        let one = try device(1)
        try one.create("A", file: 1)
        let frozen = try #require(try one.frozen)
        try await one.log.push()
        let head = try one.storage.read { try $0.treeHead() }
        let twin = LogEntry(sequence: 2, previous: head.entryHash, time: head.time, batch: frozen)
        _ = try await store.putIfAbsent(twin.encoded(), at: one.log.slot(2))
        try await one.commit("B", file: 2)
        #expect(try one.names == ["A", "B"])
        #expect(try one.head == 3)
        #expect(try one.journal.device == frozen.batch.device)
    }

    @Test func aCopiedDeviceTakesANewIdentityAndLosesNothing() async throws {
        let storage = MemoryStorage()
        let one = try device(1, storage: storage)
        try await one.commit("A", file: 1)
        let two = try device(2, storage: storage.clone())
        let old = try one.journal.device
        try one.create("B", file: 2)
        try two.create("C", file: 3)
        try await one.log.push()
        try await two.log.push()
        try await one.log.pull()
        #expect(try one.names == ["A", "B", "C"])
        #expect(try two.names == ["A", "B", "C"])
        #expect(try one.journal.device == old)
        #expect(try two.journal.device != old)
    }

    @Test func anIdleCopyNoticesWhatTheOtherSaid() async throws {
        let storage = MemoryStorage()
        let one = try device(1, storage: storage)
        try await one.commit("A", file: 1)
        let two = try device(2, storage: storage.clone())
        try await one.commit("B", file: 2)
        let old = try two.journal.device
        try await two.log.pull()
        #expect(try two.journal.device != old)
        #expect(try two.names == ["A", "B"])
    }

    @Test func manyOperationsLieBesideTheLog() async throws {
        let (one, two) = (try device(1), try device(2))
        let count = 5_000
        let operations = (0..<count).map { LogFixture.creation("directory \($0)", file: UInt64($0 + 1)) }
        try one.log.freeze(operations) { _, _ in }
        try await one.log.push()
        try await two.log.pull()
        #expect(try two.names.count == count)
        let entry = try #require(try await store.get(one.log.slot(1)).value)
        #expect(entry.bytes.count < 1024)
    }

    @Test func whatIsTooMuchForOneBatchGoesAsSeveral() async throws {
        let (one, two) = (try device(1), try device(2))
        let count = 4_000
        try one.log.freeze((0..<count).map { LogFixture.creation("\($0)", file: UInt64($0 + 1)) })
        #expect(try one.frozen?.batch.operations.count == BatchLimits().operations)
        // A crash between two of them changes nothing.
        try await one.log.push()
        #expect(try one.frozen == nil && one.journal.nextBatch == 4)
        try await two.log.pull()
        #expect(try two.names.count == count && two.head == 3)
    }

    @Test func aSlotIsBelievedWithoutFloorsForTwentyDays() async throws {
        let one = try device(1)
        try await one.commit("A", file: 1)
        clock.advance(days: 19)
        spoiled.forget()
        try await one.log.pull()
        #expect(!spoiled.requests.contains { if case .list = $0 { true } else { false } })
        clock.advance(days: 2)
        try await one.log.pull()
        #expect(spoiled.requests.count { if case .list = $0 { true } else { false } } == 1)
    }

    @Test func fourWritersAtOnceLoseNothing() async throws {
        let devices = try (1...4).map { try device($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask {
                    for count in 0..<12 {
                        try await device.commit("\(index)-\(count)", file: UInt64(index * 100 + count + 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        for device in devices {
            try await device.log.pull()
            #expect(try device.names.count == 48)
            #expect(try device.head == 48)
        }
    }

    @Test(arguments: [false, true])
    func aKillAtEachWriteOfTheJournalCommitsOnce(isDurable: Bool) async throws {
        for write in 0..<8 {
            let clock = ContentFixture.Clock()
            let store = LogFixture.store(clock)
            let base = MemoryStorage()
            _ = try LogDevice(store, format, clock: clock, seed: 1, storage: base)
            let dying = DyingStorage(base, atWrite: write, isDurable: isDurable)
            if let device = try? LogDevice(store, format, clock: clock, seed: 2, storage: dying) {
                try? await device.commit("A", file: 1)
            }
            let again = try LogDevice(store, format, clock: clock, seed: 3, storage: base)
            try await again.log.push()
            if try again.names.isEmpty { try await again.commit("A", file: 1) }
            #expect(try again.names == ["A"])
            #expect(try again.head == 1)
            #expect(try again.frozen == nil)
        }
    }
}
