/// Where the planner has to look on the disk.
public struct Touched: Equatable, Sendable {
    /// Items that may have appeared, gone or changed, each by itself.
    public var paths: Set<LocalPath>
    /// Directories that are to be compared with all below them; Documents itself for a rescan.
    public var whole: Set<LocalPath>
    /// Nobody saw these changes happen: deletes are inferred from what is not there (SYNC.md 5).
    public var isInferred: Bool

    public init(paths: Set<LocalPath> = [], whole: Set<LocalPath> = [], isInferred: Bool = false) {
        self.paths = paths
        self.whole = whole
        self.isInferred = isInferred
    }

    /// What a disk told.
    public init(_ changes: LocalChanges) {
        self.init(
            paths: changes.paths, whole: changes.everything ? [LocalPath()] : [],
            isInferred: changes.everything)
    }

    public var isEmpty: Bool { paths.isEmpty && whole.isEmpty }

    public mutating func formUnion(_ other: Touched) {
        paths.formUnion(other.paths)
        whole.formUnion(other.whole)
        isInferred = isInferred || other.isInferred
    }
}

/// What differs locally, as drafts in the order in which they have to be in the log.
public struct UpPlan: Equatable, Sendable {
    public var drafts: [Draft] = []
    /// Inferred deletes that wait for a person's word, of so many synced items; they are found again by the
    /// next rescan.
    public var heldDeletes = 0
    /// To be looked at again later: somebody writes there, or it could not be read now.
    public var restless: Set<LocalPath> = []
    /// Where the plan was cut off; to be given again after this plan's drafts are journaled.
    public var remaining = Touched()
    /// Items whose local side changed so that the other direction may go on: to be added to the pending ones.
    public var stirred: [FileID] = []

    public init() {}
}
