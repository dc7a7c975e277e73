/// Items that leave the cloud while they stay on devices.
extension Replay {
    mutating func withdraw(_ file: FileID, naming contents: [Revision]) throws {
        switch try standing(of: file) {
        case .live(let node), .withdrawn(let node):
            let names = Set(contents)
            try withdraw(node, naming: names)
            try withdrawAll(below: node, naming: names)
        case .deleted, .unknown: return
        }
    }

    /// Everything that a directory holds, at any depth. Deleted items stay deleted; withdrawn ones may lie
    /// below them.
    mutating func withdrawAll(below top: Node, naming names: Set<Revision>) throws {
        var directories = top.isDirectory ? [top.id] : []
        var seen: Set<FileID> = []
        while let directory = directories.popLast() {
            guard seen.insert(directory).inserted else { throw TreeError.damaged("a directory below itself") }
            let former = try storage.formerChildren(of: directory, after: nil, limit: .max)
            for child in try storage.children(of: directory, after: nil, limit: .max) + former {
                if case .deleted = child.state {} else { try withdraw(child, naming: names) }
                if child.isDirectory { directories.append(child.id) }
            }
        }
    }

    private mutating func withdraw(_ old: Node, naming names: Set<Revision>) throws {
        var node = old
        node.state = .withdrawn
        node.current = try node.current.map { try mark($0, of: node.id, naming: names) }
        node.versions = try node.versions.map { try mark($0, of: node.id, naming: names) }
        if old.isLive { change.withdrawn.insert(node.id) }
        if node != old { try save(node, over: old) }
    }

    /// The first withdraw that names a content starts its retention.
    private func mark(_ version: Version, of file: FileID, naming names: Set<Revision>) throws -> Version {
        guard version.withdrawn == nil, isNamed(version, by: names) else { return version }
        var marked = version
        marked.withdrawn = now
        try storage.addExpiry(Expiry(kind: .withdrawn, since: now, file: file, position: version.position))
        return marked
    }
}
