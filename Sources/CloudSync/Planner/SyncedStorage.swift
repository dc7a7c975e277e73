package import SyncLog

/// Where it is kept what lies on this disk and what both sides agreed on: rows, without rules. Reads see the
/// transaction's own writes; calls throw what the database throws.
package protocol SyncedStorage: AnyObject {
    // MARK: Items
    func synced(_ file: FileID) throws -> SyncedItem?
    /// By its name on this disk, in any spelling of it.
    func synced(in parent: FileID, named name: String) throws -> SyncedItem?
    /// By its inode: device and number, and birth time unless that is to be ignored. Several, ascending,
    /// where a file has more names than one.
    func synced(inode fingerprint: Fingerprint, ignoringBirth: Bool) throws -> [SyncedItem]
    /// What a directory holds, in no order.
    func syncedChildren(of parent: FileID) throws -> [SyncedItem]
    /// Some of what a directory holds, by ascending names as they are compared and then ids, after one.
    func syncedChildren(of parent: FileID, after item: SyncedItem?, limit: Int) throws -> [SyncedItem]
    /// The names of what a directory holds.
    func syncedNames(of parent: FileID) throws -> SyncedNames
    func setSynced(_ item: SyncedItem) throws
    func removeSynced(_ file: FileID) throws
    func syncedCount() throws -> Int
    /// Costs no look at all rows.
    func datalessCount() throws -> Int

    // MARK: What the cloud changed and this disk does not show yet
    /// Items whose row in the tree may differ from what lies here. Kept until the planner finds no
    /// difference.
    func addPending(_ files: [FileID]) throws
    func removePending(_ file: FileID) throws
    /// In ascending order, after one.
    func pending(after file: FileID?, limit: Int) throws -> [FileID]
    func pendingCount() throws -> Int

    // MARK: What this device took out of the cloud
    /// Revisions whose bytes it keeps now and which are still to be named; nil where it took out no such
    /// item.
    func departure(_ file: FileID) throws -> [Revision]?
    /// For good: contents of such an item may come from others at any time.
    func setDeparture(_ file: FileID, naming revisions: [Revision]) throws
    /// Those with something to name, in ascending order.
    func departuresToName() throws -> [(file: FileID, revisions: [Revision])]

    // MARK: Applying
    func intentions() throws -> [Intention]
    /// Replaces the item's earlier one.
    func setIntention(_ intention: Intention) throws
    func removeIntention(_ file: FileID) throws
    func displaced(_ name: String) throws -> DisplacedItem?
    func allDisplaced() throws -> [DisplacedItem]
    func setDisplaced(_ item: DisplacedItem) throws
    func removeDisplaced(_ name: String) throws
    /// Every row that names one of these revisions names the other instead (a device that became another).
    func replaceRevisions(_ replacements: [Revision: Revision]) throws
}

extension SyncedStorage {
    func isPending(_ file: FileID) throws -> Bool {
        try pending(after: FileID(bits: file.bits &- 1), limit: 1).first == file
    }

    /// What a directory holds, read in pages; `body` may change those that it is given.
    func forEachSyncedChild(of parent: FileID, _ body: (SyncedItem) throws -> Void) throws {
        var last: SyncedItem?
        repeat {
            let page = try syncedChildren(of: parent, after: last, limit: 1_000)
            for child in page { try body(child) }
            last = page.last
        } while last != nil
    }
}
