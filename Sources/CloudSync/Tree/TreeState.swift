/// The tree that the log makes, and the rules by which each commit changes it (SYNC.md 3): total, the same on
/// every device, and blind to everything but the rows and the commit.
public struct TreeState {
    let storage: any TreeStorage
    let rules: SafetyRules

    public init(_ storage: any TreeStorage, rules: SafetyRules = .all) {
        self.storage = storage
        self.rules = rules
    }

    /// Applies the next commit of the log.
    /// - Parameters:
    ///   - entryHash: of the entry's bytes, which the next entry's `previous` has to name.
    /// - Throws: `TreeError.notNext` where the commit is not the one after the tree's head, or names another
    ///   predecessor; and what the storage throws. Then the transaction must not be kept.
    public func apply(_ commit: Commit, entryHash: ContentHash) throws -> TreeChange {
        TreeChange()
    }
}

public enum TreeError: Error, Equatable, Sendable {
    /// The log has a hole, or was forked: this entry does not follow the tree's head.
    case notNext(head: UInt64)
    /// A row contradicts another: the database is damaged, reload the snapshot.
    case damaged(String)
}
