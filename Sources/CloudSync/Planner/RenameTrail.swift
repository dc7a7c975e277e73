/// Renames that were seen since the last plan, in order: by which names a file went before the one that it
/// has now. Only the mount knows; after an end of the daemon there is none.
package struct RenameTrail: Equatable, Sendable {
    /// Who renames a document to and fro a million times while the store is away pays with the oldest.
    static let limit = UpPlanner.itemsInPlan

    private(set) var renames: [LocalMove]

    package init(_ renames: [LocalMove] = []) {
        self.renames = renames.suffix(Self.limit)
    }

    package var isEmpty: Bool { renames.isEmpty }

    /// - Parameter later: what was renamed after all of this.
    mutating func append(_ later: RenameTrail) {
        if later.isEmpty { return }
        self = RenameTrail(renames + later.renames)
    }

    /// What leads to these paths: all that is worth keeping where they are planned again.
    package func leading(to paths: Set<LocalPath>) -> RenameTrail {
        var wanted = paths
        var kept: [LocalMove] = []
        for rename in renames.reversed() where wanted.contains(rename.to) {
            kept.append(rename)
            wanted.insert(rename.from)
        }
        return RenameTrail(kept.reversed())
    }
}
