internal import StoreBasics

/// What the commits' times end. Evaluated at every commit, before its operations.
extension Replay {
    mutating func expire() throws {
        let historyEnd = now.adding(seconds: -Retention.historySeconds)
        while let expiry = try storage.firstExpiry(.history, before: historyEnd) {
            try storage.removeExpiry(expiry)
            try endHistory(expiry)
        }
        while let expiry = try storage.firstExpiry(.withdrawn, before: historyEnd) {
            try storage.removeExpiry(expiry)
            try endWithdrawn(expiry)
        }
        let tombstoneEnd = now.adding(seconds: -Retention.tombstoneSeconds)
        while let expiry = try storage.firstExpiry(.tombstone, before: tombstoneEnd) {
            try storage.removeExpiry(expiry)
            try endTombstones(from: expiry.file, before: tombstoneEnd)
        }
        if zone == .keyValues { try expireKeys(before: tombstoneEnd) }
    }

    private func endHistory(_ expiry: Expiry) throws {
        let key = RetainedContent.Key(file: expiry.file, position: expiry.position)
        guard let content = try storage.retained(key), content.since == expiry.since else { return }
        try storage.removeRetained(key)
        try dropReferences(of: content.version, areRetained: true)
    }

    /// The mark of the item stays for ever, its content goes.
    private mutating func endWithdrawn(_ expiry: Expiry) throws {
        guard let old = try storage.node(expiry.file), old.state == .withdrawn else { return }
        func isOver(_ version: Version) -> Bool {
            version.position == expiry.position && version.withdrawn == expiry.since
        }
        var node = old
        node.versions.removeAll(where: isOver)
        if let current = node.current, isOver(current) {
            node.current = node.versions.isEmpty ? nil : node.versions.removeFirst()
        }
        if node != old { try save(node, over: old) }
    }

    /// Ends a tombstone that holds nothing, and then its parent's, if that waited only for this one. One that
    /// still has a deleted or withdrawn child waits without being asked again until its last child goes.
    private mutating func endTombstones(from file: FileID, before end: StoreTime) throws {
        var next = file
        while let node = try storage.node(next), case .deleted(let since) = node.state, since < end {
            if rules.hold(.tombstonesWaitForChildren), try storage.hasFormerChildren(next) { return }
            try storage.removeNode(next)
            for alias in node.aliases { try storage.setAlias(alias, to: nil) }
            change.nodes.insert(next)
            next = node.parent
        }
    }
}
