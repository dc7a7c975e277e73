internal import SyncLog

/// The synced tree follows what is now on the disk.
extension Applier {
    func finish(_ outcomes: [Outcome], _ applied: inout Applied) throws {
        try makeDurable(outcomes.flatMap(\.prepared.directories))
        try storage.write { transaction in
            for outcome in outcomes { try finish(outcome, transaction) }
        }
        for outcome in outcomes {
            guard case .done = outcome.result else { continue }
            let prepared = outcome.prepared
            if let destination = prepared.destination {
                applied.moved.append(LocalMove(from: prepared.path, to: destination))
                if prepared.path.isParked { applied.whole.insert(destination) }
            }
            switch prepared.action.kind {
            case .place, .make:
                applied.changed.append(prepared.path)
                if prepared.after.isBesideExcluded { applied.besideExcluded.append(prepared.path) }
            // Of a large directory it is told when all is forgotten.
            case .keepFlagged where try prepared.after.isDirectory && isSynced(prepared.action.file): break
            case .move, .remove, .setAttributes, .keepFlagged, .keepUnnamed:
                applied.changed.append(
                    prepared.path.isParked ? prepared.destination ?? prepared.path : prepared.path)
            case .park, .agree, .forget, .rename: break
            }
        }
    }

    private func isSynced(_ file: FileID) throws -> Bool {
        try storage.read { try $0.synced(file) } != nil
    }

    /// What the database knows to be there, and a power failure takes back from the disk, would be told as a
    /// person's delete.
    func makeDurable(_ directories: [LocalPath]) throws {
        guard !directories.isEmpty, rules.hold(.namesAreDurable) else { return }
        try disk.makeDurable(Set(directories))
    }

    private func finish(_ outcome: Outcome, _ transaction: any SyncTransaction) throws {
        let prepared = outcome.prepared
        if prepared.action.intention != nil { try transaction.removeIntention(prepared.action.file) }
        switch outcome.result {
        case .notDone:
            if let name = prepared.displacedName { try transaction.removeDisplaced(name) }
            try undoMake(prepared, transaction)
        case .isNotEmpty where try transaction.holdsMoreThanLingering(prepared.action.file):
            // What is in it has to go first.
            break
        case .isNotEmpty:
            var row = prepared.after
            row.isLingering = true
            try transaction.setSynced(row)
        case .done(let fingerprint):
            var row = prepared.after
            if let fingerprint { row.fingerprint = fingerprint }
            try finish(prepared.action, row, transaction)
            if prepared.action.leavesItsPlace, let before = prepared.before {
                try stir(by: before, transaction)
            }
        }
    }

    /// A symlink that was to be replaced may be gone already.
    private func undoMake(_ prepared: Prepared, _ transaction: any SyncTransaction) throws {
        guard case .make = prepared.action.kind, prepared.before != nil else { return }
        if (try? disk.look(at: prepared.path)) == nil { try transaction.removeSynced(prepared.action.file) }
    }

    private func finish(
        _ action: DownAction, _ row: SyncedItem, _ transaction: any SyncTransaction
    ) throws {
        switch action.kind {
        case .place, .make, .move, .park, .setAttributes: try transaction.setSynced(row)
        case .remove: try transaction.removeSynced(row.file)
        case .forget:
            // What lay in it has no place on this disk any more, and may be pending no longer.
            try transaction.forEachSyncedChild(of: row.file) { try transaction.addPending([$0.file]) }
            try transaction.removeSynced(row.file)
        case .keepFlagged: try forget(below: row.file, transaction)
        case .keepUnnamed(_, let revisions, _):
            let known = try transaction.departure(action.file) ?? []
            try transaction.setDeparture(action.file, naming: Set(known).union(revisions).sorted())
        case .agree: try transaction.setSynced(row.agreeing(with: action))
        case .rename(let from):
            try transaction.removeSynced(from)
            try transaction.setSynced(row.renamed(to: action.file))
            try transaction.forEachSyncedChild(of: from) { child in
                var child = child
                child.parent = action.file
                try transaction.setSynced(child)
            }
        }
    }

    /// Takes up what waited for an item to go: who lies beside it and wants its name, and a directory above
    /// it that has nothing else left to stay for: it lingers, or it became one with another. This disk tells
    /// nobody of what sync itself does.
    private func stir(by gone: SyncedItem, _ transaction: any SyncTransaction) throws {
        if let above = try transaction.synced(gone.parent),
            try gone.isLingering && above.isLingering || !(transaction.node(above.file)?.isLive ?? false)
        {
            try transaction.addPending([above.file])
        }
        if let node = try transaction.item(in: gone.parent, named: gone.name),
            try transaction.synced(node.id)?.isBesideExcluded ?? false
        {
            try transaction.addPending([node.id])
        }
    }

    /// Forgets the rows of a directory and of what is in it, from the bottom up. Of very many so many at a
    /// time: the directory is planned again for the rest.
    private func forget(below file: FileID, _ transaction: any SyncTransaction) throws {
        var open = [file]
        var room = limit
        while let next = open.last, room > 0 {
            if let child = try transaction.syncedChildren(of: next, after: nil, limit: 1).first {
                // It may belong elsewhere by now, and could not be brought there before: it comes anew.
                try transaction.addPending([child.file])
                open.append(child.file)
            } else {
                try transaction.removeSynced(open.removeLast())
                room -= 1
            }
        }
        if !open.isEmpty { try transaction.addPending([file]) }
    }
}

extension SyncedStorage {
    fileprivate func holdsMoreThanLingering(_ directory: FileID) throws -> Bool {
        var last: SyncedItem?
        repeat {
            let page = try syncedChildren(of: directory, after: last, limit: 1_000)
            if !page.allSatisfy(\.isLingering) { return true }
            last = page.last
        } while last != nil
        return false
    }
}

extension SyncedItem {
    /// What the tree says of bytes that are here already.
    func agreeing(with action: DownAction) -> SyncedItem {
        var row = self
        row.isLingering = false
        let isThere = isBesideExcluded || name == action.node.name
        if parent == action.node.parent, isThere { row.place = action.node.place }
        if let current = action.node.current, current.content.isHeld(by: self),
            !(revision.map(current.revisions.contains) ?? false)
        {
            row.revision = current.revisions.first
        }
        if action.showsVersions { row.shown = action.node.versionRevisions }
        return row
    }

    func renamed(to file: FileID) -> SyncedItem {
        var row = SyncedItem(
            file: file, parent: parent, name: name, place: place, kind: kind, revision: revision, hash: hash,
            fingerprint: fingerprint, attributes: attributes)
        row.isBesideExcluded = isBesideExcluded
        row.isDataless = isDataless
        return row
    }
}
