package import CloudStore
package import SyncContent
package import SyncLog

extension Account {
    /// Whether a log of the account says all that a device has read of it, or was truncated past that: a copy
    /// that was made earlier, or that other devices went on with, does not.
    /// - Parameter head: the last entry that the device has applied.
    package func hasSeen(_ head: TreeHead, of log: LogName) async throws(StoreError) -> Bool {
        guard head.sequence > 0 else { return true }
        if let entry = try await store.get(layout.logEntry(log, head.sequence)).value {
            return ContentHash(of: entry.bytes) == head.entryHash
        }
        let below = head.sequence - 1
        let floors = try await store.list(
            layout.floorPrefix(log), after: below > 0 ? layout.floor(log, below) : nil, limit: 1)
        return !floors.value.objects.isEmpty
    }
}
