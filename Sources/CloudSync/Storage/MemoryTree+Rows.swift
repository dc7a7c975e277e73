internal import SyncLog

extension MemoryTree {
    mutating func set(_ node: Node) {
        let old = nodes.updateValue(node, forKey: node.id)
        counts.replace(old, by: node)
        if old.map({ $0.state != node.state || $0.parent != node.parent || $0.name != node.name }) ?? true {
            if let old { unlink(old) }
            link(node)
        }
        if node.isConflict != (old?.isConflict ?? false) { mark(node.id, isConflict: node.isConflict) }
    }

    mutating func remove(_ id: FileID) {
        guard let old = nodes.removeValue(forKey: id) else { return }
        counts.replace(old, by: nil)
        unlink(old)
        if old.isConflict { mark(id, isConflict: false) }
    }

    mutating func set(_ content: RetainedContent) {
        remove(content.key)
        var contents = history[content.file] ?? []
        let index = contents.firstIndex { content.version.position < $0.version.position }
        contents.insert(content, at: index ?? contents.endIndex)
        history[content.file] = contents
    }

    mutating func remove(_ key: RetainedContent.Key) {
        guard var contents = history[key.file] else { return }
        contents.removeAll { $0.key == key }
        history[key.file] = contents.isEmpty ? nil : contents
    }

    private mutating func link(_ node: Node) {
        if node.isLive {
            directories[node.parent, default: Directory()].names[NormalizedName(node.name)] = node.id
        } else {
            directories[node.parent, default: Directory()].former.insert(node.id)
        }
    }

    private mutating func unlink(_ node: Node) {
        let name = NormalizedName(node.name)
        if !node.isLive {
            directories[node.parent]?.former.remove(node.id)
        } else if directories[node.parent]?.names[name] == node.id {
            directories[node.parent]?.names[name] = nil
        }
        if directories[node.parent]?.isEmpty ?? false { directories[node.parent] = nil }
    }

    private mutating func mark(_ id: FileID, isConflict: Bool) {
        if isConflict { conflicts.insert(id) } else { conflicts.remove(id) }
    }
}
