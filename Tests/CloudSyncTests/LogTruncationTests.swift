import CloudStore
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
        _ = try await log.snapshot()
        #expect(try await LogTruncation(account, log: log.log).run().floor == 6)
        #expect(try await entries() == [7, 8, 9])
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

    @Test("replaced snapshots go when nobody can still be reading them")
    func oldSnapshots() async throws {
        try await commits(3)
        _ = try await log.snapshot()
        clock.advance(days: 10)
        try await commits(3)
        _ = try await log.snapshot()
        _ = try await LogTruncation(account, log: log.log).run()
        #expect(try await log.snapshots.list().value.count == 2)
        clock.advance(days: 8)
        #expect(try await LogTruncation(account, log: log.log).run().deletedSnapshots == 1)
        #expect(try await log.snapshots.list().value.map(\.sequence) == [6])
    }
}
