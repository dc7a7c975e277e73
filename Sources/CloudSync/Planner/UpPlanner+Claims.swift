internal import SyncLog

/// Second part: which synced item is what lies at each path.
extension UpPlanner {
    /// Directories are known by their inode wherever they are, and dataless files by their marker before any
    /// path is asked: a `mv` of one over a known file deletes that and moves this.
    func claimDirectories() throws {
        var inodes: Set<UInt64> = []
        for (path, item) in sortedFound() {
            guard let item, item.kind == .directory || item.isDataless else { continue }
            if item.kind == .directory, !inodes.insert(item.fingerprint.inode).inserted { plan.isTorn = true }
            let known = try knownByInode(item).first {
                item.kind == .directory ? $0.isDirectory : $0.isDataless
            }
            if let known, claims[known.file] == nil { claim(known.file, path) }
        }
    }

    func claimAll() throws {
        for (path, item) in sortedFound() {
            guard let item, identities[path] == nil else { continue }
            if let file = try identify(item, at: path), claims[file] == nil { claim(file, path) }
        }
    }

    func sortedFound() -> [(path: LocalPath, item: LocalItem?)] {
        found.sorted { LocalPath.isAbove($0.key, $1.key) }.map { (path: $0.key, item: $0.value) }
    }

    /// The directory that lies at a path, by the item it is; nil where it is new.
    func directory(at path: LocalPath) throws -> FileID? {
        guard let name = path.name else { return .root }
        if let known = identities[path] { return known }
        guard let item = try look(path), item.kind == .directory else { return nil }
        // A file that had the name is another item: nothing lies in a file.
        let owner = try slotOwner(path, name).flatMap { $0.isDirectory && $0.mayBe(item) ? $0.file : nil }
        let file = try trackedDirectory(item) ?? owner
        if let file, claims[file] == nil || claims[file] == path { claim(file, path) }
        return identities[path]
    }

    /// The synced item of that name in the directory which lies there.
    func slotOwner(_ path: LocalPath, _ name: String) throws -> SyncedItem? {
        guard let parent = try directory(at: path.parent) else { return nil }
        return try storage.synced(in: parent, named: name)
    }

    func claim(_ file: FileID, _ path: LocalPath) {
        claims[file] = path
        identities[path] = file
    }

    /// Nil where it is new, or may not be told.
    private func identify(_ item: LocalItem, at path: LocalPath) throws -> FileID? {
        guard let name = path.name, item.exclusion != .kind else { return nil }
        // Its marker was looked at before; emptiness never becomes an edit of what the path was.
        if item.isDataless, rules.hold(.datalessNeverUploads) { return nil }
        guard rules.hold(.pathDecidesFirst) else {
            return try byInode(item, at: path) ?? byPath(item, path, name)
        }
        return try byPath(item, path, name) ?? byInode(item, at: path)
    }

    /// The path first: an atomic save replaces the inode and stays the same item.
    func byPath(_ item: LocalItem, _ path: LocalPath, _ name: String) throws -> FileID? {
        guard let owner = try slotOwner(path, name), claims[owner.file] == nil, owner.isKind(of: item),
            owner.mayBe(item)
        else {
            return nil
        }
        return owner.file
    }

    /// A rename, where the old path is gone.
    private func byInode(_ item: LocalItem, at path: LocalPath) throws -> FileID? {
        try knownByInode(item).first { known in
            try known.isKind(of: item) && claims[known.file] == nil
                && (!rules.hold(.pathDecidesFirst) || !isHeld(known, except: path))
        }?.file
    }

    /// Something of its kind lies where it was: that is the item, and another name of its inode a new one.
    func isHeld(_ known: SyncedItem, except path: LocalPath) throws -> Bool {
        guard let directory = try currentPath(of: known.parent) else { return false }
        let old = directory.appending(known.name)
        guard old != path, let item = try look(old) else { return false }
        // A dataless file carries its marker wherever it lies: it is no other item because of its path.
        if let there = identities[old], there != known.file { return false }
        return known.isKind(of: item) && item.exclusion != .kind
    }

    /// Where a directory lies now; nil where it is gone.
    func currentPath(of directory: FileID) throws -> LocalPath? {
        if directory == .root { return LocalPath() }
        if let path = claims[directory] { return path }
        guard let entry = try storage.synced(directory), let above = try currentPath(of: entry.parent) else {
            return nil
        }
        let path = above.appending(entry.name)
        return try self.directory(at: path) == directory ? path : nil
    }

    /// Synced items that are nowhere any more, with all that was in them, of large directories as much as a
    /// plan takes up.
    /// - Returns: whether nobody saw them go, by item.
    func findGone(isConfirmed: Bool) throws -> [FileID: Bool] {
        var waiting = absent.filter { claims[$0.key] == nil }
        for (path, item) in found {
            if let name = path.name, let owner = try slotOwner(path, name), claims[owner.file] == nil {
                waiting[owner.file] = item == nil && unseen.contains(path)
                if unseen.contains(path) { unwitnessed.insert(owner.file) }
            }
        }
        // Another directory under the name holds nothing of the one before it, which may lie elsewhere.
        for (path, isInferred) in listed {
            guard let directory = identities[path] else { continue }
            for child in try storage.syncedChildren(of: directory) where claims[child.file] == nil {
                waiting[child.file] = waiting[child.file] ?? isInferred
            }
        }
        for file in try storage.knownRemovals() where waiting[file] == true { waiting[file] = false }
        return try addingDescendants(of: waiting, isConfirmed)
    }

    /// What a listing that was cut off did not show may lie elsewhere: it is looked at once more with the
    /// rest, at the place where its directory lies now.
    func postpone(_ gone: [FileID: Bool]) throws {
        plan.rest.rescan = rescan
        plan.rest.whole.formUnion(excluded)
        plan.rest.trail = trail
        leaveWhatWasSeenToGo()
        for (file, isInferred) in gone { try leave(file, isInferred) }
    }

    private func leaveWhatWasSeenToGo() {
        plan.rest.hasDepartures = hasDepartures
        plan.rest.removed = removed
    }

    /// Leaves an item that is gone for the next plan.
    private func leave(_ file: FileID, _ isInferred: Bool) throws {
        guard let synced = try storage.synced(file), let above = try currentPath(of: synced.parent)
        else { return }
        let path = above.appending(synced.name)
        if isInferred { plan.rest.unseen.insert(path) } else { plan.rest.paths.insert(path) }
    }

    /// What asks a person first is counted whole.
    private func addingDescendants(of items: [FileID: Bool], _ isConfirmed: Bool) throws -> [FileID: Bool] {
        var gone = items
        for (file, isInferred) in items.sorted(by: { $0.key < $1.key }) {
            guard try storage.synced(file)?.isDirectory ?? false else { continue }
            let room = isInferred && !isConfirmed ? Int.max : limit - (gone.count - items.count)
            let (inside, isAll) = try below(file, room: room)
            for item in inside where gone[item.file] == nil {
                gone[item.file] = isInferred
                if unwitnessed.contains(file) { unwitnessed.insert(item.file) }
            }
            if !isAll {
                gone[file] = nil
                leaveWhatWasSeenToGo()
                try leave(file, isInferred)
                leaveToTell()
            }
        }
        return gone
    }

    /// All was looked at, and something of it is told by the next plan.
    func leaveToTell() { plan.rest.rescan = max(plan.rest.rescan, min(rescan, .telling)) }

    private static let rowsAtOnce = 1_000

    /// What was synced in a directory and lies nowhere else now, each after all that is in it.
    /// - Parameter room: so many items at most.
    /// - Returns: also whether that is all.
    func below(_ directory: FileID, room: Int) throws -> (items: [SyncedItem], isAll: Bool) {
        var items: [SyncedItem] = []
        // The directories from the first one down to where it is, each with what is to be looked at of it.
        var open: [OpenDirectory] = [OpenDirectory(file: directory)]
        while var current = open.popLast() {
            if current.rows.isEmpty, !current.isRead {
                let page = try storage.syncedChildren(
                    of: current.file, after: current.last, limit: Self.rowsAtOnce)
                (current.rows, current.last) = (page[...], page.last)
                current.isRead = page.count < Self.rowsAtOnce
            }
            guard let child = current.rows.popFirst() else {
                if let itself = current.item { items.append(itself) }
                continue
            }
            open.append(current)
            guard claims[child.file] == nil else { continue }
            guard items.count < room else { return (items, false) }
            if child.isDirectory {
                open.append(OpenDirectory(file: child.file, item: child))
            } else {
                items.append(child)
            }
        }
        return (items, true)
    }

    private struct OpenDirectory {
        var file: FileID
        /// Its own row, where it is to be answered.
        var item: SyncedItem?
        var rows: ArraySlice<SyncedItem> = []
        var last: SyncedItem?
        /// All its rows were read.
        var isRead = false
    }
}

extension SyncedItem {
    /// What lies there may be moved or removed in this item's name. A directory only by its inode: another
    /// one that was put over it, or changed places with it, has that name and is an item of its own.
    func isItself(_ item: LocalItem) -> Bool {
        isKind(of: item) && (!isDirectory || item.fingerprint.isSameInode(as: fingerprint))
    }

    /// What its row notes when sync has moved what lay there. A file that was written to since it was synced
    /// moves with its change, which is still to be told.
    func fingerprint(of item: LocalItem, movedTo moved: Fingerprint) -> Fingerprint {
        item.kind == .file && item.fingerprint != fingerprint ? fingerprint : moved
    }

    /// By its name alone. What was left of a deleted directory is gone when another one lies there.
    fileprivate func mayBe(_ item: LocalItem) -> Bool { !isLingering || isItself(item) }

    func isKind(of item: LocalItem) -> Bool {
        switch (kind, item.kind) {
        case (.file, .file), (.directory, .directory), (.symlink, .symlink): true
        default: false
        }
    }
}
