internal import SyncContent
internal import SyncLog

/// What goes: deletes, and what leaves the cloud while it stays here.
extension UpPlanner {
    func draftGone(_ gone: [FileID: Bool], isConfirmed: Bool, _ add: Adding) throws {
        guard !plan.isCutOff, let departed = try departed(gone) else { return }
        let inferred = gone.filter { $0.value && !departed.contains($0.key) }.keys
        let isHeld = try !isConfirmed && isMassDelete(inferred.count)
        if isHeld {
            plan.heldDeletes = inferred.count
            plan.heldPaths = try inferred.sorted().prefix(Self.namedDeletes).compactMap(storage.localPath)
        }
        for (file, isInferred) in gone.sorted(by: { $0.key < $1.key }) {
            guard let synced = try storage.synced(file) else { continue }
            if departed.contains(file) {
                try draftDeparture(synced, add)
            } else if !(isHeld && isInferred) {
                try add(deletion(of: synced), Slot(synced.parent, synced.name), nil)
            }
        }
    }

    private static let namedDeletes = 100

    /// Which of what is gone lies elsewhere in the home, or in an excluded directory: it left the cloud, and
    /// was not deleted. What was seen to go is looked for in the rest of the home only where something was
    /// seen to move out.
    /// - Returns: nil where that cannot be known now: no delete may follow from it.
    private func departed(_ gone: [FileID: Bool]) throws -> Set<FileID>? {
        let candidates = try gone.keys.compactMap(storage.synced)
        guard !candidates.isEmpty else { return [] }
        let departing = candidates.filter {
            hasDepartures || gone[$0.file] == true || unwitnessed.contains($0.file)
        }
        do {
            var found = try lyingExcluded(candidates.map(\.fingerprint))
            if !departing.isEmpty { found.formUnion(try disk.departed(departing.map(\.fingerprint))) }
            return Set(candidates.filter { found.contains($0.fingerprint) }.map(\.file))
        } catch LocalError.ended {
            throw LocalError.ended
        } catch {
            for synced in candidates {
                if let path = try storage.localPath(of: synced.file) { plan.retryLater.insert(path) }
            }
            return nil
        }
    }

    /// Which of these lie in the excluded directories: nobody told of a move into one while the daemon was
    /// off, or it went by a name that its directory had before it was excluded and moved on.
    private func lyingExcluded(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> {
        let numbers = Dictionary(grouping: gone, by: \.inode)
        var found: Set<Fingerprint> = []
        var waiting = Array(excluded)
        while let directory = waiting.popLast() {
            for item in try listIfThere(directory) {
                if item.kind == .directory { waiting.append(item.path) }
                let same = numbers[item.fingerprint.inode] ?? []
                found.formUnion(same.filter { $0.birth != 0 && item.fingerprint.isSameInode(as: $0) })
            }
        }
        return found
    }

    private func listIfThere(_ directory: LocalPath) throws(LocalError) -> [LocalItem] {
        do throws(LocalError) {
            return try disk.list(directory)
        } catch {
            if error == .gone { return [] }
            throw error
        }
    }

    private func draftDeparture(_ synced: SyncedItem, _ add: Adding) throws {
        let path = try storage.localPath(of: synced.file) ?? LocalPath()
        let isLive = try storage.item(synced.file)?.isLive ?? true
        guard try !isLive || !hasDataless(synced) else {
            plan.retryLater.insert(path)
            return
        }
        try add(withdrawal(of: synced, path), Slot(synced.parent, synced.name), nil)
    }

    /// Over half of all, or over 1,000.
    private func isMassDelete(_ inferred: Int) throws -> Bool {
        guard rules.hold(.massDeletesAsk), inferred > 0 else { return false }
        return try inferred > Self.freeInferredDeletes || inferred > storage.syncedCount() / 2
    }

    private func deletion(of synced: SyncedItem) throws -> Draft {
        let node = try storage.item(synced.file)
        // Nothing to tell of what is gone in the cloud as well. Own operations may not be there yet.
        var isGone = synced.isLingering || !(node?.isLive ?? true)
        var contents = try named(synced, node, withVersions: true)
        if let node, let beside = try namedBesideMerged(synced, node) {
            contents = beside
            isGone = isGone || beside.isEmpty
        }
        return Draft(
            isGone ? .forget : .delete(place: synced.place, contents: contents),
            file: synced.file, path: try storage.localPath(of: synced.file) ?? LocalPath(),
            parent: synced.parent, name: synced.name, attributes: synced.attributes,
            fingerprint: synced.fingerprint)
    }

    /// What its bytes here are, under all the names that this content has; and, only where that is the
    /// current one, what was shown beside it.
    func named(_ synced: SyncedItem, _ node: Node?, withVersions: Bool) throws -> [Revision] {
        guard let revision = synced.revision else { return [] }
        guard let node, let mine = node.contents.first(where: { $0.revisions.contains(revision) }) else {
            return [revision]
        }
        guard withVersions, mine.position == node.current?.position else { return mine.revisions }
        // The plan is made after the log was read: what came with that, somebody else's work, was in no list
        // when the item went.
        let shown = node.versions.filter {
            !rules.hold(.deletesNameWhatWasShown) || !Set(synced.shown).isDisjoint(with: $0.revisions)
        }
        if try shown.isEmpty || !isKnownRemoved(synced) { return mine.revisions }
        return (mine.revisions + shown.flatMap(\.revisions)).sorted()
    }

    /// Somebody threw away the very file that was synced. Of another one that lay there untold, and of what
    /// went while nobody looked, nobody knows: it may have been moved out or put in another's place, so what
    /// was shown beside it stays and comes to light.
    private func isKnownRemoved(_ synced: SyncedItem) throws -> Bool {
        guard rules.hold(.movedFilesKeepVersions) else { return true }
        return try removed.contains(synced.fingerprint.inode) && !liesElsewhere(synced)
    }

    /// What was exchanged with another item, moved over one, or linked and then renamed is told as a delete
    /// where it was, by its path; nobody threw it away, so what was shown beside it is not named.
    private func liesElsewhere(_ synced: SyncedItem) throws -> Bool {
        let isIt = { (item: LocalItem?) in item?.fingerprint.isSameInode(as: synced.fingerprint) ?? false }
        if found.values.contains(where: isIt) { return true }
        // It may be told already what the other item is now, while somebody wrote to what came here in
        // exchange, which then went untold.
        return try storage.synced(inode: synced.fingerprint, ignoringBirth: false).contains { other in
            guard other.file != synced.file, let path = try localPath(of: other.file) else { return false }
            return isIt(try look(path))
        }
    }

    /// Takes items out of the cloud, with all below directories, while they stay here. Only who holds each
    /// byte may: what is dataless has to be fetched first, and until then the item stays. Of large ones as
    /// much as a plan takes up goes.
    func draftWithdrawals(_ leaving: [(item: LocalItem, synced: SyncedItem)], _ add: Adding) throws {
        var room = limit
        for (item, synced) in leaving {
            guard try !hasDataless(synced) else {
                plan.retryLater.insert(item.path)
                continue
            }
            var (all, isAll) = try synced.isDirectory ? below(synced.file, room: room) : ([], true)
            if isAll {
                all.append(synced)
            } else {
                plan.rest.paths.insert(item.path)
                leaveToTell()
            }
            room = max(0, room - all.count)
            for leaving in all {
                try add(withdrawal(of: leaving, item.path), Slot(leaving.parent, leaving.name), nil)
            }
        }
    }

    private func hasDataless(_ synced: SyncedItem) throws -> Bool {
        if synced.isDataless { return true }
        guard synced.isDirectory, try storage.datalessCount() > 0 else { return false }
        return try below(synced.file, room: .max).items.contains(where: \.isDataless)
    }

    private func withdrawal(of synced: SyncedItem, _ path: LocalPath) throws -> Draft {
        let node = try storage.item(synced.file)
        let contents = try named(synced, node, withVersions: false)
        let isGone = synced.isLingering || !(node?.isLive ?? true)
        return Draft(
            isGone ? .forget : .withdraw(contents: contents), file: synced.file, path: path,
            parent: synced.parent, name: synced.name, attributes: synced.attributes,
            fingerprint: synced.fingerprint)
    }

    /// What waits for something to go from the disk: a directory to be empty, a name to be free. Nobody may
    /// have seen it go, so a rescan looks at those that wait.
    func noteWaiting() throws {
        for (path, item) in found {
            guard let name = path.name else { continue }
            if item != nil {
                if let file = identities[path], let synced = try storage.synced(file) {
                    try noteWaiting(synced, at: path)
                }
            } else if let parent = try directory(at: path.parent) {
                if let above = try storage.synced(parent) { try noteWaiting(above, at: path.parent) }
                if let node = try storage.item(in: parent, named: name),
                    try storage.synced(node.id)?.isBesideExcluded ?? false
                {
                    plan.stirred.append(node.id)
                }
            }
        }
        plan.stirred.sort()
    }

    private func noteWaiting(_ synced: SyncedItem, at path: LocalPath) throws {
        if synced.isLingering {
            if try list(path)?.isEmpty ?? false { plan.stirred.append(synced.file) }
        } else if synced.isBesideExcluded, let node = try storage.item(synced.file),
            try look(path.parent.appending(node.name)) == nil
        {
            plan.stirred.append(synced.file)
        }
    }
}
