internal import CloudStore
internal import CloudSync
internal import SyncContent

/// How often histories met what they are there for. A bound that no history meets says nothing of what lies
/// behind it.
// Unchecked: see WorldExecutor.
final class Met: @unchecked Sendable {
    enum Event: String, CaseIterable {
        /// A batch that had no room for more operations, or bytes.
        case fullBatch = "batches that were full"
        case unboundBatch = "batches of an old build, with more than others write"
        case otherAppsEntry = "entries of a second app"
        case keyValues = "entries of a key-value store"
        case replica = "logs read by a device that does not have their app"
        case oldListing = "listings that were old"
        case corruptEntry = "reads of an entry that was corrupt"
        case changesLeft = "times that more had changed than a plan takes up"
        case operationsBesideTheLog = "lists of operations beside the log"
        case treeHash = "entries with the hash of a tree"
        case batchTwice = "batches in the log twice"
        case pack = "packs"
        case snapshot = "snapshots"
        case manyPages = "snapshots of more than one page"
        case floor = "floors"
        case deletedEntry = "entries cut off"
        case deletedSnapshot = "snapshots deleted"
        case deletedFloor = "floors deleted"
        case begunCollection = "collections begun"
        case endedCollection = "collections ended"
        case refusedCollection = "collections refused because clocks are apart"
        case deletedChunk = "chunks and packs deleted"
        case otherDevice = "devices that became others"
        case trouble = "troubles told"
        case heldDeletes = "deletes held"
        case broughtBack = "items brought back"
        case keptBoth = "conflicts whose versions became documents"
        case dropped = "versions removed beside their documents"
        case clearedStore = "stores looked at after all retention"
    }

    private(set) var counts: [String: Int] = [:]

    func note(_ event: Event) { counts[event.rawValue, default: 0] += 1 }

    func add(_ others: [String: Int]) { counts.merge(others, uniquingKeysWith: +) }

    /// One line for each, how often it was met.
    var lines: [String] { Event.allCases.map { "\(counts[$0.rawValue] ?? 0) \($0.rawValue)" } }

    /// What was never met of what a thousand histories meet. A batch that is in the log twice takes a store
    /// that writes long after it was asked to: few histories have one, and the shapes that are aimed at it.
    var missing: [String] {
        Event.allCases.filter { $0 != .batchTwice }.map(\.rawValue).filter { counts[$0] == nil }
    }

    func note(_ event: SyncEvent) {
        switch event.kind {
        case .becameAnotherDevice: note(.otherDevice)
        case .troubleBegan: note(.trouble)
        case .deletesHeld: note(.heldDeletes)
        default: break
        }
    }

    func note(put key: ObjectKey, _ bytes: [UInt8]) {
        let text = key.text
        if text.hasPrefix(StoreLayout.packPrefix) { note(.pack) }
        if text.contains("/snap/") {
            note(.snapshot)
            if let root = try? SnapshotRoot(bytes), root.pages.count > 1 { note(.manyPages) }
        }
        if text.contains("/floor/") { note(.floor) }
        if text.hasPrefix(StoreLayout.collectionPrefix) {
            note(text.hasSuffix(".ended") ? .endedCollection : .begunCollection)
        }
    }

    func note(deleted key: ObjectKey) {
        let text = key.text
        if text.contains("/log/") { note(.deletedEntry) }
        if text.contains("/snap/") { note(.deletedSnapshot) }
        if text.contains("/floor/") { note(.deletedFloor) }
        if text.hasPrefix(StoreLayout.chunkPrefix) || text.hasPrefix(StoreLayout.packPrefix) {
            note(.deletedChunk)
        }
    }
}
