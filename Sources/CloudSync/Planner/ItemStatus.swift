package import SyncLog

/// What a person is told of one item: the value of `com.apple.ubiquity.status` (SPEC.md 7).
package enum ItemStatus: String, Equatable, Sendable {
    case current
    case uploading
    case downloading
    /// Its bytes are in the cloud alone.
    case notDownloaded = "not-downloaded"
    case conflict
    /// It has no place in the cloud: flagged, or by its name or kind.
    case excluded
    /// It left the cloud before its bytes were here; they can be fetched until retention ends.
    case error
}

extension SyncTransaction {
    /// Of an item that the tree knows.
    package func status(of node: Node) throws -> ItemStatus {
        let row = try synced(node.id)
        guard node.isLive else {
            if row == nil { return node.state == .withdrawn ? .error : .excluded }
            return try isDownloading(node) ? .downloading : .current
        }
        if !node.versions.isEmpty { return .conflict }
        guard let row else { return try isDownloading(node) ? .downloading : .notDownloaded }
        if row.isDataless { return .notDownloaded }
        if try !isInTree(row) { return .uploading }
        if try row.place != node.place && isDownloading(node) { return .downloading }
        guard let revision = row.revision, let current = node.current else { return .current }
        return current.revisions.contains(revision) ? .current : .downloading
    }

    /// Of what lies on the disk.
    /// - Parameter isExcluded: by itself or by a directory above it.
    package func status(of item: LocalItem, isExcluded: Bool) throws -> ItemStatus {
        if isExcluded { return .excluded }
        guard let row = try synced(at: item.path), row.isKind(of: item) else { return .uploading }
        let isUntold = item.kind == .file && !item.isDataless && item.fingerprint != row.fingerprint
        if isUntold || !item.attributes.isEqual(to: row.attributes, of: item.kind) { return .uploading }
        guard let node = try self.item(row.file) else { return .uploading }
        if item.isDataless, node.state == .withdrawn { return .error }
        return try status(of: node)
    }

    /// Whether the log has an item as it lies here, to stay: what another device took out of the cloud is
    /// there for a while only, and what is on its way up may not come there.
    func isKept(_ item: LocalItem) throws -> Bool {
        guard item.exclusion == nil, try status(of: item, isExcluded: false) != .uploading,
            let row = try synced(at: item.path), try isInTree(row),
            let node = try self.item(row.file), node.isLive
        else { return false }
        guard let revision = row.revision else { return true }
        return node.contents.contains { $0.revisions.contains(revision) }
    }

    /// What was synced under a path.
    func synced(at path: LocalPath) throws -> SyncedItem? {
        var row: SyncedItem?
        for name in path.names {
            guard let next = try synced(in: row?.file ?? .root, named: name) else { return nil }
            row = next
        }
        return row
    }

    private func isDownloading(_ node: Node) throws -> Bool {
        let before = node.id.bits == 0 ? nil : FileID(bits: node.id.bits - 1)
        return try pending(after: before, limit: 1).first == node.id
    }

    private func isInTree(_ row: SyncedItem) throws -> Bool {
        try [row.place, row.revision ?? row.place].allSatisfy {
            try deviceMark($0.device)?.n ?? 0 >= $0.n
        }
    }
}
