import CloudStore
import CloudSync
import Posix
import TestKit

/// Lets tasks run one at a time, each until its next request to the store, in an order that a seed decides.
final class Stage: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var running = 0
        var director: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Called by a task before each request.
    func pause(_ id: Int) async {
        await withCheckedContinuation { continuation in
            let director = state.withLock { state in
                state.waiting[id] = continuation
                return Self.stopped(&state)
            }
            director?.resume()
        }
    }

    /// A task that begins, before it is made.
    func enter() { state.withLock { $0.running += 1 } }

    func leave() {
        state.withLock { Self.stopped(&$0) }?.resume()
    }

    private static func stopped(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        state.running -= 1
        guard state.running == 0 else { return nil }
        defer { state.director = nil }
        return state.director
    }

    /// Runs until nobody waits.
    /// - Parameter choose: which of those who wait, by ascending id, goes on.
    func direct(_ choose: ([Int]) -> Int) async {
        while true {
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    if state.running > 0 { state.director = continuation }
                    return state.running == 0
                }
                if isIdle { continuation.resume() }
            }
            let ids = state.withLock { $0.waiting.keys.sorted() }
            guard !ids.isEmpty else { return }
            let id = choose(ids)
            let next = state.withLock { state in
                state.running += 1
                return state.waiting.removeValue(forKey: id)
            }
            next?.resume()
        }
    }
}

/// One device's way to the store: every request waits for its turn, and may be lost on either way.
struct StagedStore: ObjectStore {
    let base: MemoryStore
    let stage: Stage
    let clock: ContentFixture.Clock
    let id: Int
    let random: ContentFixture.Random

    /// One request after the other.
    var traits: StoreTraits { StoreTraits(clockIsOurs: false, parallelRequests: 1) }

    private func run<Value: Sendable>(
        isWrite: Bool, _ call: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        await stage.pause(id)
        let fate = random.below(40)
        if fate == 0 { throw isWrite ? .unknownOutcome("lost") : .unreachable("lost") }
        let value = try await call()
        if fate == 1 { throw isWrite ? .unknownOutcome("the answer was lost") : .unreachable("lost") }
        return value
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        try await run(isWrite: true) { () throws(StoreError) in try await base.putIfAbsent(bytes, at: key) }
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await run(isWrite: true) { () throws(StoreError) in try await base.put(bytes, at: key) }
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        try await run(isWrite: false) { () throws(StoreError) in try await base.get(key, range: range) }
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        try await run(isWrite: false) { () throws(StoreError) in try await base.head(key) }
    }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await run(isWrite: false) { () throws(StoreError) in
            try await base.list(prefix, after: after, limit: limit)
        }
    }

    /// A request carries the time at which it was signed, and is refused a quarter of an hour later: else a
    /// collector that sleeps between its last look and its DELETE could delete after any time (SYNC.md 6 c).
    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let signed = clock.now()
        return try await run(isWrite: true) { () throws(StoreError) in
            guard clock.now() - signed <= 900 * 1_000_000_000 else { throw .clockSkewed(clock.storeTime) }
            return try await base.delete(key)
        }
    }
}
