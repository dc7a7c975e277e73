package import StoreBasics

/// What a device remembers of a log beside its tree, for whoever collects what the store no longer needs. No
/// snapshot has it, and no hash.
package protocol CollectionNotes: AnyObject {
    /// All entries from this one up to the tree's head were read here; nil: none was.
    func entriesReadFrom() throws -> UInt64?
    func setEntriesReadFrom(_ sequence: UInt64) throws
    /// Lists of operations that lie beside the entries that were read, ascending, strictly after an entry.
    func operationLists(after sequence: UInt64, limit: Int) throws -> [OperationList]
    func addOperationList(_ list: OperationList) throws
    func removeOperationLists(before sequence: UInt64) throws
    /// By ascending packs.
    func doomedPacks() throws -> [DoomedPack]
    /// Of one pack the latest is kept.
    func addDoomedPack(_ doomed: DoomedPack) throws
    /// Does nothing where its end is later.
    func removeDoomedPack(_ pack: Bits128, endedBy time: StoreTime) throws
    /// The last one of any device that this one heard of; in the account's storage only.
    func lastCollection() throws -> CollectionRun?
    func setLastCollection(_ run: CollectionRun) throws
}

/// A list of operations that lies beside its entry of the log.
package struct OperationList: Equatable, Sendable {
    package var sequence: UInt64
    package var hash: ContentHash
    package var locator: Locator

    package init(sequence: UInt64, hash: ContentHash, locator: Locator) {
        self.sequence = sequence
        self.hash = hash
        self.locator = locator
    }
}

/// A pack with bytes that a person took out of the cloud: it is not to lie there for longer than their
/// retention.
package struct DoomedPack: Equatable, Sendable {
    package var pack: Bits128
    /// When their retention ends, by the log's time.
    package var end: StoreTime

    package init(pack: Bits128, end: StoreTime) {
        self.pack = pack
        self.end = end
    }
}

/// A run of the collector that ended whole.
package struct CollectionRun: Equatable, Sendable {
    /// By the store's clock.
    package var ended: StoreTime
    package var deletedObjects: UInt64
    package var deletedBytes: UInt64

    package init(ended: StoreTime, deletedObjects: UInt64, deletedBytes: UInt64) {
        self.ended = ended
        self.deletedObjects = deletedObjects
        self.deletedBytes = deletedBytes
    }
}

extension CollectionNotes {
    /// Notes an entry that is about to be applied to a tree with this head.
    package func noteEntry(after head: TreeHead, list: SpilledOperations?) throws {
        if try entriesReadFrom() == nil { try setEntriesReadFrom(head.sequence &+ 1) }
        guard let list else { return }
        try addOperationList(
            OperationList(sequence: head.sequence &+ 1, hash: list.hash, locator: list.locator))
    }
}
