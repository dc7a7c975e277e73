internal import SyncContent
internal import SyncLog

/// After a kill: what was about to be done was done, or it was not; the disk says which.
extension Applier {
    /// Finishes or undoes what the notes of an earlier run say. To be called before the first plan; `apply`
    /// does it too.
    /// - Returns: what is to be looked at.
    package func recover() throws -> Touched {
        let broughtBack = try disk.bringBackParked()
        // All paths first: a directory's row may go before those of what was in it.
        let intentions = try storage.read { transaction in
            try transaction.intentions().map { ($0, try transaction.localPath(of: $0)) }
        }
        try makeDurable(intentions.compactMap(\.1?.parent))
        for (intention, path) in intentions {
            try storage.write { transaction in
                let isRecovered = try recover(displacing: intention, path, transaction)
                if !isRecovered, let path, try isItself(intention.after.parent, at: path.parent, transaction)
                {
                    try recover(intention, at: path, transaction)
                }
                try transaction.removeIntention(intention.after.file)
            }
        }
        for item in broughtBack { try takeBack(item) }
        // Who had a parked directory open may have changed it, and nobody told; what was noted in one that
        // was moved was noted where that is no more.
        let moved = intentions.filter { $0.0.kind == .move }.compactMap(\.1)
        return Touched(
            unseen: Set(intentions.compactMap(\.1)), whole: Set(broughtBack.map(\.path) + moved))
    }

    /// What was displaced for it is in staging, so what came was there, whatever became of it since: moved,
    /// replaced or removed. Taken for what was displaced it would take that with it. Who still has that open
    /// makes no difference.
    /// - Returns: false where nothing was displaced for it.
    private func recover(
        displacing intention: Intention, _ path: LocalPath?, _ transaction: any SyncTransaction
    ) throws -> Bool {
        guard intention.kind == .place, let before = try transaction.synced(intention.after.file) else {
            return false
        }
        let isDisplaced = try transaction.allDisplaced().contains { item in
            try item.file == before.file
                && disk.look(atDisplaced: item.name)?.isSameInode(as: before.fingerprint) ?? false
        }
        guard isDisplaced else { return false }
        var row = intention.after
        row.fingerprint = .none
        if let item = try path.flatMap(look), item.kind == .file, try hash(of: item) == row.hash {
            row.fingerprint = item.fingerprint
        }
        try transaction.setSynced(row)
        return true
    }

    private func recover(
        _ intention: Intention, at path: LocalPath, _ transaction: any SyncTransaction
    ) throws {
        let item = try look(path)
        let before = try transaction.synced(intention.after.file)
        switch intention.kind {
        case .remove where !(item?.fingerprint.isSameInode(as: intention.after.fingerprint) ?? false):
            // Also where something else came after it.
            return try transaction.removeSynced(intention.after.file)
        case .make where item == nil && before != nil:
            // The old symlink is gone and the new one is not there: it comes again as a new one.
            return try transaction.removeSynced(intention.after.file)
        default: break
        }
        guard let item, try !isAnothers(item, than: intention, transaction) else { return }
        guard let fingerprint = try fingerprint(of: item, ifDone: intention, before) else {
            return try dropDisplaced(item, transaction)
        }
        var row = intention.after
        row.fingerprint = fingerprint
        // Who had the name was to be forgotten in the same step, which leaves no note: two rows of one name
        // would hide each other.
        if let owner = try transaction.synced(in: row.parent, named: row.name), owner.file != row.file {
            try transaction.removeSynced(owner.file)
        }
        try transaction.setSynced(row)
    }

    /// Another directory may lie there by now: what is in that one says nothing.
    private func isItself(
        _ directory: FileID, at path: LocalPath, _ transaction: any SyncTransaction
    ) throws -> Bool {
        guard rules.hold(.directoriesReceiveTheirOwn), let synced = try transaction.synced(directory) else {
            return true
        }
        return try look(path).map(synced.isItself) ?? true
    }

    /// What was to be removed and replaced in one step may still be there, and look like what was to come: a
    /// directory, a symlink, a file of the same bytes. Taken for that, it would then be removed, and what
    /// came would be told as deleted.
    private func isAnothers(
        _ item: LocalItem, than intention: Intention, _ transaction: any SyncTransaction
    ) throws -> Bool {
        switch intention.kind {
        case .make, .place: break
        case .move, .remove, .attributes: return false
        }
        return try transaction.synced(inode: item.fingerprint, ignoringBirth: false)
            .contains { $0.file != intention.after.file }
    }

    /// - Returns: what to keep for the row where it was done; nil where it was not.
    private func fingerprint(
        of item: LocalItem, ifDone intention: Intention, _ before: SyncedItem?
    ) throws -> Fingerprint? {
        let after = intention.after
        switch intention.kind {
        case .place:
            guard item.kind == .file, item.fingerprint != before?.fingerprint else { return nil }
            return try hash(of: item) == after.hash ? item.fingerprint : nil
        case .make:
            return item.kind == after.kind ? item.fingerprint : nil
        case .move:
            // The old one is kept: if the file was changed since, that is still to be told.
            return item.fingerprint.isSameInode(as: after.fingerprint) ? after.fingerprint : nil
        case .attributes:
            return item.attributes.isEqual(to: after.attributes, of: item.kind) ? after.fingerprint : nil
        case .remove:
            return nil
        }
    }

    /// What is still in its place was not displaced.
    private func dropDisplaced(_ item: LocalItem, _ transaction: any SyncTransaction) throws {
        for displaced in try transaction.allDisplaced()
        where displaced.fingerprint.isSameInode(as: item.fingerprint) {
            try transaction.removeDisplaced(displaced.name)
        }
    }

    private func hash(of item: LocalItem) throws -> ContentHash? {
        try hash { take throws(LocalError) in
            _ = try disk.read(item.path, expecting: item.fingerprint, take)
        }
    }

    func look(_ path: LocalPath) throws -> LocalItem? {
        do {
            return try disk.look(at: path)
        } catch .gone {
            return nil
        }
    }
}

extension SyncTransaction {
    /// Where the thing lies if it was done.
    fileprivate func localPath(of intention: Intention) throws -> LocalPath? {
        try localPath(of: intention.after.parent)?.appending(intention.after.name)
    }
}
