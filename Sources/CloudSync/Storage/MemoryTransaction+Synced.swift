internal import SyncLog

extension MemoryTransaction {
    // MARK: Items
    func synced(_ file: FileID) -> SyncedItem? { state.synced.items[file] }

    func synced(in parent: FileID, named name: String) -> SyncedItem? {
        state.synced.slots[Slot(parent, name)].flatMap { state.synced.items[$0] }
    }

    func synced(inode fingerprint: Fingerprint, ignoringBirth: Bool) -> [SyncedItem] {
        (state.synced.inodes[MemorySynced.InodeKey(fingerprint)] ?? []).sorted()
            .compactMap { state.synced.items[$0] }
            .filter { ignoringBirth || $0.fingerprint.isSameInode(as: fingerprint) }
    }

    func syncedChildren(of parent: FileID) -> [SyncedItem] {
        (state.synced.children[parent] ?? []).sorted().compactMap { state.synced.items[$0] }
    }

    func syncedChildren(of parent: FileID, after item: SyncedItem?, limit: Int) -> [SyncedItem] {
        let key = { (item: SyncedItem) in (NormalizedName(item.name).text, item.file) }
        let sorted = syncedChildren(of: parent).sorted { key($0) < key($1) }
        guard let item else { return Array(sorted.prefix(limit)) }
        return Array(sorted.drop { key($0) <= key(item) }.prefix(limit))
    }

    func syncedNames(of parent: FileID) -> SyncedNames {
        var names = SyncedNames()
        for item in syncedChildren(of: parent) {
            names.add(NormalizedName(item.name), of: item.fingerprint.inode)
        }
        return names
    }

    func setSynced(_ item: SyncedItem) { state.synced.set(item) }

    func removeSynced(_ file: FileID) { state.synced.remove(file) }

    func syncedCount() -> Int { state.synced.items.count }
    func datalessCount() -> Int { state.synced.dataless }

    // MARK: What the cloud changed
    func addPending(_ files: [FileID]) { state.synced.pending.formUnion(files) }

    func removePending(_ file: FileID) { state.synced.pending.remove(file) }

    func pending(after file: FileID?, limit: Int) -> [FileID] {
        page(state.synced.pending, after: file, limit: limit)
    }

    func pendingCount() -> Int { state.synced.pending.count }

    // MARK: What this device took out of the cloud
    func departure(_ file: FileID) -> [Revision]? { state.synced.departures[file] }

    func setDeparture(_ file: FileID, naming revisions: [Revision]) {
        state.synced.departures[file] = revisions
    }

    func departuresToName() -> [(file: FileID, revisions: [Revision])] {
        state.synced.departures.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { (file: $0.key, revisions: $0.value) }
    }

    // MARK: Applying
    func intentions() -> [Intention] {
        state.synced.intentions.sorted { $0.key < $1.key }.map(\.value)
    }

    func setIntention(_ intention: Intention) { state.synced.intentions[intention.after.file] = intention }

    func removeIntention(_ file: FileID) { state.synced.intentions[file] = nil }

    func displaced(_ name: String) -> DisplacedItem? { state.synced.displaced[name] }

    func allDisplaced() -> [DisplacedItem] {
        state.synced.displaced.sorted { $0.key < $1.key }.map(\.value)
    }

    func setDisplaced(_ item: DisplacedItem) { state.synced.displaced[item.name] = item }

    func removeDisplaced(_ name: String) { state.synced.displaced[name] = nil }

    func replaceRevisions(_ replacements: [Revision: Revision]) {
        for item in state.synced.items.values {
            if let changed = item.replacing(replacements) { state.synced.set(changed) }
        }
        for (file, intention) in state.synced.intentions {
            guard let changed = intention.after.replacing(replacements) else { continue }
            state.synced.intentions[file] = Intention(kind: intention.kind, after: changed)
        }
        for (name, item) in state.synced.displaced {
            if let base = replacements[item.base] { state.synced.displaced[name]?.base = base }
        }
    }
}

extension SyncedItem {
    /// The row with other revisions; nil where it names none of them.
    func replacing(_ replacements: [Revision: Revision]) -> SyncedItem? {
        let newPlace = replacements[place]
        let newRevision = revision.flatMap { replacements[$0] }
        guard newPlace != nil || newRevision != nil else { return nil }
        var changed = self
        changed.place = newPlace ?? place
        changed.revision = newRevision ?? revision
        return changed
    }
}
