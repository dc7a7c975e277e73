internal import CloudStore
internal import SyncContent

extension LogClient {
    /// Asks for the floors, after the last answer that is in doubt: where the head is not above the highest
    /// one the log was truncated past it, and only a snapshot knows what was in it.
    /// - Returns: whether the tree was loaded anew.
    nonisolated(nonsending) func reloadBelowFloor(_ head: UInt64) async throws(SyncFailure) -> Bool {
        guard let floor = try await highestFloor(), head <= floor else { return false }
        guard try await loadNewestSnapshot(above: head) else {
            // The floor is written after a snapshot above it was read back, so there is one, or the store
            // lost it.
            if head == floor { return false }
            throw .trouble(.logHole(head &+ 1))
        }
        return true
    }

    /// - Returns: nil where the log was never truncated.
    private nonisolated(nonsending) func highestFloor() async throws(SyncFailure) -> UInt64? {
        let prefix = account.layout.floorPrefix(name)
        var known = try place().journal.floor
        var after: ObjectKey? = known > 0 ? account.layout.floor(name, known) : nil
        while true {
            let listing = try await ask { () async throws(StoreError) in
                try await account.store.list(prefix, after: after, limit: StoreLimits.listedKeys)
            }.value
            known = listing.objects.compactMap { StoreLayout.sequence(of: $0.key, in: prefix) }
                .reduce(known, max)
            guard listing.isTruncated, let last = listing.objects.last else { break }
            after = last.key
        }
        let floor = known
        try storage.writing { try $0.changeJournal { $0.floor = max($0.floor, floor) } }
        return floor > 0 ? floor : nil
    }
}
