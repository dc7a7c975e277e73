internal import SandboxRules
package import SyncLog

/// First part of a plan: what may differ is found, and nothing decided.
extension UpPlanner {
    func walk(_ touched: Touched) throws {
        unseen = touched.unseen.union(touched.whole)
        untold = touched.untold
        rescan = touched.rescan
        hasDepartures = touched.hasDepartures
        trail = touched.trail
        arrivals = touched.arrivals.union(trail.renames.map(\.to))
        removed = touched.removed
        let paths = touched.paths.union(touched.unseen).union(touched.whole).union(touched.untold)
        mayHaveStrayed = paths.contains { $0.isBelow(oneOf: paths) }
        for path in paths.sorted(by: LocalPath.isAbove) {
            try visit(path, isWhole: touched.whole.contains(path))
        }
        try claimDirectories()
    }

    private func visit(_ path: LocalPath, isWhole: Bool) throws {
        guard !path.names.isEmpty else {
            if isWhole { try descend(Listed(path: path, tracked: .root), isUnseen: true) }
            return
        }
        if let main = path.databaseOfCompanion, try look(main) != nil {
            suspects.insert(main)
            try visit(main, isWhole: false)
        }
        try visitUntrackedParents(of: path)
        guard found[path] == nil else { return }
        let item = try look(path)
        // It could not be looked at, which says nothing of whether it is there.
        if item == nil, plan.retryLater.contains(path) { return }
        found[path] = .some(item)
        let isUntold = untold.contains(path)
        try keepWhileFlagIsUntold(path, isWhole: isWhole || isUntold)
        guard let item, item.kind == .directory else { return }
        guard try !isExcluded(item) else {
            excluded.insert(path)
            return
        }
        let tracked = try trackedDirectory(item)
        let directory = Listed(path: path, tracked: tracked, fingerprint: item.fingerprint)
        if try isWhole || isUntold || tracked == nil || localPath(of: tracked) != path {
            try descend(directory, isUnseen: isWhole || isUntold || unseen.contains(path))
        } else if mayHaveStrayed || arrivals.contains(path), !descended.contains(path) {
            // It may have been renamed and back: what changed in it meanwhile was noted under the other name,
            // where nothing lies now, or not at all; or looked for when it was away, and left to the look
            // that its return was to bring.
            try descend(directory, isUnseen: true)
        }
    }

    /// A directory was flagged, and nobody was told yet. Where the flag goes before that, it is synced as it
    /// was, and what was noted in it is found by no other look.
    private func keepWhileFlagIsUntold(_ path: LocalPath, isWhole: Bool) throws {
        for directory in sequence(first: path, next: \.parent).prefix(while: { !$0.names.isEmpty }) {
            guard let item = try look(directory), item.kind == .directory, item.exclusion == .flagged
            else { continue }
            guard try trackedDirectory(item) != nil else { return }
            if isWhole { plan.rest.whole.insert(path) } else { plan.retryLater.insert(path) }
            return
        }
    }

    /// A document in a directory that nobody told of: that one comes first.
    private func visitUntrackedParents(of path: LocalPath) throws {
        let above = path.parent
        guard !above.names.isEmpty, found[above] == nil else { return }
        guard let item = try look(above), item.kind == .directory else { return }
        if try trackedDirectory(item) == nil || localPath(of: trackedDirectory(item)) != above {
            try visit(above, isWhole: false)
        }
    }

    private struct Listed {
        let path: LocalPath
        let tracked: FileID?
        /// As it was looked at; nil for Documents itself.
        var fingerprint: Fingerprint?
    }

    /// Lists a directory and all below it, keeping only what differs. Past the limit the rest is left for
    /// another plan, so that a million new documents are never in memory together.
    private func descend(_ directory: Listed, isUnseen: Bool) throws {
        var waiting = [directory]
        while let next = waiting.popLast() {
            guard foundBelow < limit, try descend(into: next, &waiting, isUnseen) else {
                plan.isCutOff = true
                plan.rest.whole.formUnion(waiting.map(\.path))
                if try isNew(next) {
                    plan.rest.untold.insert(next.path)
                } else {
                    plan.rest.whole.insert(next.path)
                }
                return
            }
        }
    }

    /// Nothing of it was told before this plan and the ones that it goes on from, so there is nothing that it
    /// could lack.
    private func isNew(_ directory: Listed) throws -> Bool {
        directory.tracked == nil || untold.contains(directory.path)
    }

    /// - Returns: false where the directory alone has more than a plan takes up.
    private func descend(
        into next: Listed, _ waiting: inout [Listed], _ isUnseen: Bool
    ) throws -> Bool {
        descended.insert(next.path)
        var known: [NormalizedName: SyncedItem] = [:]
        let listing: LocalListing?
        if try isNew(next) {
            if next.tracked == nil { listed[next.path] = isUnseen }
            let told = try next.tracked.map(storage.syncedNames) ?? SyncedNames()
            listing = try list(next.path, being: next.fingerprint, besides: told)
        } else {
            listing = try list(next.path, being: next.fingerprint).map { LocalListing(items: $0) }
            if listing != nil { known = try knownChildren(of: next.tracked, at: next.path, isUnseen) }
        }
        guard let listing else {
            plan.retryLater.insert(next.path)
            return true
        }
        noteCompanions(in: listing.items)
        for item in listing.items {
            let prior = try prior(of: item, &known, next)
            let isNew = try !isUnchanged(item, prior)
            if isNew, try prior != nil || concernsCloud(item) {
                guard foundBelow < limit else { return false }
                if found.updateValue(.some(item), forKey: item.path) == nil { foundBelow += 1 }
                if isUnseen, let prior { unwitnessed.insert(prior.file) }
            }
            guard item.kind == .directory else { continue }
            guard item.exclusion == nil else {
                // Also where nothing went unseen: what was moved into it was noted by the name that it had
                // before a directory above was renamed.
                excluded.insert(item.path)
                continue
            }
            let tracked = try isNew ? trackedDirectory(item) : prior?.file
            waiting.append(Listed(path: item.path, tracked: tracked, fingerprint: item.fingerprint))
        }
        for gone in known.values { absent[gone.file] = isUnseen }
        return listing.isAll
    }

    private func prior(
        of item: LocalItem, _ known: inout [NormalizedName: SyncedItem], _ directory: Listed
    ) throws -> SyncedItem? {
        guard let name = item.path.name else { return nil }
        guard let tracked = directory.tracked, untold.contains(directory.path) else {
            return known.removeValue(forKey: NormalizedName(name))
        }
        return try storage.synced(in: tracked, named: name)
    }

    /// What is excluded has to be told only where it is a synced item under another name: thousands of them
    /// must not take the place of what does sync.
    private func concernsCloud(_ item: LocalItem) throws -> Bool {
        try item.exclusion == nil || !knownByInode(item).isEmpty
    }

    private func knownChildren(
        of directory: FileID?, at path: LocalPath, _ isUnseen: Bool
    ) throws -> [NormalizedName: SyncedItem] {
        guard let directory else {
            listed[path] = isUnseen
            return [:]
        }
        let children = try storage.syncedChildren(of: directory)
            .filter { try !isStillParked(path.appending($0.name)) }
        return Dictionary(
            children.map { (NormalizedName($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// It could not be brought back yet: it is not listed, and not gone.
    private func isStillParked(_ path: LocalPath) throws -> Bool {
        guard path.parkedName != nil else { return false }
        return try look(path) != nil || plan.retryLater.contains(path)
    }

    private func noteCompanions(in items: [LocalItem]) {
        for item in items where item.exclusion == .databaseCompanion {
            if let main = item.path.databaseOfCompanion { suspects.insert(main) }
        }
    }

    private func isUnchanged(_ item: LocalItem, _ prior: SyncedItem?) throws -> Bool {
        guard let prior, item.exclusion == nil, item.kind == prior.kind, !suspects.contains(item.path),
            item.isDataless == prior.isDataless, !prior.isLingering, !prior.isBesideExcluded,
            item.attributes.isEqual(to: prior.attributes, of: item.kind)
        else { return false }
        switch item.kind {
        case .file: return item.fingerprint == prior.fingerprint
        case .directory, .symlink: return item.fingerprint.isSameInode(as: prior.fingerprint)
        }
    }

    /// The directory of this inode, whatever its place.
    func trackedDirectory(_ item: LocalItem) throws -> FileID? {
        try knownByInode(item).first { $0.isDirectory }?.file
    }

    /// Synced items that this inode is. A number alone is given again at once, so the birth time has to
    /// match, and a file system without birth times tells nothing; but a dataless inode carries its marker.
    func knownByInode(_ item: LocalItem) throws -> [SyncedItem] {
        guard rules.hold(.inodeNeedsBirth) else {
            return try storage.synced(inode: item.fingerprint, ignoringBirth: true)
        }
        guard item.fingerprint.birth != 0 || item.isDataless else { return [] }
        return try storage.synced(inode: item.fingerprint, ignoringBirth: false)
    }

    /// Whether one of these items lies at one of the paths, by its inode.
    func finds(_ files: Set<FileID>, at paths: Set<LocalPath>) throws -> Bool {
        for path in paths {
            guard let item = try look(path) else { continue }
            if try knownByInode(item).contains(where: { files.contains($0.file) }) { return true }
        }
        return false
    }

    /// Where a synced item is expected, by the names of the synced tree.
    func localPath(of file: FileID?) throws -> LocalPath? { try file.flatMap(storage.localPath) }
}

extension SyncedStorage {
    /// Where an item lies on this disk; nil where it, or a directory above it, is not synced.
    package func localPath(of file: FileID) throws -> LocalPath? {
        var names: [String] = []
        var next = file
        // More directories below each other than that are a circle, which only a damaged database has.
        while next != .root, names.count < 4096 {
            guard let item = try synced(next) else { return nil }
            names.append(item.name)
            next = item.parent
        }
        return next == .root ? LocalPath(names.reversed()) : nil
    }
}

extension LocalPath {
    /// Directories before what they hold; otherwise by name, so that a plan is the same each time.
    static func isAbove(_ left: LocalPath, _ right: LocalPath) -> Bool {
        if left.names.count != right.names.count { return left.names.count < right.names.count }
        return left.names.lexicographicallyPrecedes(right.names)
    }

    /// Something that lies in a directory which is one of these.
    fileprivate func isBelow(oneOf paths: Set<LocalPath>) -> Bool {
        directoriesAbove.contains { paths.contains($0) }
    }

    /// The database that a `-wal`, `-shm` or `-journal` belongs to, by its name.
    var databaseOfCompanion: LocalPath? {
        name.flatMap(DatabaseCompanion.databaseName).map(parent.appending)
    }
}
