internal import SyncContent
internal import SyncLog

/// Items that left the cloud, or became one with another.
extension DownPlanner {
    func considerDeleted(_ node: Node) throws {
        guard let synced = try storage.synced(node.id) else { return plan.upToDate.append(node.id) }
        try considerRemoval(of: synced, node)
    }

    /// This device slept for longer than tombstones live. What it holds of the item may be all that is left
    /// of it, and absence from the tree is never a delete: it is told anew, as a new item.
    func considerUnknown(_ file: FileID) throws {
        // What the tree does not know yet comes back when it is in the log.
        guard let synced = try storage.synced(file), try isInLog(synced) else {
            return plan.upToDate.append(file)
        }
        if let path = try storage.localPath(of: file) { plan.unseen.insert(path) }
        for child in try storage.syncedChildren(of: file) { try consider(child.file) }
        plan.unknown.append(file)
    }

    /// Takes an item from this disk, unless something here is not told yet.
    private func considerRemoval(of synced: SyncedItem, _ node: Node) throws {
        guard try isInLog(synced) else { return wait(synced.file, nil) }
        // The directory that it was in is not here any more.
        let path = try storage.localPath(of: synced.file)
        guard let children = try children(of: synced) else { return wait(synced.file, nil) }
        for child in children { try consider(child.file) }
        if synced.isDirectory { emptied[synced.file] = children.map(\.file) }
        guard let path, let item = try look(path) else {
            if let path, unreadable.contains(path) { return wait(synced.file, nil) }
            // It may have been moved, which was not told yet: without its row nobody knows what it is, and it
            // would stay here with no bytes for ever.
            if let path, synced.isDataless { return wait(synced.file, path) }
            return forget(synced, node)
        }
        // What never was in the cloud keeps it; the planner of the other direction tells when that goes.
        if synced.isLingering, children.allSatisfy(\.isLingering),
            try !(LocalError.ifKnown(disk.list(path))?.isEmpty ?? false)
        {
            lingering.insert(synced.file)
            return plan.upToDate.append(synced.file)
        }
        guard isUnchanged(item, synced) else { return wait(synced.file, path) }
        if synced.isDirectory, try holdsOthers(than: children, path) { staying.insert(synced.file) }
        remove(synced, node)
    }

    /// What is synced in a directory; nil where that is much and some of it is still to go, which it does by
    /// itself.
    private func children(of synced: SyncedItem) throws -> [SyncedItem]? {
        guard synced.isDirectory else { return [] }
        guard limit < .max else { return try storage.syncedChildren(of: synced.file) }
        let first = try storage.syncedChildren(of: synced.file, after: nil, limit: limit + 1)
        if first.count <= limit { return first }
        if try first.contains(where: { try storage.isPending($0.file) }) { return nil }
        return try storage.syncedChildren(of: synced.file)
    }

    /// It holds what stays here, and nobody is told of: so it keeps its name, and who wants that would be
    /// parked for it in vain.
    private func holdsOthers(than children: [SyncedItem], _ path: LocalPath) throws -> Bool {
        let known = Set(children.map { NormalizedName($0.name) })
        return try (LocalError.ifKnown(disk.list(path)) ?? []).contains { item in
            guard item.exclusion != nil || item.isDataless, let name = item.path.name else { return false }
            return !known.contains(NormalizedName(name))
        }
    }

    /// Files here that became one item: what the edit of one replaces may be all that there is of another,
    /// which goes, or is replaced, after that.
    /// - Returns: that it waits for one of them to be told.
    func waitsForMerged(_ file: FileID, _ node: Node) throws -> Bool {
        guard rules.hold(.mergedFilesAreToldAgain) else { return false }
        for other in try storage.mergedFiles(of: node) where other.file != file {
            let path = try storage.localPath(of: other.file)
            if try isTold(other, at: path) { continue }
            wait(file, path)
            return true
        }
        return false
    }

    /// What lies here of it is what the tree was told.
    private func isTold(_ synced: SyncedItem, at path: LocalPath?) throws -> Bool {
        guard try isInLog(synced) else { return false }
        guard let path else { return true }
        return try look(path).map { isUnchanged($0, synced) } ?? false
    }

    /// Nothing of it lies here, or nobody knows where: only its row goes.
    func forget(_ synced: SyncedItem, _ node: Node) {
        add(
            .forget, node, file: synced.file, name: synced.name, from: Slot(synced.parent, synced.name),
            to: nil)
    }

    /// Its bytes stay here, flagged. Where they are not here, they can be fetched until retention ends.
    func considerWithdrawn(_ node: Node) throws {
        guard let synced = try storage.synced(node.id), !synced.isDataless else {
            return try considerUnnamed(node)
        }
        guard try isInLog(synced) else { return wait(node.id, nil) }
        if try goesWithItsDirectory(synced, node) { return wait(node.id, nil) }
        // Nothing can be flagged in it, and its target is no work that could be lost.
        if case .symlink = synced.kind { return try considerRemoval(of: synced, node) }
        // Of very many the rest comes by itself: what belongs elsewhere, and was not brought there, comes
        // anew.
        for child in try storage.syncedChildren(of: node.id, after: nil, limit: limit) {
            try consider(child.file)
        }
        let slot = Slot(synced.parent, synced.name)
        // Somebody removed it here, and that was not told yet: nothing is left to keep.
        let path = try storage.localPath(of: node.id)
        guard let path, let item = try look(path) else {
            if let path, unreadable.contains(path) { return wait(node.id, nil) }
            return forget(synced, node)
        }
        if synced.isDirectory, !synced.isItself(item) { return wait(node.id, path) }
        add(.keepFlagged, node, file: synced.file, name: synced.name, from: slot, to: nil)
    }

    /// What is below a directory is flagged by that, and has no flag of its own: a flag would be on all names
    /// of its inode, wherever they lie.
    private func goesWithItsDirectory(_ synced: SyncedItem, _ node: Node) throws -> Bool {
        guard synced.parent == node.parent, let above = try storage.node(node.parent),
            above.state == .withdrawn, try storage.synced(above.id) != nil
        else { return false }
        try consider(above.id)
        return true
    }

    /// It is one with an earlier item now.
    func considerMerged(_ file: FileID, _ node: Node) throws {
        guard let synced = try storage.synced(file) else {
            plan.upToDate.append(file)
            return try consider(node.id)
        }
        guard try storage.synced(node.id) != nil else {
            considered.insert(node.id)
            wait(node.id, nil)
            afterwards.append(
                DownAction(kind: .rename(from: file), file: node.id, node: node, name: synced.name))
            return
        }
        // Both are here, under two names: what is in this one is a version of the other, or was replaced.
        if try waitsForMerged(file, node) { return }
        try considerRemoval(of: synced, node)
    }
}
