internal import StoreBasics

/// Makes the tree that a snapshot's records say, in place of the one that was there.
///
/// For records from anywhere: what no log could have made is refused, so that nothing that replay relies on
/// can be untrue afterwards. The transaction must not be kept then.
package struct SnapshotLoader {
    private let storage: any TreeStorage
    private var lastKey: [UInt8] = []
    /// Every directory's state and parent: few beside a million files.
    private var directories: [FileID: (isLive: Bool, parent: FileID)] = [:]
    private var parentsOfLive: Set<FileID> = []
    private var parentsOfFormer: Set<FileID> = []

    package init(_ storage: any TreeStorage) throws {
        self.storage = storage
        try storage.clearTree()
    }

    /// Takes the next record, in ascending order of keys.
    /// - Throws: `TreeError.damaged`, and what the storage throws.
    package mutating func load(_ record: SnapshotRecord) throws {
        let key = record.key
        guard lastKey.lexicographicallyPrecedes(key) else { throw TreeError.damaged("records out of order") }
        lastKey = key
        switch record {
        case .chunk(let chunk): try storage.setChunk(chunk)
        case .node(let node): try load(node)
        case .retained(let content):
            try refer(to: content.version, retainedSince: content.since)
            try storage.setRetained(content)
            try storage.addExpiry(content.expiry)
        case .device(let mark): try storage.setDeviceMark(mark)
        case .keyValue(let record): try storage.setKeyValue(record)
        }
    }

    /// Checks the whole and sets the tree's place in the log.
    package mutating func finish(head: TreeHead) throws {
        let live = directories.filter(\.value.isLive)
        guard parentsOfLive.allSatisfy({ $0 == .root || live[$0] != nil }),
            parentsOfFormer.allSatisfy({ $0 == .root || directories[$0] != nil })
        else { throw TreeError.damaged("an item without a parent") }
        try checkCycles()
        try checkReferences()
        try storage.setTreeHead(head)
    }

    private mutating func load(_ node: Node) throws {
        if node.isLive {
            guard try storage.child(of: node.parent, named: NormalizedName(node.name)) == nil else {
                throw TreeError.damaged("two items of one name")
            }
            parentsOfLive.insert(node.parent)
        } else {
            parentsOfFormer.insert(node.parent)
        }
        if node.isDirectory { directories[node.id] = (node.isLive, node.parent) }
        for version in node.contents { try refer(to: version, retainedSince: version.withdrawn) }
        try storage.setNode(node)
        for alias in node.aliases {
            guard try storage.alias(alias) == nil else { throw TreeError.damaged("an alias of two items") }
            try storage.setAlias(alias, to: node.id)
        }
        if case .deleted(let since) = node.state {
            try storage.addExpiry(Expiry(kind: .tombstone, since: since, file: node.id))
        }
        for version in node.contents {
            guard let since = version.withdrawn else { continue }
            guard node.state == .withdrawn else { throw TreeError.damaged("a live item's withdrawn content") }
            try storage.addExpiry(
                Expiry(kind: .withdrawn, since: since, file: node.id, position: version.position))
        }
    }

    private func refer(to version: Version, retainedSince: StoreTime?) throws {
        for chunk in version.content.chunks {
            guard var record = try storage.chunk(chunk.hash) else {
                throw TreeError.damaged("a content whose chunk is missing")
            }
            record.count(retainedSince: retainedSince)
            try storage.setChunk(record)
        }
    }

    /// Only directories have children, so only they can lie below themselves.
    private func checkCycles() throws {
        var proven: Set<FileID> = [.root]
        for start in directories.keys {
            var path: Set<FileID> = []
            var next = start
            while !proven.contains(next), let directory = directories[next] {
                guard path.insert(next).inserted else { throw TreeError.damaged("a directory below itself") }
                next = directory.parent
            }
            proven.formUnion(path)
        }
    }

    private func checkReferences() throws {
        try storage.forEachRow(storage.chunks, after: \.hash) { chunk in
            guard chunk.liveCount > 0 || chunk.retainedCount > 0 else {
                throw TreeError.damaged("a chunk that nothing refers to")
            }
        }
    }
}
