package import CloudStore
internal import Posix
package import StoreBasics

/// A store for work that nobody waits for: its requests are far apart at first and then ever closer, so that
/// what a small account needs is not seen among the polls of an idle device (SPEC.md 7), and what a large one
/// needs comes to an end while its list of the store may still be relied on.
package struct PacedStore: ObjectStore {
    /// After so many requests the pause between two is half as long.
    static let halving = 100

    private struct State {
        var count = 0
        var next: UInt64 = 0
    }

    let base: any ObjectStore
    private let clock: any SyncClock
    private let firstPause: UInt64
    private let state: Lock<State>

    /// - Parameter firstPause: nanoseconds.
    package init(_ base: any ObjectStore, clock: any SyncClock, firstPause: UInt64) {
        self.base = base
        self.clock = clock
        self.firstPause = firstPause
        state = Lock(State())
    }

    private init(recordsOf paced: PacedStore) {
        (base, clock) = (paced.base.forRecords, paced.clock)
        (firstPause, state) = (paced.firstPause, paced.state)
    }

    package var forRecords: any ObjectStore { PacedStore(recordsOf: self) }
    package func freeBytes() async -> UInt64? { await base.freeBytes() }
    package func ownTime() async -> StoreTime? { await base.ownTime() }
    package func keepDates(in bounds: ClosedRange<StoreTime>) { base.keepDates(in: bounds) }

    /// One request at a time: a pause is between two of them.
    package var traits: StoreTraits { StoreTraits(clockIsOurs: base.traits.clockIsOurs, parallelRequests: 1) }

    package func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<
        PutOutcome
    > {
        try await pause()
        return try await base.putIfAbsent(bytes, at: key)
    }

    package func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await pause()
        return try await base.put(bytes, at: key)
    }

    package func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    {
        try await pause()
        return try await base.get(key, range: range)
    }

    package func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        try await pause()
        return try await base.head(key)
    }

    package func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await pause()
        return try await base.list(prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await pause()
        return try await base.delete(key)
    }

    /// Between a request and the next one.
    static func pause(after count: Int, first: UInt64) -> UInt64 { first >> UInt64(count / halving) }

    private func pause() async throws(StoreError) {
        let now = clock.now()
        let moment = state.withLock { state in
            let moment = max(state.next, now)
            state.next = moment &+ Self.pause(after: state.count, first: firstPause)
            state.count += 1
            return moment
        }
        do { try await clock.sleep(until: moment) } catch { throw .cancelled }
    }
}
