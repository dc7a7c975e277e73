/// Operations that take away, which only ever take what they name.
extension Replay {
    mutating func delete(_ deletion: Deletion) throws {
        switch try standing(of: deletion.file) {
        case .live(let node):
            if node.isDirectory {
                try deleteDirectory(node, deletion)
            } else {
                try deleteContents(of: node, deletion, naming: Set(deletion.contents))
            }
        case .deleted, .withdrawn, .unknown: return
        }
    }

    private mutating func deleteDirectory(_ node: Node, _ deletion: Deletion) throws {
        guard isPlaceNamed(node, by: deletion) else { return }
        if rules.hold(.directoryDeleteNeedsEmpty), try storage.hasChildren(node.id) { return }
        try bury(node, over: node)
    }

    private mutating func deleteContents(
        of old: Node, _ deletion: Deletion, naming names: Set<Revision>
    ) throws {
        guard let current = old.current else { return }
        var node = old
        let isCurrentNamed = isNamed(current, by: names) || !rules.hold(.deleteNamesContents)
        let goes = isPlaceNamed(node, by: deletion) && isCurrentNamed
        node.versions = []
        for version in old.versions {
            let isOrphan = goes && !rules.hold(.deleteNamesVersions)
            if isOrphan || isNamed(version, by: names) {
                try retire(version, of: node.id)
            } else {
                node.versions.append(version)
            }
        }
        if goes {
            try retire(current, of: node.id)
            node.current = node.versions.isEmpty ? nil : node.versions.removeFirst()
        }
        if node.current == nil { try bury(node, over: old) } else { try save(node, over: old) }
    }

    private func isPlaceNamed(_ node: Node, by deletion: Deletion) -> Bool {
        node.place == deletion.place || !rules.hold(.deleteNamesPlace)
    }

    private mutating func bury(_ node: Node, over old: Node) throws {
        var node = node
        node.state = .deleted(now)
        try save(node, over: old)
        try storage.addExpiry(Expiry(kind: .tombstone, since: now, file: node.id))
    }

    mutating func resolve(_ resolution: Resolution) throws {
        switch try standing(of: resolution.file) {
        case .live(let old):
            var node = old
            guard let current = old.current else { return }
            let names = Set(resolution.contents)
            if current.revisions.contains(resolution.keep) {
                node.current = resolved(current)
            } else {
                guard let index = node.versions.firstIndex(where: { $0.revisions.contains(resolution.keep) })
                else { return }
                if isNamed(current, by: names) || !rules.hold(.resolveNamesContents) {
                    try retire(current, of: node.id)
                    node.current = resolved(node.versions.remove(at: index))
                }
            }
            try dropVersions(of: &node, keeping: resolution.keep, naming: names)
            try save(node, over: old)
        case .deleted, .withdrawn, .unknown: return
        }
    }

    /// The choice is a revision of its own: who deletes or replaces the content without it has not seen it.
    private func resolved(_ version: Version) -> Version {
        var version = version
        version.revisions = (version.revisions + [revision]).sorted()
        return version
    }

    private mutating func dropVersions(
        of node: inout Node, keeping keep: Revision, naming names: Set<Revision>
    ) throws {
        let versions = node.versions
        node.versions = []
        for version in versions {
            let isKept = version.revisions.contains(keep)
            let goes = isNamed(version, by: names) || !rules.hold(.resolveNamesContents)
            if goes, !isKept {
                try retire(version, of: node.id)
            } else {
                node.versions.append(version)
            }
        }
    }
}
