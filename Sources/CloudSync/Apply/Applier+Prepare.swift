internal import SyncLog

/// An action with what it needs, as it stands in the database before it is done.
struct Prepared {
    var action: DownAction
    /// Where it lies, or will lie.
    var path: LocalPath
    /// The row before; nil for what is new.
    var before: SyncedItem?
    /// The row after, but for the fingerprint.
    var after: SyncedItem
    /// Where a move leads.
    var destination: LocalPath?
    /// Which directory it comes to lie in; nil for Documents itself.
    var directory: Fingerprint?
    /// The directories above it that are synced.
    var above: [LocalPath] = []
    var staged: (any StagedFile)?
    /// Under which name in staging what is displaced is kept.
    var displacedName: String?
}

extension Applier {
    /// Writes what is about to be done. An action that the world has overtaken is left out.
    func prepare(
        _ actions: [DownAction], _ staged: [FileID: any StagedFile]
    ) throws -> [Prepared] {
        let leaving = Set(actions.filter(\.leavesItsPlace).map(\.file))
        // Names of what is new; the rows that will have them are not written before all is done.
        var taken: Set<LocalPath> = []
        return try storage.write { transaction in
            try actions.compactMap { action in
                guard var prepared = try prepare(action, staged[action.file], transaction),
                    try isFree(prepared, besides: leaving, transaction),
                    prepared.before != nil || taken.insert(prepared.path).inserted
                else { return nil }
                // Its path alone may lead into another directory that came to lie there: what comes would go
                // where that goes, and be told as moved or deleted.
                if rules.hold(.directoriesReceiveTheirOwn) {
                    prepared.directory = try transaction.synced(prepared.after.parent)?.fingerprint
                }
                try note(prepared, transaction)
                return prepared
            }
        }
    }

    /// No other row has the name that this one takes. One whose item was removed here may still have it,
    /// because that was not told yet: two rows of one name would hide each other. So they would where two
    /// that come together take one name, and an app takes the first away before the second is put there.
    private func isFree(
        _ prepared: Prepared, besides leaving: Set<FileID>, _ transaction: any SyncTransaction
    ) throws -> Bool {
        switch prepared.action.kind {
        case .place, .make, .move, .park: break
        case .remove, .setAttributes, .keepFlagged, .keepUnnamed, .agree, .forget, .rename: return true
        }
        let (before, after) = (prepared.before, prepared.after)
        if let before, before.parent == after.parent, before.name == after.name { return true }
        guard let owner = try transaction.synced(in: after.parent, named: after.name) else { return true }
        return owner.file == after.file || leaving.contains(owner.file)
    }

    private func prepare(
        _ action: DownAction, _ staged: (any StagedFile)?, _ transaction: any SyncTransaction
    ) throws -> Prepared? {
        guard try transaction.item(action.node.id) == action.node else { return nil }
        let before = try transaction.synced(action.file)
        switch action.kind {
        case .place, .make:
            return try prepareBytes(action, staged, before, transaction)
        case .move, .park:
            guard var after = before, let path = try transaction.localPath(of: action.file) else {
                return nil
            }
            after.parent = action.kind == .park ? .root : action.node.parent
            after.name = action.name
            if action.kind == .move { after.agreePlace(with: action) }
            guard let directory = try transaction.localPath(of: after.parent) else { return nil }
            return Prepared(
                action: action, path: path, before: before, after: after,
                destination: directory.appending(after.name),
                above: try before.map { try transaction.directories(above: $0, at: path) } ?? [])
        case .remove, .keepFlagged:
            guard let before, let path = try transaction.localPath(of: action.file) else { return nil }
            let name = before.kind == .file ? newStagingName() : nil
            return Prepared(
                action: action, path: path, before: before, after: before, displacedName: name)
        case .setAttributes:
            guard var after = before, let path = try transaction.localPath(of: action.file) else {
                return nil
            }
            after.attributes = action.node.attributes
            return Prepared(action: action, path: path, before: before, after: after)
        case .keepUnnamed(_, _, let path):
            guard before == nil, let staged else { return nil }
            return Prepared(
                action: action, path: path, after: try SyncedItem(placing: action, over: nil), staged: staged)
        case .agree, .forget:
            guard let before else { return nil }
            return Prepared(action: action, path: LocalPath(), before: before, after: before)
        case .rename(let from):
            guard let row = try transaction.synced(from), before == nil else { return nil }
            return Prepared(action: action, path: LocalPath(), before: row, after: row)
        }
    }

    private func prepareBytes(
        _ action: DownAction, _ staged: (any StagedFile)?, _ before: SyncedItem?,
        _ transaction: any SyncTransaction
    ) throws -> Prepared? {
        if case .place = action.kind, staged == nil { return nil }
        guard let directory = try transaction.localPath(of: before?.parent ?? action.node.parent) else {
            return nil
        }
        let after = try SyncedItem(placing: action, over: before)
        return Prepared(
            action: action, path: directory.appending(after.name), before: before, after: after,
            staged: staged, displacedName: before?.kind == .file ? staged?.name : nil)
    }

    /// Without these notes a kill between the disk's change and the database's looks like a person's doing,
    /// and what was displaced belongs to nobody.
    private func note(_ prepared: Prepared, _ transaction: any SyncTransaction) throws {
        if let kind = prepared.action.intention, rules.hold(.intentionsAreJournaled) {
            try transaction.setIntention(Intention(kind: kind, after: prepared.after))
        }
        if !rules.hold(.syncedMovesAfterBytes), var row = prepared.before, prepared.staged != nil {
            row.revision = prepared.after.revision
            row.hash = prepared.after.hash
            try transaction.setSynced(row)
        }
        guard let name = prepared.displacedName, let before = prepared.before, let base = before.revision,
            let hash = before.hash, !before.isDataless, prepared.action.kind != .keepFlagged
        else { return }
        try transaction.setDisplaced(
            DisplacedItem(
                name: name, fingerprint: before.fingerprint, file: before.file, base: base, hash: hash,
                parent: before.parent, itemName: before.name))
    }
}

extension SyncTransaction {
    /// The directories that an item lies in, up to one that is kept from the cloud already.
    fileprivate func directories(above item: SyncedItem, at path: LocalPath) throws -> [LocalPath] {
        var found: [LocalPath] = []
        var (next, place) = (item.parent, path.parent)
        while next != .root, !place.names.isEmpty, let row = try synced(next) {
            found.append(place)
            (next, place) = (row.parent, place.parent)
        }
        return found
    }
}

extension DownAction {
    var intention: Intention.Kind? {
        switch kind {
        case .place: .place
        case .make: .make
        case .move, .park: .move
        case .remove: .remove
        case .setAttributes: .attributes
        case .agree, .forget, .keepFlagged, .keepUnnamed, .rename: nil
        }
    }
}

extension DownAction {
    /// Another item may take its name when it is done.
    var leavesItsPlace: Bool {
        switch kind {
        case .move, .park, .remove, .forget: true
        case .place, .make, .setAttributes, .keepFlagged, .keepUnnamed, .agree, .rename: false
        }
    }
}

extension SyncedItem {
    /// The row of an item whose current content was put in place.
    package init(placing action: DownAction, over before: SyncedItem?) throws {
        let node = action.node
        let kind: LocalItem.Kind
        var hash: ContentHash?
        switch action.kind {
        case .place(let content):
            kind = .file
            hash = content.hash
        case .make(.symlink(let target)): kind = .symlink(target: target)
        default: kind = .directory
        }
        self.init(
            file: node.id, parent: before?.parent ?? node.parent, name: before?.name ?? action.name,
            place: before?.place ?? node.place, kind: kind, revision: node.current?.revisions.first,
            hash: hash, fingerprint: before?.fingerprint ?? .none, attributes: node.attributes)
        shown = node.versionRevisions
        if let before {
            isBesideExcluded = before.isBesideExcluded
        } else {
            agreePlace(with: action)
        }
    }

    package mutating func agreePlace(with action: DownAction) {
        place = action.node.place
        isBesideExcluded = action.name != action.node.name
    }
}

extension Fingerprint {
    /// Of what is not there yet: no inode has the number 0.
    static let none = Fingerprint(device: 0, inode: 0, birth: 0, sizeBytes: 0, modified: 0, changed: 0)
}
