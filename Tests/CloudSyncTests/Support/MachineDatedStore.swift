import CloudStore
import Posix
import StoreBasics
import TestKit

@testable import SyncContent

/// A folder as several machines use it, in memory: what each writes is dated by its own clock.
final class SharedFolder: Sendable {
    let clock: ContentFixture.Clock
    private let store: MemoryStore
    /// By which the machine that calls just now dates what it writes, and its answer. One calls at a time.
    private let dates: Lock<(file: StoreTime, answer: StoreTime)>

    init(_ clock: ContentFixture.Clock) {
        self.clock = clock
        let dates = Lock((file: clock.storeTime, answer: clock.storeTime))
        self.dates = dates
        let traits = StoreTraits(clockIsOurs: true, parallelRequests: 1)
        store = MemoryStore(traits: traits) { dates.withLock { $0.file } }
    }

    /// The machine's way to it.
    func machine(ahead seconds: Int64) -> MachineDatedStore { MachineDatedStore(self, ahead: seconds) }

    fileprivate func called(
        by machine: MachineDatedStore
    ) -> (store: MemoryStore, date: StoreTime) {
        let (file, answer) = machine.dates
        dates.withLock { $0 = (file, answer) }
        return (store, answer)
    }
}

/// One machine's store, which keeps dates as `DirectoryStore` does.
final class MachineDatedStore: ObjectStore {
    private let folder: SharedFolder
    private let state: Lock<(ahead: Int64, bounds: ClosedRange<StoreTime>?, since: UInt64)>

    init(_ folder: SharedFolder, ahead: Int64) {
        self.folder = folder
        state = Lock((ahead, nil, 0))
    }

    var traits: StoreTraits { StoreTraits(clockIsOurs: true, parallelRequests: 1) }

    func setClock(ahead seconds: Int64) { state.withLock { $0.ahead = seconds } }

    func keepDates(in bounds: ClosedRange<StoreTime>) {
        state.withLock { ($0.bounds, $0.since) = (bounds, folder.clock.now()) }
    }

    func ownTime() async -> StoreTime? { own }

    private var own: StoreTime { folder.clock.storeTime.adding(seconds: state.withLock { $0.ahead }) }

    fileprivate var dates: (file: StoreTime, answer: StoreTime) {
        let state = state.withLock { $0 }
        guard let bounds = state.bounds else { return (own, own) }
        let passed = Int64((folder.clock.now() - state.since) / 1_000_000_000)
        let file = max(own, bounds.lowerBound.adding(seconds: passed))
        return (file, min(file, bounds.upperBound.adding(seconds: passed)))
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.putIfAbsent(bytes, at: key).value, at: date)
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.put(bytes, at: key).value, at: date)
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.get(key, range: range).value, at: date)
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.head(key).value, at: date)
    }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.list(prefix, after: after, limit: limit).value, at: date)
    }

    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let (store, date) = folder.called(by: self)
        return Dated(try await store.delete(key).value, at: date)
    }
}
