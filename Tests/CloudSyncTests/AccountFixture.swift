import CloudStore
import TestKit

@testable import CloudSync
@testable import SyncContent

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
