internal import CloudStore

/// Files that a download displaced while an app may have had them open: what it wrote to them then is an edit
/// of what they were (SYNC.md 5).
extension Applier {
    /// Looks at the displaced files that nobody can write any more: one that is as it was is dropped.
    /// - Returns: edits to send, of those that are not. They are dropped by a later call, when that is
    /// durable.
    public func compareDisplaced() throws -> [Draft] {
        try disk.takeDisplaced().compactMap(compare)
    }

    private func compare(_ displaced: Displaced) throws -> Draft? {
        let known = try storage.read { try $0.displaced(displaced.name) }
        // A half-written download: nobody ever saw it in a directory.
        guard let known, known.fingerprint.isSameInode(as: displaced.fingerprint),
            rules.hold(.displacedFilesAreCompared)
        else {
            try drop(displaced)
            return nil
        }
        guard known.sent == nil, let hash = try hash(of: displaced) else { return nil }
        guard hash != known.hash else {
            try drop(displaced)
            return nil
        }
        // [X] Written through a name that is flagged: there the bytes are, and from there they do not leave.
        guard let staysHere = try isKeptBack(displaced) else { return nil }
        if staysHere {
            try drop(displaced)
            return nil
        }
        return try storage.read { try draft(known, displaced, $0) }
    }

    /// The row goes after the file: without its row a file would be taken for half-written, which it is not
    /// before it was compared.
    private func drop(_ displaced: Displaced) throws {
        do {
            try disk.dropDisplaced(displaced)
        } catch .gone {
        }
        try storage.write { try $0.removeDisplaced(displaced.name) }
    }

    private func draft(
        _ known: DisplacedItem, _ displaced: Displaced, _ transaction: any SyncTransaction
    ) throws -> Draft {
        let row = try transaction.synced(known.file)
        var attributes =
            try row?.attributes ?? transaction.item(known.file)?.attributes
            ?? Attributes(mode: 0o644, modified: 0)
        attributes.modified = displaced.fingerprint.modified
        return Draft(
            .edit(base: known.base, known: known.hash, agreed: attributes), file: known.file,
            path: try transaction.localPath(of: known.file) ?? LocalPath(),
            parent: row?.parent ?? known.parent,
            name: row?.name ?? known.itemName, attributes: attributes, fingerprint: displaced.fingerprint,
            source: .displaced(displaced))
    }

    /// Nil where that cannot be known now.
    private func isKeptBack(_ displaced: Displaced) throws -> Bool? {
        do throws(LocalError) {
            return try disk.isKeptBack(displaced, rules)
        } catch .ended {
            throw LocalError.ended
        } catch {
            return nil
        }
    }

    private func hash(of displaced: Displaced) throws -> ContentHash? {
        var hasher = SHA256Hasher()
        do throws(LocalError) {
            try disk.readDisplaced(displaced) { bytes throws(LocalError) in hasher.update(bytes) }
        } catch .ended {
            throw LocalError.ended
        } catch {
            return nil
        }
        return ContentHash(hasher.digest())
    }
}
