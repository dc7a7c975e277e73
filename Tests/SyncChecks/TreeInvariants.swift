package import SyncLog

/// What holds for every tree after every commit (SYNC.md 7, I6), found by looking at every row.
package struct TreeInvariants {
    private let storage: any TreeStorage
    private let nodes: [FileID: Node]
    private(set) var findings: [String] = []

    /// - Returns: what is wrong; empty where nothing is.
    package static func findings(in storage: any TreeStorage) throws -> [String] {
        var check = try TreeInvariants(storage)
        for node in check.nodes.values {
            try check.checkPlace(of: node)
            check.checkContents(of: node)
            try check.checkAliases(of: node)
        }
        check.checkRevisions()
        try check.checkCounts()
        try check.checkReferences()
        return check.findings
    }

    private init(_ storage: any TreeStorage) throws {
        self.storage = storage
        let rows = try storage.nodes(after: nil, limit: .max)
        nodes = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    }

    private mutating func expect(_ holds: Bool, _ finding: @autoclosure () -> String) {
        if !holds { findings.append(finding()) }
    }

    private mutating func checkPlace(of node: Node) throws {
        if node.parent != .root {
            let parent = nodes[node.parent]
            expect(parent?.isDirectory ?? false, "\(node.id) has no parent")
            if node.isLive { expect(parent?.isLive ?? false, "\(node.id) lives below what does not") }
        }
        var seen: Set<FileID> = []
        var next: FileID? = node.id
        while let id = next, id != .root, seen.insert(id).inserted { next = nodes[id]?.parent }
        expect(next == nil || next == .root, "\(node.id) lies below itself")
        guard node.isLive else { return }
        let holder = try storage.child(of: node.parent, named: NormalizedName(node.name))
        expect(holder == node.id, "\(node.id) shares its name")
    }

    private mutating func checkContents(of node: Node) {
        switch node.state {
        case .live: expect(node.isDirectory != (node.current != nil), "\(node.id) is two kinds or none")
        case .deleted: expect(node.contents.isEmpty, "\(node.id) is deleted and has contents")
        case .withdrawn: expect(node.current != nil || node.versions.isEmpty, "\(node.id) has no current one")
        }
        for (index, version) in node.contents.enumerated() {
            expect(!version.revisions.isEmpty, "\(node.id) has a content that nobody made")
            for other in node.contents[(index + 1)...] {
                expect(
                    !version.content.isEqual(to: other.content), "\(node.id) is in conflict with its equal")
            }
        }
    }

    private mutating func checkAliases(of node: Node) throws {
        expect(try storage.alias(node.id) == nil, "\(node.id) is an alias and a row")
        for alias in node.aliases {
            expect(try storage.alias(alias) == node.id, "\(alias) is not the alias that \(node.id) says")
        }
    }

    private mutating func checkRevisions() {
        var seen: Set<Revision> = []
        for revision in nodes.values.flatMap(\.contents).flatMap(\.revisions) {
            expect(seen.insert(revision).inserted, "\(revision) is in two contents")
        }
    }

    private mutating func checkCounts() throws {
        let live = nodes.values.filter(\.isLive)
        let counts = try storage.treeCounts()
        expect(counts.documents == UInt64(live.count { !$0.isDirectory }), "documents are miscounted")
        expect(counts.directories == UInt64(live.count(where: \.isDirectory)), "directories are miscounted")
        expect(counts.conflicts == UInt64(live.count { !$0.versions.isEmpty }), "conflicts are miscounted")
        expect(
            counts.withdrawn == UInt64(nodes.values.count { $0.state == .withdrawn }),
            "withdrawn are miscounted")
        let listed = try storage.conflicts(after: nil, limit: .max).map(\.id)
        expect(listed == live.filter { !$0.versions.isEmpty }.map(\.id).sorted(), "conflicts are mislisted")
    }

    private mutating func checkReferences() throws {
        var live: [ContentHash: UInt32] = [:]
        var retained: [ContentHash: UInt32] = [:]
        for version in nodes.values.flatMap(\.contents) {
            for chunk in version.chunks {
                if version.withdrawn == nil {
                    live[chunk.hash, default: 0] += 1
                } else {
                    retained[chunk.hash, default: 0] += 1
                }
            }
        }
        for content in try storage.retainedContents(after: nil, limit: .max) {
            for chunk in content.version.chunks { retained[chunk.hash, default: 0] += 1 }
        }
        let chunks = try storage.chunks(after: nil, limit: .max)
        expect(
            Set(chunks.map(\.hash)) == Set(live.keys).union(retained.keys), "chunks are missing or left over")
        for chunk in chunks {
            expect(
                chunk.liveCount == live[chunk.hash] ?? 0 && chunk.retainedCount == retained[chunk.hash] ?? 0,
                "\(chunk.hash) is miscounted")
        }
    }
}

extension Version {
    fileprivate var chunks: [Chunk] {
        if case .file(let file) = content { file.chunks } else { [] }
    }
}
