package import SyncLog

/// What a commit does to files of this disk that became one item.
extension SyncTransaction {
    /// Applies the next commit of the log to the tree, or a part of it, and notes what is to be brought to
    /// the disk.
    /// - Parameter isOwn: it is this device's batch in flight, which is committed; all of it.
    /// - Throws: as `TreeState.apply`.
    package func take(
        _ part: CommitPart, entryHash: ContentHash, isOwn: Bool, rules: SafetyRules, zone: LogZone = .files
    ) throws -> TreeChange {
        let batch = part.commit.batch
        let replaced = isOwn ? try replacedFiles(by: batch) : []
        let change = try TreeState(self, rules: rules, zone: zone).apply(part, entryHash: entryHash)
        try note(change)
        if isOwn, !change.isTwin {
            let earlier = replaced.filter { !batch.brought($0.revision) }
            try untellReplaced(by: batch, except: Set(earlier.map(\.file)), rules: rules)
        }
        return change
    }

    /// An edit that was planned before it was known that its file and another one here are one item replaced
    /// what is in that one as well, which nobody wanted: that was not told, from now on.
    func untellReplaced(
        by batch: Batch, except earlier: Set<FileID> = [], rules: SafetyRules
    ) throws {
        guard rules.hold(.mergedFilesAreToldAgain) else { return }
        for var row in try replacedFiles(by: batch) where !earlier.contains(row.file) {
            // It is still the same inode, and neither its time nor its bytes are known.
            row.fingerprint.changed = -1
            row.hash = nil
            try setSynced(row)
            try addPending([row.file])
        }
    }

    /// Files here of items that a batch edits and that others were merged into, of whose bytes the tree has
    /// nothing now.
    private func replacedFiles(by batch: Batch) throws -> [SyncedItem] {
        var edited: Set<FileID> = []
        return try batch.operations.flatMap { operation -> [SyncedItem] in
            guard case .edit(let edit) = operation, let node = try item(edit.file), node.isLive,
                edited.insert(node.id).inserted
            else { return [] }
            return try mergedFiles(of: node).filter { !$0.isDataless && $0.isReplaced(in: node) }
        }
    }

    /// The rows of all files that are this one item, where there may be several.
    func mergedFiles(of node: Node) throws -> [SyncedItem] {
        if node.aliases.isEmpty { return [] }
        return try ([node.id] + node.aliases).compactMap(synced).filter { $0.kind == .file }
    }
}

extension Batch {
    fileprivate func brought(_ revision: Revision?) -> Bool {
        revision.map { $0.device == device && $0.n == n } ?? false
    }
}

extension SyncedItem {
    /// The item has neither the operation that made these bytes any more, nor other bytes like these.
    fileprivate func isReplaced(in node: Node) -> Bool {
        guard let revision else { return false }
        return !node.contents.contains { $0.revisions.contains(revision) || $0.content.isHeld(by: self) }
    }
}
