extension TreeStorage {
    /// The item that operations on this id are about: itself, or what it was merged into.
    package func resolve(_ id: FileID) throws -> FileID { try alias(id) ?? id }

    /// The row of an item, through aliases; nil where the tree knows nothing of it, and for the root.
    package func item(_ id: FileID) throws -> Node? { try node(resolve(id)) }

    /// The live item of that name in a directory.
    package func item(in parent: FileID, named name: String) throws -> Node? {
        guard let id = try child(of: resolve(parent), named: NormalizedName(name)) else { return nil }
        return try node(id)
    }

    /// All live items of a directory, by normalised name.
    package func children(of parent: FileID) throws -> [Node] {
        try children(of: resolve(parent), after: nil, limit: .max)
    }

    /// The names from Documents down to a live item; nil where it is not live.
    package func path(of id: FileID) throws -> [String]? { try path(of: id, while: \.isLive) }

    /// The names from Documents down to an item, of a deleted or withdrawn one as they were last; nil where
    /// the tree knows nothing of it any more.
    package func lastPath(of id: FileID) throws -> [String]? { try path(of: id) { _ in true } }

    private func path(of id: FileID, while isKnown: (Node) -> Bool) throws -> [String]? {
        var names: [String] = []
        var next = try resolve(id)
        while next != .root {
            // Deeper than any tree of replay's: only a damaged database has a cycle.
            guard names.count < 1 << 18, let node = try node(next), isKnown(node) else { return nil }
            names.append(node.name)
            next = node.parent
        }
        return names.reversed()
    }

    /// The live item at a path below Documents; nil where there is none. The root has no row: an empty path
    /// answers nil.
    package func item(at path: [String]) throws -> Node? {
        var found: Node?
        for name in path {
            guard let next = try item(in: found?.id ?? .root, named: name) else { return nil }
            found = next
        }
        return found
    }

    /// Items that are deleted and were last at a path below Documents, with all that was deleted below them.
    package func deletedItems(at path: [String]) throws -> [FileID] {
        var items = try formerItems(at: path).filter(\.isDeleted).map(\.id)
        // It grows while it is walked.
        var index = 0
        while index < items.count {
            let children = try formerChildren(of: items[index], after: nil, limit: .max)
            items += children.filter(\.isDeleted).map(\.id)
            index += 1
        }
        return items
    }

    /// Items that are deleted or withdrawn and were last at a path below Documents.
    package func formerItems(at path: [String]) throws -> [Node] {
        var parents: [FileID] = [.root]
        var found: [Node] = []
        for name in path {
            let wanted = NormalizedName(name)
            found = try parents.flatMap { try formerChildren(of: $0, after: nil, limit: .max) }
                .filter { NormalizedName($0.name) == wanted }
            parents = found.map(\.id) + (try parents.compactMap { try child(of: $0, named: wanted) })
        }
        return found
    }

    /// The slot up to which the tree holds the log.
    package func treeCursor() throws -> UInt64 { try treeHead().sequence }
}
