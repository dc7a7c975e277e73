package import SyncContent
package import SyncLog

/// Where the batch in flight, its number and the cursor are kept.
package protocol JournalStorage: AnyObject {
    /// Nil in a storage that was never used.
    func journal() throws -> Journal?
    func setJournal(_ journal: Journal) throws
    func frozenBatch() throws -> EncodedBatch?
    func setFrozenBatch(_ batch: EncodedBatch?) throws
    /// The first of the batches that follow the one in flight.
    func followingBatch() throws -> EncodedBatch?
    /// By ascending numbers.
    func followingBatches() throws -> [EncodedBatch]
    func addFollowingBatch(_ batch: EncodedBatch) throws
    func removeFollowingBatch(_ n: UInt64) throws
    /// In the order of their chunks.
    func pendingUploads() throws -> [PendingUpload]
    func setPendingUpload(_ upload: PendingUpload) throws
    func removePendingUpload(_ chunk: ContentHash) throws
    /// In the order of their chunks, and of one by its locators' bytes.
    func abandonedUploads() throws -> [AbandonedUpload]
    func hasAbandonedUploads() throws -> Bool
    func isAbandoned(_ upload: PendingUpload) throws -> Bool
    func setAbandonedUpload(_ abandoned: AbandonedUpload) throws
    func removeAbandonedUpload(_ upload: PendingUpload) throws
    /// Items whose chunks were committed and are still to be seen in the store. Ascending.
    func unprovenFiles() throws -> [FileID]
    func addUnprovenFile(_ file: FileID) throws
    func clearUnprovenFiles() throws
    /// Items that a person removed by a command while nobody looked at the disk: known deletes, each with all
    /// in it, and no inferred ones. Ascending.
    func knownRemovals() throws -> [FileID]
    func addKnownRemoval(_ file: FileID) throws
    func clearKnownRemovals() throws
    /// Conflict versions that a person removed where they are shown beside their documents, and that the log
    /// may have still. Ascending.
    func droppedVersions() throws -> [DroppedVersion]
    func addDroppedVersion(_ dropped: DroppedVersion) throws
    func removeDroppedVersion(_ dropped: DroppedVersion) throws
    /// What the account's own log says of an app; in the account's storage only. In the order of identifiers.
    func accountApps() throws -> [SyncedApp]
    func setAccountApp(_ app: SyncedApp) throws
    /// In the order of their ids.
    func accountDevices() throws -> [AccountDevice]
    func setAccountDevice(_ device: AccountDevice) throws
    func removeAccountDevice(_ device: DeviceID) throws
    /// Which account it is; in the account's storage only. Nil before its first contact.
    func accountIdentity() throws -> AccountIdentity?
    func setAccountIdentity(_ identity: AccountIdentity) throws
    /// How far the time of the account's logs may go on; in the account's storage only.
    func timeAllowance() throws -> TimeAllowance?
    func setTimeAllowance(_ allowance: TimeAllowance) throws
    /// What the account takes of its quota, as the store told last; in the account's storage only. Nil where
    /// it was never asked.
    func usage() throws -> AccountUsage?
    func setUsage(_ usage: AccountUsage) throws
}

extension JournalStorage {
    /// Does nothing in a storage that was never used.
    func changeJournal(_ change: (inout Journal) -> Void) throws {
        guard var journal = try journal() else { return }
        change(&journal)
        try setJournal(journal)
    }
}
