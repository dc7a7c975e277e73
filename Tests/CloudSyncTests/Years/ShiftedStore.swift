import CloudStore
import Posix
import StoreBasics

@testable import SyncContent

/// A real store at another time: every date that it answers is that of a clock which the test moves on.
/// Counts what is asked.
final class ShiftedStore: ObjectStore {
    private struct State {
        /// When each object was written.
        var dates: [ObjectKey: StoreTime] = [:]
        var requests: UInt64 = 0
    }

    private let base: any ObjectStore
    private let clock: ContentFixture.Clock
    private let state = Lock(State())

    init(_ base: any ObjectStore, _ clock: ContentFixture.Clock) {
        (self.base, self.clock) = (base, clock)
    }

    var traits: StoreTraits { base.traits }
    var requests: UInt64 { state.withLock { $0.requests } }

    func ownTime() async -> StoreTime? { traits.clockIsOurs ? clock.storeTime : nil }

    private func count() { state.withLock { $0.requests += 1 } }

    private func note(_ key: ObjectKey) -> StoreTime {
        let date = clock.storeTime
        state.withLock { $0.dates[key] = date }
        return date
    }

    private func date(of key: ObjectKey, or date: StoreTime) -> StoreTime {
        state.withLock { $0.dates[key] } ?? date
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        count()
        let outcome = try await base.putIfAbsent(bytes, at: key).value
        return Dated(outcome, at: outcome == .written ? note(key) : clock.storeTime)
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        count()
        _ = try await base.put(bytes, at: key)
        return Dated((), at: note(key))
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        count()
        let found = try await base.get(key, range: range).value.map {
            StoredObject(bytes: $0.bytes, lastModified: date(of: key, or: $0.lastModified))
        }
        return Dated(found, at: clock.storeTime)
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        count()
        return Dated(try await base.head(key).value.map(dated), at: clock.storeTime)
    }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        count()
        let listing = try await base.list(prefix, after: after, limit: limit).value
        return Dated(
            ObjectListing(objects: listing.objects.map(dated), isTruncated: listing.isTruncated),
            at: clock.storeTime)
    }

    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        count()
        _ = try await base.delete(key)
        state.withLock { $0.dates[key] = nil }
        return Dated((), at: clock.storeTime)
    }

    private func dated(_ info: ObjectInfo) -> ObjectInfo {
        ObjectInfo(
            key: info.key, sizeBytes: info.sizeBytes, lastModified: date(of: info.key, or: info.lastModified))
    }
}
