import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent

/// What the store tells of an account's usage is kept, and no save waits for what it tells anew.
final class AccountQuotaTests: AccountFixture {
    private let executor: EngineThread
    private let own = ContainerName(bits: 3)

    init() async throws {
        executor = try EngineThread(yields: false)
        try await super.init(seed: 1)
    }

    private func quota(_ storage: any SyncStorage) -> AccountQuota {
        AccountQuota(account, storage: storage, executor: executor, clock: clock)
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
        store.spoil { _ in .silence(isMade: false) }
        let second = quota(storage)
        #expect(await second.room(for: 500, of: own, own: 1_000, limit: 10_000) == 4_000)
        store.heal()
        try await add(2_000)
        let third = quota(storage)
        #expect(await third.room(for: 500, of: own, own: 1_000, limit: 10_000) == 4_000)
        #expect(eventually { third.otherBytes(than: own) == 7_000 })
        #expect(await third.room(for: 500, of: own, own: 1_000, limit: 10_000) == 2_000)
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
