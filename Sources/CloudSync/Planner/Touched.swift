package import SyncLog

/// Where the planner has to look on the disk.
package struct Touched: Equatable, Sendable {
    /// Items that were seen to appear, go or change, each by itself.
    package var paths: Set<LocalPath>
    /// Items that nobody saw change: what is gone there counts as an inferred delete.
    package var unseen: Set<LocalPath>
    /// Directories that are to be compared with all below them, unseen; Documents itself for a rescan.
    package var whole: Set<LocalPath>
    /// New directories with more items than a plan takes up: what of them is not synced yet is to be told.
    package var untold: Set<LocalPath> = []
    package var rescan = Rescan.none
    /// What is gone at a path that was seen may have been moved out of Documents.
    package var hasDepartures = false
    /// What was seen to be renamed, the newest last.
    package var trail = RenameTrail()
    /// Where something was seen to come from outside Documents, or by an exchange: a directory there is
    /// compared with all below it.
    package var arrivals: Set<LocalPath> = []
    /// Numbers of the inodes of which a name was seen to be removed.
    package var removed: Set<UInt64> = []

    package init(
        paths: Set<LocalPath> = [], unseen: Set<LocalPath> = [], whole: Set<LocalPath> = []
    ) {
        self.paths = paths
        self.unseen = unseen
        self.whole = whole
        rescan = whole.contains(LocalPath()) ? .looking : .none
    }

    /// Whether these places are part of a look through all of Documents.
    package enum Rescan: Comparable, Sendable {
        case none
        /// All was looked at, and these are what was found and not told yet.
        case telling
        case looking
    }

    package var isRescan: Bool { rescan != .none }

    /// What a disk told.
    package init(_ changes: LocalChanges) {
        self.init(paths: changes.paths, whole: changes.everything ? [LocalPath()] : changes.whole)
        hasDepartures = changes.hasDepartures
        trail = RenameTrail(changes.renames)
        arrivals = changes.arrivals
        removed = changes.removed
    }

    package var isEmpty: Bool { paths.isEmpty && unseen.isEmpty && whole.isEmpty && untold.isEmpty }

    /// Adds, for what sync itself moved, the new paths to the old ones. Notices of before a move may come
    /// after it, so the disk's changes are to be taken first.
    package mutating func follow(_ moves: [LocalMove]) {
        for move in moves {
            paths.follow(move)
            unseen.follow(move)
            whole.follow(move)
            untold.follow(move)
            arrivals.follow(move)
        }
    }

    /// - Parameter other: of later than this.
    package mutating func formUnion(_ other: Touched) {
        paths.formUnion(other.paths)
        unseen.formUnion(other.unseen)
        whole.formUnion(other.whole)
        untold.formUnion(other.untold)
        rescan = max(rescan, other.rescan)
        hasDepartures = hasDepartures || other.hasDepartures
        trail.append(other.trail)
        arrivals.formUnion(other.arrivals)
        removed.formUnion(other.removed)
    }
}

extension Set<LocalPath> {
    fileprivate mutating func follow(_ move: LocalMove) {
        formUnion(
            filter { $0.names.starts(with: move.from.names) }
                .map { LocalPath(move.to.names + $0.names.dropFirst(move.from.names.count)) })
    }
}

/// What differs locally, as drafts in the order in which they have to be in the log.
package struct UpPlan: Equatable, Sendable {
    package var drafts: [Draft] = []
    /// So many inferred deletes wait for a person's word; the next rescan finds them again.
    package var heldDeletes = 0
    /// Where some of them lay.
    package var heldPaths: [LocalPath] = []
    /// To be looked at again later: somebody writes there, or it could not be read now.
    package var retryLater: Set<LocalPath> = []
    /// The plan was cut off at its limit: `rest` is to be planned once its drafts are journaled.
    package var isCutOff = false
    /// What a plan that was cut off did not come to, or could not say while it had not seen everything.
    package var rest = Touched()
    /// A directory was seen under two names: it was moved while the plan was made.
    package var isTorn = false
    /// Items whose local side changed so that the other direction may go on: to be added to the pending ones.
    package var stirred: [FileID] = []

    /// Told, or held.
    var hasDeletes: Bool { heldDeletes > 0 || drafts.contains(where: \.isDelete) }

    /// What is told as deleted.
    var deleted: Set<FileID> { Set(drafts.lazy.filter(\.isDelete).map(\.file)) }

    package init() {}

    /// Nothing is told now, and all of it is looked at again.
    init(postponing looked: Touched) {
        (isCutOff, rest) = (true, looked)
    }
}

extension Draft {
    fileprivate var isDelete: Bool {
        if case .delete = kind { true } else { false }
    }
}
