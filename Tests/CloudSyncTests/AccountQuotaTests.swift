import CloudStore
import Testing

@testable import CloudSync
@testable import SyncContent

/// What the store tells of an account's usage is kept, and no save waits for what it tells anew.
final class AccountQuotaTests: AccountFixture {
    private let readAgain = WakeSignal()
    private let own = ContainerName(bits: 3)

    init() async throws { try await super.init(seed: 1) }

    private func quota(_ storage: any SyncStorage) -> AccountQuota {
        AccountQuota(account, storage: storage, clock: clock, readAgain: readAgain)
    }

    /// That another app has so many bytes more.
    private func add(_ count: Int) async throws {
        try await log.create([random.bytes(count)])
        _ = try await log.snapshot()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func whatWasToldCountsInTheNextRunWithoutAsking(isDatabase: Bool) async throws {
        let storage: any SyncStorage = try isDatabase ? SQLiteStorage(path: "") : MemoryStorage()
        try await add(5_000)
        let first = quota(storage)
        #expect(await first.room(for: 500, of: own, own: 1_000, limit: 10_000) == 4_000)
        // Another run.
        store.spoil { _ in .silence(isMade: false) }
        let second = quota(storage)
        #expect(await second.room(for: 500, of: own, own: 1_000, limit: 10_000) == 4_000)
        store.heal()
        try await add(2_000)
        await readAgain.wait()
        try await second.refresh()
        #expect(await second.room(for: 500, of: own, own: 1_000, limit: 10_000) == 2_000)
    }

    @Test func oneReadingThatFailsIsFollowedByAPause() async throws {
        store.spoil { _ in .refuse(.unreachable("")) }
        let before = store.requests.count
        let quota = quota(MemoryStorage())
        for _ in 0..<3 { #expect(await quota.room(for: 1, of: own, own: 0, limit: 10_000) == 10_000) }
        #expect(store.requests.count == before + 1)
    }

    /// Room may have come elsewhere.
    @Test(arguments: [8_600, 10_000]) func whereItMayNotFitTheStoreIsAskedFirst(bytes: UInt64) async throws {
        let storage = MemoryStorage()
        try storage.write { transaction in
            try transaction.setUsage(AccountUsage(bytes: [ContainerName(bits: 4): bytes], backupBytes: 7))
        }
        #expect(await quota(storage).room(for: 500, of: own, own: 1_000, limit: 10_000) == 9_000)
    }
}
