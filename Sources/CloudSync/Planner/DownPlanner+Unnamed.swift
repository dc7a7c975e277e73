internal import SyncLog

/// What this device took out of the cloud, and somebody else had changed: contents that nobody named yet are
/// kept for ever, so the sender brings them here and names them.
extension DownPlanner {
    func considerUnnamed(_ node: Node) throws {
        let unnamed = node.contents.filter { $0.withdrawn == nil && !$0.content.chunks.isEmpty }
        guard !unnamed.isEmpty, try isDepartedFromHere(node) else { return plan.upToDate.append(node.id) }
        // Told by the next batch; the commit comes here again.
        let kept = Set(try storage.departure(node.id) ?? [])
        let next = unnamed.first { !kept.isSuperset(of: $0.revisions) }
        guard case .file(let content) = next?.content, let revisions = next?.revisions else {
            return wait(node.id, nil)
        }
        guard let path = try placeOfKept(node) else { return wait(node.id, nil) }
        afterwards.append(
            DownAction(
                kind: .keepUnnamed(content, revisions, at: path), file: node.id, node: node,
                name: path.name ?? node.name))
    }

    /// By itself, or with a directory above it.
    private func isDepartedFromHere(_ node: Node) throws -> Bool {
        var next: Node? = node
        var depth = 0
        while let item = next, item.state == .withdrawn, depth < 4096 {
            if try storage.departure(item.id) != nil { return true }
            if try item.aliases.contains(where: { try storage.departure($0) != nil }) { return true }
            next = try storage.node(item.parent)
            depth += 1
        }
        return false
    }

    /// Under its own name where that is free, in its directory where that is still here.
    private func placeOfKept(_ node: Node) throws -> LocalPath? {
        var names: [String] = []
        var next = node.parent
        while next != .root, let directory = try storage.node(next), names.count < 4096 {
            names.insert(directory.name, at: 0)
            next = directory.parent
        }
        var directory = LocalPath(names)
        if !names.isEmpty, try look(directory)?.kind != .directory { directory = LocalPath() }
        for name in [node.name] + String.numbersBeside.map(node.name.besideExcluded) {
            let path = directory.appending(name)
            let isTaken = try look(path) != nil || unreadable.contains(path) || keptPaths.contains(path)
            if isTaken { continue }
            keptPaths.insert(path)
            return path
        }
        return nil
    }
}
