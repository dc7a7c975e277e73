import CloudStore
import TestKit

@testable import CloudSync
@testable import SyncContent

/// For who has no part in an account's logs.
struct MemoryReplicas: ReplicaStorages {
    func replica(of log: LogName) -> any SyncStorage { MemoryStorage() }
    func removeReplica(of log: LogName) {}
}

extension SyncedLogs {
    /// Of nobody's device, read from their beginning.
    static func fresh(_ account: Account, _ clock: ContentFixture.Clock) -> SyncedLogs {
        let surroundings = SyncSurroundings(
            store: account.store, clock: clock, randomness: ContentFixture.Random(7),
            executor: LogFixture.executor, events: SilentSink(), replicas: MemoryReplicas())
        return SyncedLogs(account: account, replicas: LogReplicas(surroundings), own: [:])
    }
}

/// An account in a store whose answers a test may spoil, and a container's log in it. Suites begin with it.
class AccountFixture {
    let clock = ContentFixture.Clock()
    let random: ContentFixture.Random
    let store: SpoiledStore
    let account: Account
    let log: FixtureLog

    init(seed: UInt64) async throws {
        let clock = clock
        random = ContentFixture.Random(seed)
        store = SpoiledStore(MemoryStore { clock.storeTime })
        account = try await Account.open(store, randomness: random)
        log = FixtureLog(account, clock: clock, random: random)
    }

    /// Where the store keeps content, live or not.
    func chunkKeys() async throws -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for prefix in [StoreLayout.chunkPrefix, StoreLayout.packPrefix] {
            keys.formUnion(try await store.listAll(prefix).value.map(\.key))
        }
        return keys
    }
}
