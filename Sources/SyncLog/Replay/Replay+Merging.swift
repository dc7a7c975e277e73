/// Two items of one name that become one, for good: no later commit takes a merge back.
extension Replay {
    /// Two regular files, two directories, two symlinks of one target.
    func canMerge(_ node: Node, _ holder: Node) -> Bool {
        if node.isDirectory || holder.isDirectory { return node.isDirectory && holder.isDirectory }
        guard let left = node.current, let right = holder.current else { return false }
        switch (left.content, right.content) {
        case (.file, .file): return true
        case (.symlink, .symlink): return left.isSame(as: right)
        case (.directory, _), (.file, _), (.symlink, _): return false
        }
    }

    /// `node` becomes an alias of the earlier `holder`; its contents are versions of that, its children move
    /// there. The new place revision makes a delete a no-op whose sender has not seen the merge; so it is not
    /// the operation's own, which its sender knew before: `mkdir a; rmdir a`, journaled offline, would delete
    /// the `a` that another device made meanwhile.
    mutating func merge(_ node: Node, over old: Node?, into holder: Node) throws {
        var target = holder
        if rules.hold(.mergeChangesPlace) { target.place = revision.ofMerge }
        for version in node.contents { try join(version, to: &target) }
        let aliases = [node.id] + node.aliases
        if rules.hold(.mergeIsFinal) { target.aliases = (target.aliases + aliases).sorted() }
        // Its name is free before anything takes it, its chunks are let go when the target has them.
        if old != nil { try storage.removeNode(node.id) }
        try save(target, over: holder)
        try dropReferences(of: old, for: nil)
        for alias in aliases where rules.hold(.mergeIsFinal) { try storage.setAlias(alias, to: target.id) }
        change.nodes.insert(node.id)
        change.add(merged: node.id, into: target.id)
        try inherit(node.id, to: target.id)
    }

    /// What hung on an item that is now an alias.
    private mutating func inherit(_ file: FileID, to target: FileID) throws {
        for content in try storage.history(of: file) { try refile(content, under: target) }
        for former in try storage.formerChildren(of: file, after: nil, limit: .max) {
            var moved = former
            moved.parent = target
            try save(moved, over: former)
        }
        let children = try storage.children(of: file, after: nil, limit: .max).sorted {
            let names = ($0.wantedName.utf8, $1.wantedName.utf8)
            if names.0.elementsEqual(names.1) { return $0.id < $1.id }
            return names.0.lexicographicallyPrecedes(names.1)
        }
        childrenToPlace += children.map { (child: $0.id, parent: target) }
    }

    private func refile(_ content: RetainedContent, under target: FileID) throws {
        try storage.removeRetained(content.key)
        try storage.removeExpiry(content.expiry)
        var refiled = content
        refiled.file = target
        try storage.setRetained(refiled)
        try storage.addExpiry(refiled.expiry)
    }

    /// Places the children of merged directories, in order: those of directories that merge on the way come
    /// after them, so the depth of a tree costs no stack.
    mutating func placeOrphanedChildren() throws {
        var next = 0
        while next < childrenToPlace.count {
            let (child, parent) = childrenToPlace[next]
            next += 1
            guard let node = try storage.node(child) else { continue }
            try placeLive(node, over: node, in: parent)
        }
        childrenToPlace = []
    }
}
