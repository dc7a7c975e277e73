internal import SyncContent
package import SyncLog

/// Finds what this device has to tell: what lies on the disk against what was last synced.
///
/// It reads and changes nothing. One is made for one plan, in a read transaction, while no batch is in
/// flight: what it has looked at it remembers.
package final class UpPlanner {
    /// More inferred deletes than this wait for a person's word, whatever part of the whole they are.
    static let freeInferredDeletes = 1000
    /// An item costs some 4 KiB until it is journaled, and the engine answers nobody while it plans.
    package static let itemsInPlan = 10_000

    let storage: any SyncTransaction
    let disk: any LocalDisk
    let rules: SafetyRules
    /// How many differing items one plan takes up.
    let limit: Int
    let newFile: () -> FileID

    /// What lies at a path; nil where nothing does. All that may differ is in `found`.
    var found: [LocalPath: LocalItem?] = [:]
    /// How many of those lie in directories that were looked through. What is looked at by itself is not
    /// counted: where it is gone, that is told when all directories were looked through.
    var foundBelow = 0
    var peeked: [LocalPath: LocalItem?] = [:]
    /// Compared whatever their fingerprint says: what changed is in a companion.
    var suspects: Set<LocalPath> = []
    /// Synced items that a listing did not have. The value: nobody saw them go.
    var absent: [FileID: Bool] = [:]
    /// Synced items where something else lies now that nobody saw come: where they are gone, nobody saw that.
    var unwitnessed: Set<FileID> = []
    /// Directories that were listed whole, but not against their synced children. The value: nobody saw what
    /// happened there.
    var listed: [LocalPath: Bool] = [:]
    /// Who lies where, as far as it was found out.
    var claims: [FileID: LocalPath] = [:]
    var identities: [LocalPath: FileID] = [:]
    var unseen: Set<LocalPath> = []
    var untold: Set<LocalPath> = []
    var rescan = Touched.Rescan.none
    var hasDepartures = false
    /// Directories that have no place in the cloud and were come upon: nothing goes into them, and what is
    /// gone may lie there.
    var excluded: Set<LocalPath> = []
    /// A directory and what lies in it were both noted: it may have had that name for a while only.
    var mayHaveStrayed = false
    /// Directories that were listed whole, whatever came of it.
    var descended: Set<LocalPath> = []
    /// What was seen to be renamed.
    var trail = RenameTrail()
    /// Where something was seen to come by a rename, from wherever.
    var arrivals: Set<LocalPath> = []
    /// Inodes of which a name was seen to be removed.
    var removed: Set<UInt64> = []
    var plan = UpPlan()

    package init(
        _ storage: any SyncTransaction, disk: any LocalDisk, rules: SafetyRules,
        limit: Int = UpPlanner.itemsInPlan,
        newFile: @escaping () -> FileID
    ) {
        self.storage = storage
        self.disk = disk
        self.rules = rules
        self.limit = limit
        self.newFile = newFile
    }

    /// - Parameter isConfirmed: a person wants the inferred deletes (`cloud sync --confirm-deletes`).
    /// - Throws: what the database throws; `LocalError.ended`. What else the disk says of an item makes it
    ///   `retryLater`.
    package func plan(_ touched: Touched, isConfirmed: Bool = false) throws -> UpPlan {
        try walk(touched)
        try claimAll()
        try claimRenamed()
        let gone = try findGone(isConfirmed: isConfirmed)
        if plan.isCutOff { try postpone(gone) }
        try draftAll(gone, isConfirmed: isConfirmed)
        return plan
    }

    // MARK: Looking

    /// What lies at a path, whether or not it may differ.
    func look(_ path: LocalPath) throws -> LocalItem? {
        if let known = found[path] ?? peeked[path] { return known }
        let item = try ask(path) { () throws(LocalError) in try disk.look(at: path) }
        peeked[path] = .some(item)
        return item
    }

    /// What a directory holds; nil where that cannot be known now: an unreadable side never yields deletes.
    /// - Parameter expected: which one was looked at. What lies in another one, whose name it took meanwhile,
    ///   would be told as changes of what lies in the first.
    func list(_ path: LocalPath, being expected: Fingerprint? = nil) throws -> [LocalItem]? {
        try ask(path) { () throws(LocalError) in try disk.list(path, being: expected) }
    }

    /// What of a new directory is not told yet, as much as the plan has room for.
    /// - Parameter told: the names of its synced items.
    func list(
        _ path: LocalPath, being expected: Fingerprint?, besides told: SyncedNames
    ) throws -> LocalListing? {
        let room = max(1, limit - foundBelow)
        return try ask(path) { () throws(LocalError) in
            try disk.list(path, being: expected, room: room) { told.has($0, of: $1) }
        }
    }

    private func ask<Answer>(
        _ path: LocalPath, _ question: () throws(LocalError) -> Answer?
    ) throws -> Answer? {
        do {
            return try question()
        } catch LocalError.ended {
            throw LocalError.ended
        } catch LocalError.gone {
            return nil
        } catch {
            plan.retryLater.insert(path)
            return nil
        }
    }

    /// It has no place in the cloud, by itself or by a directory above it.
    func isExcluded(_ item: LocalItem) throws -> Bool {
        try item.exclusion != nil || isBelowExcluded(item.path)
    }

    func isBelowExcluded(_ path: LocalPath) throws -> Bool {
        for above in path.directoriesAbove where try look(above)?.exclusion != nil { return true }
        return false
    }
}
