/// Operations that bring contents.
extension Replay {
    mutating func create(_ creation: Creation) throws {
        switch try standing(of: creation.file) {
        case .unknown(let id):
            try make(
                id, in: creation.parent, named: creation.name, creation.content, creation.attributes)
        case .live(let node), .deleted(let node), .withdrawn(let node):
            // Ids are random: only a copied device can say one twice, and its bytes must not be lost.
            try take(creation.content, creation.attributes, base: nil, into: node)
        }
    }

    mutating func apply(_ edit: Edit) throws {
        switch try standing(of: edit.file) {
        case .unknown(let id):
            guard rules.hold(.editOfUnknownMakesItem), edit.content != .directory else { return }
            try make(id, in: edit.parent, named: edit.name, edit.content, edit.attributes)
        case .live(let node), .deleted(let node), .withdrawn(let node):
            try take(edit.content, edit.attributes, base: edit.base, into: node)
        }
    }

    mutating func setAttributes(of file: FileID, _ attributes: Attributes) throws {
        switch try standing(of: file) {
        case .live(let old):
            var node = old
            if node.isDirectory { node.directory = attributes } else { node.current?.attributes = attributes }
            try save(node, over: old)
        case .deleted, .withdrawn, .unknown: return
        }
    }

    private mutating func make(
        _ id: FileID, in parent: FileID, named name: String, _ content: Content, _ attributes: Attributes
    ) throws {
        if id == .root { return }
        var node = Node(id: id, state: .live, parent: .root, name: name, place: revision)
        if content == .directory {
            node.directory = attributes
        } else {
            let version = newVersion(content, attributes)
            try noteLocators(of: version)
            node.current = version
        }
        try place(node, over: nil, on: ground(for: parent))
    }

    /// A directory has no contents, and nothing becomes one.
    private mutating func take(
        _ content: Content, _ attributes: Attributes, base: Revision?, into old: Node
    ) throws {
        if old.isDirectory || content == .directory { return }
        let version = newVersion(content, attributes)
        try noteLocators(of: version)
        var node = old
        switch old.state {
        case .live, .withdrawn:
            try put(version, base: base, into: &node)
            try save(node, over: old)
        case .deleted:
            node.current = version
            try place(node, over: old, on: ground(for: old.parent))
        }
    }

    /// Replaces the content that the edit was made on, or stands beside what others made meanwhile.
    private mutating func put(_ version: Version, base: Revision?, into node: inout Node) throws {
        if let base { brought.remove(base) }
        if let base, let current = node.current, isOnlyBase(base, of: current) {
            node.current = nil
            try replace(current, by: version, in: &node)
        } else if let base, let index = node.versions.firstIndex(where: { isOnlyBase(base, of: $0) }) {
            try replace(node.versions.remove(at: index), by: version, in: &node)
        } else {
            try join(version, to: &node)
        }
    }

    /// Whether an edit of that base means this content. Two files were exchanged whose items became one: the
    /// one's edit makes the content equal to what the other's edit is based on, which would replace it.
    private func isOnlyBase(_ base: Revision, of version: Version) -> Bool {
        guard version.revisions.contains(base) else { return false }
        return !rules.hold(.batchesKeepTheirOwn) || brought.isDisjoint(with: version.revisions)
    }

    /// `old` was taken out of the row: what replaces it goes where it was, or to its equal.
    private mutating func replace(_ old: Version, by version: Version, in node: inout Node) throws {
        if isSame(old, version) {
            var same = try union(old, version, of: node.id)
            same.attributes = version.attributes
            try join(same, to: &node)
            return
        }
        try retire(old, of: node.id)
        // As the current content, even where a version is its equal: that one is current now.
        if node.current == nil, let index = node.versions.firstIndex(where: { isSame($0, version) }) {
            var same = try union(node.versions.remove(at: index), version, of: node.id)
            same.attributes = version.attributes
            node.current = same
        } else {
            try join(version, to: &node)
        }
    }

    private mutating func newVersion(_ content: Content, _ attributes: Attributes) -> Version {
        brought.insert(revision)
        return Version(content: content, attributes: attributes, revision: revision, position: position)
    }
}
