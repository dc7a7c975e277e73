internal import SyncLog

/// Third part: what is to be told of each item, in an order in which each name is free when it is taken.
extension UpPlanner {
    func draftAll(_ gone: [FileID: Bool], isConfirmed: Bool) throws {
        var changes: [PlaceChange] = []
        var drafts: [FileID: Draft] = [:]
        func add(_ draft: Draft, from: Slot?, to: Slot?) {
            changes.append(PlaceChange(file: draft.file, from: from, to: to))
            drafts[draft.file] = draft
        }
        var leaving: [(item: LocalItem, synced: SyncedItem)] = []
        for (path, item) in foundWithFewFirst() {
            guard let item, let name = path.name else { continue }
            if let file = identities[path], let synced = try storage.synced(file) {
                if try draftKnown(item, synced, add) { leaving.append((item, synced)) }
            } else {
                try draftNew(item, name, add)
            }
        }
        try tellMergedAgain()
        // After what is new: a large directory that leaves does not keep other files waiting.
        try draftWithdrawals(leaving, add)
        try draftGone(gone, isConfirmed: isConfirmed, add)
        if plan.isCutOff { try postponeMoves(&changes, drafts) }
        let steps = try PlaceOrder.sorted(changes) { try storage.synced($0)?.parent }
        append(steps, changes, drafts)
        try noteWaiting()
    }

    /// What had a name may be gone, but a plan that was cut off says nothing of that: what takes the name
    /// waits, and so does what takes the name of that. Else two items had one name here, and the one that is
    /// gone were found by no look.
    private func postponeMoves(_ changes: inout [PlaceChange], _ drafts: [FileID: Draft]) throws {
        let leaving = Set(changes.lazy.filter { $0.from != nil }.map(\.file))
        var takers: [FileID: FileID] = [:]
        for change in changes where change.from != nil {
            guard let slot = change.to, let name = drafts[change.file]?.name,
                let owner = try storage.synced(in: slot.parent, named: name), owner.file != change.file
            else { continue }
            takers[owner.file] = change.file
        }
        var stay = takers.keys.filter { !leaving.contains($0) }
        var waiting: Set<FileID> = []
        while let owner = stay.popLast() {
            guard let taker = takers[owner], waiting.insert(taker).inserted, let path = drafts[taker]?.path
            else { continue }
            if unseen.contains(path) { plan.rest.unseen.insert(path) } else { plan.rest.paths.insert(path) }
            stay.append(taker)
        }
        changes.removeAll { waiting.contains($0.file) }
    }

    /// Directories come before what is in them; and what lies in one with very many others, or below such,
    /// comes last: that they go up does not keep the rest waiting.
    private func foundWithFewFirst() -> [(path: LocalPath, item: LocalItem?)] {
        var counts: [LocalPath: Int] = [:]
        for path in found.keys { counts[path.parent, default: 0] += 1 }
        let full = Set(counts.filter { $0.value > Self.few }.keys)
        func isAmongMany(_ path: LocalPath) -> Bool { path.directoriesAbove.contains(where: full.contains) }
        let sorted = sortedFound()
        return sorted.filter { !isAmongMany($0.path) } + sorted.filter { isAmongMany($0.path) }
    }

    private static let few = 64

    typealias Adding = (_ draft: Draft, _ from: Slot?, _ to: Slot?) -> Void

    private func append(_ steps: [PlaceOrder.Step], _ changes: [PlaceChange], _ drafts: [FileID: Draft]) {
        var parked: Set<FileID> = []
        for step in steps {
            switch step {
            case .park(let index):
                guard var draft = drafts[changes[index].file] else { continue }
                draft.kind = .park
                draft.isJoined = !parked.isEmpty
                parked.insert(draft.file)
                plan.drafts.append(draft)
            case .change(let index):
                guard var draft = drafts[changes[index].file] else { continue }
                draft.isJoined = !parked.isEmpty
                parked.remove(draft.file)
                plan.drafts.append(draft)
            }
        }
    }

    // MARK: What is known

    /// - Returns: whether it leaves the cloud, which is told by itself.
    private func draftKnown(_ item: LocalItem, _ synced: SyncedItem, _ add: Adding) throws -> Bool {
        // Where sync itself put it for a moment.
        if item.path.parkedName != nil { return false }
        guard let name = item.path.name else { return false }
        let parent = try directory(at: item.path.parent)
        let moves = synced.parent != parent || !synced.name.utf8.elementsEqual(name.utf8)
        if try isExcluded(item) {
            // A name or a kind alone, where nobody here gave it, takes nothing from those who did.
            if try moves || item.exclusion == .flagged || isBelowExcluded(item.path) { return true }
            draftRefresh(item, synced)
            return false
        }
        guard let parent else { return false }
        let wantsRest = try draftInside(item, synced, parent, moves ? name : cloudName(of: synced))
        if wantsRest { plan.retryLater.insert(item.path) }
        guard moves else { return false }
        let draft = Draft(
            .move, file: synced.file, path: item.path, parent: parent, name: name,
            attributes: item.attributes, fingerprint: item.fingerprint)
        add(draft, Slot(synced.parent, synced.name), Slot(parent, name))
        return false
    }

    /// Another directory under that name is this item from now on, though nothing of it is told.
    private func draftRefresh(_ item: LocalItem, _ synced: SyncedItem) {
        guard synced.isDirectory, synced.isKind(of: item), !synced.isItself(item) else { return }
        plan.drafts.append(
            Draft(
                .refresh, file: synced.file, path: item.path, parent: synced.parent, name: synced.name,
                attributes: synced.attributes, fingerprint: item.fingerprint))
    }

    /// Content and attributes, wherever it lies.
    /// - Returns: whether it has to be looked at again when nobody writes to it any more.
    private func draftInside(
        _ item: LocalItem, _ synced: SyncedItem, _ parent: FileID, _ name: String
    ) throws -> Bool {
        guard let change = change(of: item, against: synced) else { return false }
        if case .edit = change.kind, item.isBeingWritten { return true }
        plan.drafts.append(
            Draft(
                change.kind, file: synced.file, path: item.path, parent: parent, name: name,
                attributes: item.attributes, fingerprint: item.fingerprint, source: change.source))
        return false
    }

    private func change(
        of item: LocalItem, against synced: SyncedItem
    ) -> (kind: Draft.Kind, source: Draft.Source?)? {
        let isTold = item.attributes.isEqual(to: synced.attributes, of: item.kind)
        let rest: (Draft.Kind, Draft.Source?)? =
            !isTold
            ? (.setAttributes, nil)
            : item.fingerprint.isSameInode(as: synced.fingerprint) && !synced.isDataless
                ? nil : (.refresh, nil)
        switch item.kind {
        case .directory: return synced.isLingering ? nil : rest
        case .symlink(let target):
            guard synced.kind != item.kind, let base = synced.revision else { return rest }
            return (
                .edit(base: base, known: nil, agreed: synced.attributes), .symlink(target: target)
            )
        case .file:
            // Nothing is read of a file whose bytes are not here.
            if item.isDataless, rules.hold(.datalessNeverUploads) {
                return item.fingerprint == synced.fingerprint && isTold
                    ? nil : (isTold ? (.refresh, nil) : rest)
            }
            let isSuspect = suspects.contains(item.path)
            guard isSuspect || item.fingerprint != synced.fingerprint || synced.isDataless != item.isDataless,
                let base = synced.revision
            else { return isTold ? nil : (.setAttributes, nil) }
            return (.edit(base: base, known: synced.hash, agreed: synced.attributes), .file)
        }
    }

    /// Its name in the cloud, where it lies beside an excluded namesake.
    private func cloudName(of synced: SyncedItem) throws -> String {
        guard synced.isBesideExcluded else { return synced.name }
        return try storage.item(synced.file)?.name ?? synced.name
    }

    // MARK: What is new

    private func draftNew(_ item: LocalItem, _ name: String, _ add: Adding) throws {
        guard try !isExcluded(item) else { return }
        if item.isDataless, rules.hold(.datalessNeverUploads) { return }
        if item.isBeingWritten {
            plan.retryLater.insert(item.path)
            return
        }
        guard let parent = try directory(at: item.path.parent) else { return }
        // What had the name is gone, but a plan that was cut off says nothing of that.
        if plan.isCutOff, try storage.synced(in: parent, named: name) != nil {
            plan.rest.unseen.insert(item.path)
            return
        }
        let source: Draft.Source
        switch item.kind {
        case .file: source = .file
        case .directory: source = .directory
        case .symlink(let target): source = .symlink(target: target)
        }
        let draft = Draft(
            .create, file: identity(ofNew: item.path), path: item.path, parent: parent, name: name,
            attributes: item.attributes, fingerprint: item.fingerprint, source: source)
        add(draft, nil, Slot(parent, name))
    }

    private func identity(ofNew path: LocalPath) -> FileID {
        let file = newFile()
        identities[path] = file
        return file
    }
}
