internal import CloudStore
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// Files that a download displaced while an app may have had them open: what it wrote to them then is an edit
/// of what they were.
extension Applier {
    /// Looks at the displaced files that nobody can write any more: one that is as it was is dropped.
    /// - Returns: edits to send, of those that are not. They are dropped by a later call, when that is
    /// durable.
    package func compareDisplaced() throws -> [Draft] {
        try disk.takeDisplaced().compactMap(compare)
    }

    /// Drops what it can of displaced files, and tells of none.
    /// - Parameter kept: what an earlier call could not drop: as long as it stands as it did it is not read.
    /// - Returns: the same for the next call.
    func dropUnwrittenDisplaced(knowing kept: Set<Displaced>) throws -> Set<Displaced> {
        let displaced = Set(try disk.takeDisplaced())
        for new in displaced.subtracting(kept).sorted(by: { $0.name < $1.name }) { _ = try compare(new) }
        return displaced
    }

    /// Takes back what a restore noted that was killed before its home came.
    func forgetLostCopies() throws {
        let lost = try storage.read { try $0.allDisplaced() }
            .filter { try $0.layer > 0 && disk.look(atDisplaced: $0.name) == nil }
        guard !lost.isEmpty else { return }
        try storage.write { transaction in for row in lost { try transaction.removeDisplaced(row.name) } }
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
        // Written through a name that is flagged: there the bytes are, and from there they do not leave.
        let isCovered = try known.layer > 0 && self.isCovered(known)
        guard let staysHere = try isCovered ? true : LocalError.ifKnown(disk.isKeptBack(displaced, rules))
        else {
            return nil
        }
        if staysHere {
            try drop(displaced)
            return nil
        }
        return try storage.read { try draft(known, displaced, $0) }
    }

    /// What lies over it left the cloud since: what was below it has no place there either.
    private func isCovered(_ known: DisplacedItem) throws -> Bool {
        let (path, contents) = try storage.read { transaction in
            let file = try transaction.resolve(known.file)
            let row = try transaction.synced(file)
            return (
                try row.flatMap { try transaction.localPath(of: $0.file) },
                try transaction.item(file)?.contents ?? []
            )
        }
        // One that was deleted comes back with it: its bytes are nowhere else.
        guard let path else { return !contents.isEmpty && contents.allSatisfy { $0.withdrawn != nil } }
        return try ([path] + path.directoriesAbove).contains { try look($0)?.exclusion != nil }
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
        // By the name that its row has, where it became one with another: what lies over it is told by that.
        let file = known.layer > 0 ? try transaction.resolve(known.file) : known.file
        let row = try transaction.synced(file)
        var attributes =
            try row?.attributes ?? transaction.item(known.file)?.attributes
            ?? Attributes(mode: 0o644, modified: 0)
        attributes.modified = displaced.fingerprint.modified
        var draft = Draft(
            .edit(base: known.base, known: known.hash, agreed: attributes), file: file,
            path: try transaction.localPath(of: known.file) ?? LocalPath(),
            parent: row?.parent ?? known.parent,
            name: row?.name ?? known.itemName, attributes: attributes, fingerprint: displaced.fingerprint,
            source: .displaced(displaced))
        draft.layer = known.layer
        return draft
    }

    private func hash(of displaced: Displaced) throws -> ContentHash? {
        try hash { take throws(LocalError) in try disk.readDisplaced(displaced, take) }
    }

    /// Of the bytes that `read` hands on; nil where they cannot be read now.
    func hash(
        _ read: (_ take: ([UInt8]) throws(LocalError) -> Void) throws(LocalError) -> Void
    ) throws -> ContentHash? {
        var hasher = SHA256Hasher()
        let isRead: Void? = try LocalError.ifKnown(
            read { bytes throws(LocalError) in hasher.update(bytes) })
        return isRead.flatMap { ContentHash(hasher.digest()) }
    }
}
