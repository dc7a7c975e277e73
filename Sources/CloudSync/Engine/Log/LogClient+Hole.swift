internal import CloudStore
internal import Posix
internal import SyncContent

/// The newest slot of a log that another device told of.
final class ToldSlot: Sendable {
    private let state = Lock<UInt64>(0)

    var value: UInt64 { state.withLock { $0 } }
    func hear(_ slot: UInt64) { state.withLock { $0 = max($0, slot) } }
    /// Nothing is there, whoever told it.
    func forget() { state.withLock { $0 = 0 } }
}

extension LogClient {
    /// Names of a log's folder that are looked at: what has other names there is none of ours.
    private static let lookedAt = 64

    /// Refuses to go on where the log does past the empty slot after `head`. Where another device told of
    /// more than was found, an entry may be missing in the store: what went into its slot now would be read
    /// by nobody who has passed it. The hint alone proves nothing, so it costs a listing, and only then.
    /// - Throws: `.logHole`.
    nonisolated(nonsending) func refuseHole(after head: UInt64) async throws(SyncFailure) {
        guard told.value > head else { return }
        let prefix = account.layout.logPrefix(name)
        let listing = try await ask { () async throws(StoreError) in
            try await account.store.list(prefix, after: slot(head), limit: Self.lookedAt)
        }
        let slots = listing.value.objects.compactMap { StoreLayout.sequence(of: $0.key, in: prefix) }
        guard slots.contains(where: { $0 > head &+ 1 }) else { return told.forget() }
        // A listing may miss what was made while it was under way.
        let isThere = try await ask { () async throws(StoreError) in
            try await account.store.head(slot(head &+ 1))
        }
        if isThere.value == nil { throw .trouble(.logHole(head &+ 1)) }
    }
}
