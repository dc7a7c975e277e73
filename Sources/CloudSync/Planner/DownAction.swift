package import SyncLog

/// One step that brings this disk nearer to the tree. The path, and what has to be there, the applier takes
/// from the synced tree at that moment, so that each step stands on what the one before it did.
package struct DownAction: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Downloads the current content, over the old one where there is one.
        case place(FileContent)
        case make(SmallContent)
        /// To the node's directory, and the name below.
        case move
        /// Aside, where names form a circle.
        case park
        case setAttributes
        case remove
        /// It left the cloud, and stays here as a flagged item with all below it.
        case keepFlagged
        /// This device took the item out, and of a content that nobody holds for sure it keeps the bytes as a
        /// flagged item there, so that it may be named.
        case keepUnnamed(FileContent, [Revision], at: LocalPath)
        /// Nothing to do on the disk: the synced tree takes over what the tree says.
        case agree
        /// Nothing of it is here any more.
        case forget
        /// It was merged into the node: its row becomes that one's.
        case rename(from: FileID)
    }

    package var kind: Kind
    package var file: FileID
    /// What the tree says of it.
    package var node: Node
    /// Its name on this disk.
    package var name: String
    /// What the tree lists beside it is shown here from now on.
    package var showsVersions = true
}

/// What differs remotely, in the order in which it has to be done.
package struct DownPlan: Equatable, Sendable {
    package var actions: [DownAction] = []
    /// Nothing is to be done for these: to be taken from the pending ones.
    package var upToDate: [FileID] = []
    /// A local change comes first there: to be looked at by the other direction, as `Touched.unseen`.
    package var unseen: Set<LocalPath> = []
    /// They wait for that, and stay pending.
    package var deferred: [FileID] = []
    /// The tree knows nothing of them any more, and their rows are to go. What lies here of them is among
    /// `unseen`, and new.
    package var unknown: [FileID] = []
}

extension DownPlan {
    /// - Parameter files: those that were planned.
    func changesPending(_ files: [FileID]) -> Bool {
        let files = Set(files)
        return !unknown.isEmpty || !files.isDisjoint(with: upToDate) || !files.isSuperset(of: deferred)
    }
}

extension SyncedStorage {
    /// Notes what there is still to look at. A plan also takes up who stands in the way, pending or not: only
    /// of what was pending fewer are left, which is progress where nothing stirs the same ones again. But
    /// what was come upon and has to wait would be looked at by nobody again: an item whose alias was
    /// pending, and is done.
    package func note(_ plan: DownPlan, pending files: [FileID]) throws {
        for file in Set(plan.upToDate).intersection(files).sorted() { try removePending(file) }
        try addPending(Set(plan.deferred).subtracting(files).sorted())
        for file in plan.unknown {
            try removePending(file)
            try removeSynced(file)
        }
    }
}

extension DownAction {
    /// What it downloads.
    var wanted: FileContent? {
        switch kind {
        case .place(let content), .keepUnnamed(let content, _, _): content
        case .make, .move, .park, .setAttributes, .remove, .keepFlagged, .agree, .forget, .rename: nil
        }
    }

    /// For the moment in which names form a circle: see `LocalPath.isParked`.
    static func parkingName(of file: FileID) -> String { "/\(String(file.bits, radix: 16))" }
}
