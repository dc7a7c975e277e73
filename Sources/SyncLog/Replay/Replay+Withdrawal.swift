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

    private static let rowsAtOnce = 1_000

    /// Everything that a directory holds, at any depth. Deleted items stay deleted; withdrawn ones may lie
    /// below them. What is gone is looked at only where contents are named: nothing lives below it.
    mutating func withdrawAll(below top: Node, naming names: Set<Revision>) throws {
        var directories = top.isDirectory ? [top.id] : []
        var seen: Set<FileID> = []
        while let directory = directories.popLast() {
            guard seen.insert(directory).inserted else { throw TreeError.damaged("a directory below itself") }
            // Before what lives, which is gone then too.
            var former = names.isEmpty ? [] : try formerChildren(of: directory, after: nil)
            while let last = former.last {
                directories += try withdraw(former, naming: names)
                former = try formerChildren(of: directory, after: last)
            }
            var children = try children(of: directory, after: nil)
            while let last = children.last {
                directories += try withdraw(children, naming: names)
                children = try self.children(of: directory, after: last)
            }
        }
    }

    private func formerChildren(of directory: FileID, after last: Node?) throws -> [Node] {
        try storage.formerChildren(of: directory, after: last?.id, limit: Self.rowsAtOnce)
    }

    private func children(of directory: FileID, after last: Node?) throws -> [Node] {
        try storage.children(
            of: directory, after: last.map { NormalizedName($0.name) }, limit: Self.rowsAtOnce)
    }

    /// - Returns: those that are directories.
    private mutating func withdraw(_ nodes: [Node], naming names: Set<Revision>) throws -> [FileID] {
        for node in nodes {
            if case .deleted = node.state {} else { try withdraw(node, naming: names) }
        }
        return nodes.filter(\.isDirectory).map(\.id)
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
