package import SyncLog

/// What a batch does to the synced tree; each in the transaction of the journal's own step.
extension SyncedStorage {
    /// Notes that a batch was journaled: its operations are what lies here now.
    /// - Parameter frozen: also drafts that turned out to have nothing to tell.
    package func freeze(_ frozen: [FrozenDraft]) throws {
        for entry in frozen {
            if case .displaced(let displaced) = entry.draft.source {
                try freeze(displaced, entry)
            } else {
                try freezeItem(entry)
            }
        }
    }

    /// The batch is durable.
    package func finishBatch() throws {
        for var item in try allDisplaced() {
            guard let sent = item.sent else { continue }
            item.hash = sent
            item.sent = nil
            try setDisplaced(item)
        }
    }

    /// Notes what a commit changed in the tree, so that it comes to this disk.
    package func note(_ change: TreeChange) throws {
        try addPending(Array(change.nodes) + change.merged.keys)
    }

    /// Withdrawals again, of contents that were found unnamed and are kept here now.
    package func namings() throws -> [Draft] {
        try departuresToName().map { departure in
            Draft(
                .withdraw(contents: departure.revisions), file: departure.file, path: LocalPath(),
                parent: .root, name: "", attributes: Attributes(mode: 0, modified: 0), fingerprint: .none)
        }
    }

    private func freeze(_ displaced: Displaced, _ entry: FrozenDraft) throws {
        guard var item = try self.displaced(displaced.name) else { return }
        // Nothing to tell: the bytes are those that were displaced.
        item.sent = entry.operation == nil ? item.hash : entry.hash
        try setDisplaced(item)
        if item.layer > 0, let revision = entry.revision, let hash = entry.hash {
            try raise(over: item, of: entry.draft.file, to: revision, hash)
        }
    }

    /// What lies over it is an edit of it from now on, and not of what was before both.
    private func raise(
        over item: DisplacedItem, of file: FileID, to revision: Revision, _ hash: ContentHash
    ) throws {
        for var other in try allDisplaced()
        where other.file == item.file && other.layer > item.layer && other.base == item.base {
            (other.base, other.hash) = (revision, hash)
            try setDisplaced(other)
        }
        guard var row = try synced(file), row.revision == item.base,
            row.fingerprint == item.rowFingerprint
        else { return }
        (row.revision, row.hash) = (revision, hash)
        try setSynced(row)
    }

    private func freezeItem(_ entry: FrozenDraft) throws {
        let draft = entry.draft
        switch draft.kind {
        case .create:
            guard let created = SyncedItem(created: entry) else { return }
            try setSynced(created)
        case .withdraw:
            // One of `namings` is of no place: what lies here of the item meanwhile is another matter.
            if !draft.name.isEmpty { try removeSynced(draft.file) }
            try setDeparture(draft.file, naming: [])
        case .delete, .forget:
            try removeSynced(draft.file)
        case .park:
            break
        case .edit, .move, .setAttributes, .refresh:
            guard var item = try synced(draft.file) else { return }
            item.take(entry)
            try setSynced(item)
        }
    }
}

extension SyncedItem {
    fileprivate init?(created entry: FrozenDraft) {
        let draft = entry.draft
        guard let revision = entry.revision else { return nil }
        let kind: LocalItem.Kind
        switch draft.source {
        case .directory: kind = .directory
        case .symlink(let target): kind = .symlink(target: target)
        case .file: kind = .file
        case .displaced, nil: return nil
        }
        self.init(
            file: draft.file, parent: draft.parent, name: draft.name, place: revision, kind: kind,
            revision: kind == .directory ? nil : revision, hash: entry.hash,
            fingerprint: entry.fingerprint ?? draft.fingerprint, attributes: draft.attributes)
    }

    fileprivate mutating func take(_ entry: FrozenDraft) {
        let draft = entry.draft
        switch draft.kind {
        case .edit:
            if case .edit = entry.operation { revision = entry.revision }
            if case .symlink(let target) = draft.source { kind = .symlink(target: target) }
            if let hash = entry.hash { self.hash = hash }
            attributes = draft.attributes
            fingerprint = entry.fingerprint ?? draft.fingerprint
        case .move:
            parent = draft.parent
            name = draft.name
            isBesideExcluded = false
            if let revision = entry.revision { place = revision }
        case .setAttributes, .refresh:
            attributes = draft.attributes
            fingerprint = draft.fingerprint
        case .create, .park, .delete, .withdraw, .forget:
            break
        }
    }
}
