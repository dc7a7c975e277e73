/// Where an item is placed: what happens where its parent is gone, or where another item has its name.
extension Replay {
    /// What a new place turned out to be.
    enum Ground {
        /// A live directory.
        case live(FileID)
        /// A directory that left the cloud, or is below one: what is placed there leaves too.
        case withdrawn(FileID)

        var directory: FileID {
            switch self {
            case .live(let id), .withdrawn(let id): id
            }
        }
    }

    mutating func move(_ file: FileID, to parent: FileID, _ name: String) throws {
        switch try standing(of: file) {
        case .live(let old):
            if try isCycle(moving: old, below: parent) { return }
            let ground = try ground(for: parent)
            // A revived parent may have become an alias of the item itself, or of something below it.
            if rules.hold(.cyclesAreTestedAgain), try isCycle(moving: old, below: ground.directory) { return }
            var node = old
            node.wantedName = name
            node.place = placeRevision(of: old)
            try place(node, over: old, on: ground)
        case .deleted, .withdrawn, .unknown: return
        }
    }

    /// A directory that another was merged into keeps a place that only the log tells: its mover may not have
    /// seen the other one, and deletes what it moved, offline, by the place of the move.
    private func placeRevision(of node: Node) -> Revision {
        let isMerged = node.isDirectory && !node.aliases.isEmpty
        return isMerged && rules.hold(.mergeChangesPlace) ? revision.ofMergedMove : revision
    }

    /// Puts a row where its wanted name says. Its place revision is set already.
    mutating func place(_ node: Node, over old: Node?, on ground: Ground) throws {
        switch ground {
        case .live(let parent): try placeLive(node, over: old, in: parent)
        case .withdrawn(let parent):
            var node = node
            node.parent = parent
            node.name = UsableName.shown(node.wantedName, of: node.id)
            node.state = .withdrawn
            try save(node, over: old)
            change.withdrawn.insert(node.id)
            try withdrawAll(below: node, naming: [])
        }
        try placeOrphanedChildren()
    }

    /// The directory that an operation names as a parent, with its ancestors, made fit to hold something.
    mutating func ground(for parent: FileID) throws -> Ground {
        guard let directory = try storage.item(parent), directory.isDirectory else { return .live(.root) }
        var deleted: [Node] = []
        var next: Node? = directory
        var base = FileID.root
        while let node = next {
            try checkDepth(deleted.count)
            switch node.state {
            case .deleted: deleted.append(node)
            case .withdrawn where rules.hold(.nothingLivesBelowWithdrawn): return .withdrawn(directory.id)
            case .live, .withdrawn: base = node.id
            }
            guard case .deleted = node.state else { break }
            next = try storage.node(node.parent)
        }
        for node in deleted.reversed() {
            base = try revive(node, in: base)
        }
        return .live(base)
    }

    /// - Returns: the directory, or the one of its name that it was merged into.
    private mutating func revive(_ old: Node, in parent: FileID) throws -> FileID {
        var node = old
        node.state = .live
        guard rules.hold(.revivalClashes) else {
            node.parent = parent
            try save(node, over: old)
            return node.id
        }
        return try placeLive(node, over: old, in: parent)
    }

    /// Gives a row a place in a live directory.
    /// - Returns: the item that it is now: itself, or what it was merged into.
    @discardableResult
    mutating func placeLive(_ node: Node, over old: Node?, in parent: FileID) throws -> FileID {
        var node = node
        node.state = .live
        node.parent = parent
        node.name = UsableName.shown(node.wantedName, of: node.id)
        if let holder = try holder(of: node.name, in: parent, beside: node.id) {
            if canMerge(node, holder) {
                try merge(node, over: old, into: holder)
                return holder.id
            }
            node.name = try freeName(for: node)
        }
        try save(node, over: old)
        return node.id
    }

    /// The other live item that has a name.
    private func holder(of name: String, in parent: FileID, beside id: FileID) throws -> Node? {
        guard let holder = try storage.child(of: parent, named: NormalizedName(name)), holder != id else {
            return nil
        }
        return try storage.node(holder)
    }

    private func freeName(for node: Node) throws -> String {
        var number: UInt64 = 2
        while true {
            let name = UsableName.numbered(node.name, number, isDirectory: node.isDirectory)
            if try holder(of: name, in: node.parent, beside: node.id) == nil { return name }
            number += 1
        }
    }

    /// Replay makes no cycle; a damaged database may hold one, and must not hold a device for ever.
    private func checkDepth(_ depth: Int) throws {
        if depth > 1 << 18 { throw TreeError.damaged("a directory below itself") }
    }

    /// Whether a directory would come to lie below itself. Deleted directories count by their last parents:
    /// a later operation may revive them.
    private func isCycle(moving node: Node, below parent: FileID) throws -> Bool {
        var next = try storage.resolve(parent)
        var depth = 0
        while next != .root {
            depth += 1
            try checkDepth(depth)
            if next == node.id { return true }
            guard let row = try storage.node(next) else { return false }
            if !row.isLive, !rules.hold(.cyclesCountLastParents) { return false }
            next = row.parent
        }
        return false
    }
}
