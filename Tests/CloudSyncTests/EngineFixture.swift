import CloudStore
import Posix

@testable import CloudSync
@testable import SyncLog

/// A whole device: engine, disk and memory of sync, over a store that tests share.
final class EngineDevice {
    static let app = "local.notes"

    let disk = TestDisk()
    let accountStorage: any SyncStorage
    let storage: any SyncStorage
    let surroundings: SyncSurroundings
    private(set) var engine: SyncEngine

    init(
        _ store: any ObjectStore, _ clock: ContentFixture.Clock, _ executor: any EngineExecutor, seed: UInt64,
        settings: SyncSettings = SyncSettings(), rules: SafetyRules = .all,
        storage: (account: any SyncStorage, app: any SyncStorage) = (MemoryStorage(), MemoryStorage())
    ) async {
        accountStorage = storage.account
        self.storage = storage.app
        surroundings = SyncSurroundings(
            store: store, clock: clock, randomness: ContentFixture.Random(seed), executor: executor,
            events: SilentSink(), rules: rules, settings: settings)
        engine = SyncEngine(storage: accountStorage, surroundings: surroundings)
        await attach()
    }

    func attach() async {
        await engine.add(
            SyncedApp(identifier: Self.app, displayName: "Notes", sharingKeys: []), disk: disk,
            storage: storage)
    }

    /// The engine died and is made anew from storage.
    func restart() async {
        engine = SyncEngine(storage: accountStorage, surroundings: surroundings)
        disk.changes = LocalChanges(everything: true)
        await attach()
    }

    var status: SyncStatus {
        get async { await engine.status(Self.app) ?? SyncStatus() }
    }

    @discardableResult
    func sync() async -> SyncRest { await engine.syncOnce(Self.app) }
}

/// Full syncs of all devices until nothing moves any more.
/// - Returns: how many rounds it took; `limit` where it did not end.
func convergeAll(_ devices: [EngineDevice], limit: Int = 50) async -> Int {
    for round in 0..<limit {
        var isUpToDate = true
        for device in devices { isUpToDate = await device.sync().isUpToDate && isUpToDate }
        var cursors: Set<UInt64> = []
        for device in devices { cursors.insert(await device.status.cursor) }
        if isUpToDate, cursors.count == 1 { return round }
    }
    return limit
}
