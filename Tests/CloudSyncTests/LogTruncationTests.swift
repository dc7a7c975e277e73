import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent

@Suite("The log loses only what is old and in a good snapshot")
final class LogTruncationTests: AccountFixture {
    init() async throws { try await super.init(seed: 31) }

    private func entries() async throws -> [UInt64] {
        let prefix = account.layout.logPrefix(log.log)
        return try await store.list(prefix, after: nil, limit: 1_000).value.objects.compactMap {
            StoreLayout.sequence(of: $0.key, in: prefix)
        }
    }

    private func commits(_ count: Int) async throws {
        for _ in 0..<count { try await log.touch() }
    }

    @Test("without a snapshot nothing goes, however old")
    func noSnapshot() async throws {
        try await commits(5)
        clock.advance(days: 400)
        #expect(try await LogTruncation(account, log: log.log).run() == LogTruncation.Report())
        #expect(try await entries().count == 5)
    }

    @Test("what is young stays, what lies above the snapshot stays, the floor says the rest")
    func ages() async throws {
        try await commits(4)
        _ = try await log.snapshot()
        try await commits(2)
        clock.advance(days: 31)
        try await commits(3)
        let report = try await LogTruncation(account, log: log.log).run()
        #expect(report.floor == 4 && report.deletedEntries == 4)
        #expect(try await entries() == [5, 6, 7, 8, 9])
        #expect(try await store.head(account.layout.floor(log.log, 4)).value != nil)
    }

    @Test("a snapshot lets nothing go for as long as its writer's delete may be on its way")
    func youngSnapshot() async throws {
        try await commits(4)
        clock.advance(days: 31)
        let made = clock.storeTime
        let taken = try #require(try await log.snapshot())
        let grace = account.format.retention.graceSeconds
        let report = try await LogTruncation(account, log: log.log).run()
        #expect(report.deletedEntries == 0 && report.floor == 0)
        #expect(report.nextAt == made.adding(seconds: grace))
        // Its writer finds that what it relied on may be gone.
        _ = try await store.delete(taken.key)
        #expect(try await entries() == [1, 2, 3, 4])
        #expect(try await LogTruncation(account, log: log.log).run().nextAt == nil)
        _ = try await log.snapshot()
        clock.advance(days: 8)
        #expect(try await LogTruncation(account, log: log.log).run().floor == 4)
        #expect(try await entries().isEmpty)
    }

    @Test("what a lasting snapshot holds goes, and what a younger one holds when that lasts")
    func youngerSnapshot() async throws {
        try await commits(4)
        _ = try await log.snapshot()
        try await commits(2)
        clock.advance(days: 31)
        _ = try await log.snapshot()
        #expect(try await LogTruncation(account, log: log.log).run().floor == 4)
        #expect(try await entries() == [5, 6])
        clock.advance(days: 8)
        #expect(try await LogTruncation(account, log: log.log).run().floor == 6)
        #expect(try await log.snapshots.list().value.map(\.sequence) == [6])
    }

    @Test("the floor is written before anything is deleted, and deletes go upwards")
    func order() async throws {
        try await commits(6)
        _ = try await log.snapshot()
        clock.advance(days: 31)
        store.forget()
        _ = try await LogTruncation(account, log: log.log).run()
        let writes = store.requests.filter { request in
            switch request {
            case .delete, .putIfAbsent: true
            default: false
            }
        }
        let deletes = (1...6).map { SpoiledStore.Request.delete(account.layout.logEntry(log.log, $0)) }
        #expect(writes.first == .putIfAbsent(account.layout.floor(log.log, 6), sizeBytes: 0))
        #expect(Array(writes.dropFirst()) == deletes)
    }

    @Test("a run that was cut short is ended by the next one")
    func cutShort() async throws {
        try await commits(6)
        _ = try await log.snapshot()
        clock.advance(days: 31)
        let stop = account.layout.logEntry(log.log, 3)
        store.spoil { if case .delete(stop) = $0 { .refuse(.unreachable("")) } else { nil } }
        await #expect(throws: SnapshotError.self) { try await LogTruncation(account, log: log.log).run() }
        store.heal()
        #expect(try await entries() == [3, 4, 5, 6])
        #expect(try await LogTruncation(account, log: log.log).run().deletedEntries == 4)
    }

    @Test("a snapshot with wrong bytes lets nothing go")
    func damagedSnapshot() async throws {
        try await commits(3)
        _ = try await log.create([random.bytes(100)])
        let info = try #require(try await log.snapshot())
        clock.advance(days: 31)
        store.spoil { if case .get(let key) = $0, key != info.key { .change } else { nil } }
        await #expect(throws: SnapshotError.self) { try await LogTruncation(account, log: log.log).run() }
        #expect(try await entries().count == 4)
        #expect(
            try await store.list(account.layout.floorPrefix(log.log), after: nil, limit: 1).value.objects
                .isEmpty)
    }

    @Test("snapshots go that were replaced for G, though newer ones are younger")
    func oldSnapshots() async throws {
        var left: [UInt64] = []
        for _ in 0..<12 {
            try await commits(3)
            _ = try await log.snapshot()
            left.append(UInt64(left.count + 1) * 3)
            _ = try await LogTruncation(account, log: log.log).run()
            clock.advance(days: 2)
        }
        // 24 days: the newest that is older than 7 is the ninth.
        _ = try await LogTruncation(account, log: log.log).run()
        #expect(try await log.snapshots.list().value.map(\.sequence) == Array(left.dropFirst(8)))
        clock.advance(days: 8)
        #expect(try await LogTruncation(account, log: log.log).run().deletedSnapshots == 3)
        #expect(try await log.snapshots.list().value.map(\.sequence) == [36])
    }

    @Test("a snapshot with wrong bytes keeps those before it")
    func damagedSuccessor() async throws {
        try await commits(3)
        _ = try await log.snapshot()
        _ = try await log.create([random.bytes(100)])
        _ = try await log.snapshot()
        clock.advance(days: 8)
        store.spoil { if case .get(let key) = $0, !key.text.contains("/snap/") { .change } else { nil } }
        await #expect(throws: SnapshotError.self) { try await LogTruncation(account, log: log.log).run() }
        #expect(try await log.snapshots.list().value.count == 2)
    }

    @Test("floors below the highest go when no listing can be so late")
    func oldFloors() async throws {
        for _ in 0..<4 {
            try await commits(2)
            clock.advance(days: 3)
        }
        _ = try await log.snapshot()
        // The entries get old three days after each other, and with each a floor is written.
        clock.advance(days: 19)
        let prefix = account.layout.floorPrefix(log.log)
        var floors: [Int] = []
        for _ in 0..<4 {
            let report = try await LogTruncation(account, log: log.log).run()
            #expect(report.nextAt != nil)
            floors.append(try await store.listAll(prefix).value.count)
            clock.advance(days: 3)
        }
        // The first one is nine days old in the fourth run.
        #expect(floors == [1, 2, 3, 3])
        clock.advance(days: 8)
        #expect(try await LogTruncation(account, log: log.log).run().deletedFloors == 2)
        #expect(try await account.highestFloor(of: log.log) == 8)
    }

    @Test("a run says when the next thing gets old enough")
    func next() async throws {
        try await commits(4)
        let first = clock.storeTime
        #expect(try await LogTruncation(account, log: log.log).run().nextAt == nil)
        _ = try await log.snapshot()
        #expect(
            try await LogTruncation(account, log: log.log).run().nextAt
                == first.adding(seconds: account.format.retention.logSeconds))
        clock.advance(days: 1)
        let second = clock.storeTime
        try await commits(1)
        _ = try await log.snapshot()
        #expect(
            try await LogTruncation(account, log: log.log).run().nextAt
                == second.adding(seconds: account.format.retention.graceSeconds))
    }
}
