internal import SyncLog

/// Items that are in the cloud.
extension DownPlanner {
    func considerLive(_ node: Node) throws {
        guard try considerDirectories(above: node) else { return wait(node.id, nil) }
        guard let synced = try storage.synced(node.id) else { return try considerNew(node) }
        guard try isInLog(synced) else { return wait(node.id, nil) }
        guard let path = try storage.localPath(of: synced.file) else { return forget(synced, node) }
        guard let item = try look(path), synced.isItself(item) else { return wait(node.id, path) }
        guard synced.isKind(of: node) else { return try considerOtherKind(node, synced, item) }
        var isDone = try considerPlace(node, synced, item)
        isDone = try considerInside(node, synced, item) && isDone
        guard isDone else { return }
        // Here, where the item was just seen, and nowhere else: what was deleted before the versions came is
        // not here any more.
        guard synced.shown == node.versionRevisions || !showsVersions(item, synced) else {
            return agree(node, synced, item)
        }
        plan.upToDate.append(node.id)
    }

    private func agree(_ node: Node, _ synced: SyncedItem, _ item: LocalItem) {
        var action = DownAction(kind: .agree, file: node.id, node: node, name: synced.name)
        action.showsVersions = showsVersions(item, synced)
        afterwards.append(action)
    }

    /// What came under its name and is not told yet may be another's file, and be moved on: what was shown
    /// beside that would go with the removal of the one that was synced.
    private func showsVersions(_ item: LocalItem, _ synced: SyncedItem) -> Bool {
        item.kind != .file || item.fingerprint.isSameInode(as: synced.fingerprint)
            || !rules.hold(.movedFilesKeepVersions)
    }

    /// A directory has to be here, or come with this plan.
    /// - Returns: false where there is none in the cloud.
    private func considerDirectories(above node: Node) throws -> Bool {
        var missing: [FileID] = []
        var next = node.parent
        while next != .root, try storage.synced(next) == nil, missing.count < 4096 {
            guard let directory = try storage.node(next), directory.isLive else { return false }
            missing.append(next)
            next = directory.parent
        }
        // Each may have to wait for what goes into the next one: whether they come is known at the end.
        coming.formUnion(missing)
        for directory in missing.reversed() { try consider(directory) }
        return true
    }

    private func considerNew(_ node: Node) throws {
        if node.isDirectory { coming.insert(node.id) }
        guard let name = try freeName(for: node) else { return }
        let kind: DownAction.Kind
        switch node.current?.content {
        case .file(let content): kind = .place(content)
        case .symlink(let target): kind = .make(.symlink(target: target))
        case .directory: kind = .make(.directory)
        case nil where node.isDirectory: kind = .make(.directory)
        case nil: return plan.upToDate.append(node.id)
        }
        add(kind, node, file: node.id, name: name, from: nil, to: Slot(node.parent, name))
    }

    /// It became something else, as only another client's word can make it: what is here goes first.
    private func considerOtherKind(_ node: Node, _ synced: SyncedItem, _ item: LocalItem) throws {
        guard isUnchanged(item, synced) else { return wait(node.id, item.path) }
        remove(synced, node)
    }

    /// - Returns: nothing is to be done.
    private func considerPlace(_ node: Node, _ synced: SyncedItem, _ item: LocalItem) throws -> Bool {
        guard try isElsewhere(node, synced) else {
            if synced.place == node.place, !synced.isLingering { return true }
            agree(node, synced, item)
            return false
        }
        guard let name = try freeName(for: node) else { return false }
        add(
            .move, node, file: node.id, name: name, from: Slot(synced.parent, synced.name),
            to: Slot(node.parent, name))
        return false
    }

    private func isElsewhere(_ node: Node, _ synced: SyncedItem) throws -> Bool {
        if synced.parent != node.parent { return true }
        // Another spelling is the same name, of which each disk keeps its own.
        guard synced.isBesideExcluded else { return synced.name != node.name }
        // Who clashes in the tree gets another name there, and its place is as it was.
        if synced.place != node.place || !synced.name.isBesideExcluded(of: node.name) { return true }
        // Its own name may be free again.
        guard let directory = try storage.localPath(of: node.parent) else { return false }
        let path = directory.appending(node.name)
        return try look(path) == nil && !unreadable.contains(path)
    }

    /// - Returns: nothing is to be done.
    private func considerInside(_ node: Node, _ synced: SyncedItem, _ item: LocalItem) throws -> Bool {
        guard let revision = synced.revision, let current = node.current,
            !current.revisions.contains(revision)
        else { return considerAttributes(node, synced, item) }
        guard !current.content.isHeld(by: synced) else {
            agree(node, synced, item)
            return false
        }
        guard isUnchanged(item, synced) else {
            wait(node.id, item.path)
            return false
        }
        if try waitsForMerged(node.id, node) { return false }
        switch current.content {
        case .file(let content): afterwards.append(action(.place(content), node, synced))
        case .symlink(let target): afterwards.append(action(.make(.symlink(target: target)), node, synced))
        case .directory: return true
        }
        return false
    }

    private func considerAttributes(_ node: Node, _ synced: SyncedItem, _ item: LocalItem) -> Bool {
        guard !node.attributes.isEqual(to: synced.attributes, of: synced.kind) else { return true }
        guard item.attributes.isEqual(to: synced.attributes, of: synced.kind) else {
            wait(node.id, item.path)
            return false
        }
        afterwards.append(action(.setAttributes, node, synced))
        return false
    }

    private func action(_ kind: DownAction.Kind, _ node: Node, _ synced: SyncedItem) -> DownAction {
        DownAction(kind: kind, file: node.id, node: node, name: atPlace[node.id]?.name ?? synced.name)
    }

    /// What lies there is what was synced; that somebody has it open does not matter. Of a directory and a
    /// symlink only that counts which travels.
    func isUnchanged(_ item: LocalItem, _ synced: SyncedItem) -> Bool {
        switch item.kind {
        case .file: synced.kind == .file && item.fingerprint == synced.fingerprint
        case .directory: synced.isItself(item)
        case .symlink: item.kind == synced.kind
        }
    }
}

extension SyncedItem {
    func isKind(of node: Node) -> Bool {
        switch (kind, node.current?.content) {
        case (.directory, _): node.isDirectory
        case (.file, .file), (.symlink, .symlink): true
        default: false
        }
    }
}

extension Content {
    /// The bytes on the disk are these.
    func isHeld(by synced: SyncedItem) -> Bool {
        switch self {
        case .directory: synced.kind == .directory
        case .file(let file): file.hash == synced.hash
        case .symlink(let target): synced.kind == .symlink(target: target)
        }
    }
}
