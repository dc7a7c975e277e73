internal import CLinux
internal import Posix
internal import Synchronization
public import SystemPackage

/// What changed below Documents. Only hints of where to look: what a path holds now is asked of the tree.
public struct TreeChanges: Sendable {
    /// Paths below Documents, by the bytes of their names; empty: Documents itself. What is below a directory
    /// that came or went is not named.
    public var paths: Set<[[UInt8]]> = []
    /// Backing numbers of changed inodes that have more names than the tree knows of.
    public var linked: Set<UInt64> = []
    /// Something was moved from Documents to another place that apps see.
    public var hasDepartures = false
}

extension HomeTree {
    /// From now on changes below Documents are gathered for `listener`, in place of the one before. Without
    /// one nothing is gathered.
    /// - Throws: ENOENT where the container has no Documents.
    public func watchChanges(_ listener: any ChangeListener) throws(Errno) {
        stopWatchingChanges()
        let documents = try "Documents".withFileName { (name) throws(Errno) in
            try lookup(name, in: home).inode
        }
        tables.withLock { $0.feed = ChangeFeed(listener: listener, documents: documents) }
        isWatched.store(true, ordering: .relaxed)
    }

    /// Drops what has gathered, and gathers no more.
    public func stopWatchingChanges() {
        isWatched.store(false, ordering: .relaxed)
        let feed = tables.withLock { tables in
            defer { tables.feed = nil }
            return tables.feed
        }
        guard let feed else { return }
        for name in feed.gathered.names { forget(name.parent) }
        forget(feed.documents)
    }

    /// What changed since the last call; the listener is told of the next change again.
    public func takeChanges() -> TreeChanges {
        let gathered = tables.withLock { tables -> ChangeFeed.Gathered in
            guard let gathered = tables.feed?.gathered else { return ChangeFeed.Gathered() }
            tables.feed?.gathered = ChangeFeed.Gathered()
            tables.feed?.forgetMarks()
            tables.feed?.isArmed = true
            return gathered
        }
        var changes = TreeChanges(linked: gathered.linked, hasDepartures: gathered.hasDepartures)
        for item in gathered.items { resolve(item, into: &changes) }
        var start = 0
        for name in gathered.names {
            let bytes = Array(gathered.bytes[start..<name.end])
            start = name.end
            if let path = tables.withLock({ $0.pathBelowDocuments(name.parent) }) {
                changes.paths.insert(path + [bytes])
            }
            forget(name.parent)
        }
        return changes
    }

    /// One lock for each: requests go on between them.
    private func resolve(_ item: ChangeFeed.Item, into changes: inout TreeChanges) {
        let (path, linked) = tables.withLock { tables -> ([[UInt8]]?, UInt64?) in
            guard let inode = tables.slab.live(item.number), inode.pointee.generation == item.generation
            else {
                return (nil, nil)
            }
            let isLinked = inode.pointee.flags.contains(.linked)
            return (tables.pathBelowDocuments(item.number), isLinked ? inode.pointee.identity.number : nil)
        }
        if let path { changes.paths.insert(path) }
        if let linked { changes.linked.insert(linked) }
    }

    /// To be called after the change: what is taken before it is noted shows it already.
    func noteChanged(_ number: InodeNumber) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock { $0.noteChanged(number) }?.changesCame()
    }

    /// With passthrough nothing tells of writes before they are made durable.
    func noteSynced(_ handle: FileHandle) {
        guard isWatched.load(ordering: .relaxed) else { return }
        let listener = tables.withLock { tables in
            tables.handles.writtenInode(handle.index).flatMap { tables.noteChanged($0) }
        }
        listener?.changesCame()
    }

    /// As `noteChanged`, for a name that came, went or stands for something else.
    func noteName(_ name: FileName, in directory: InodeNumber) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock { $0.noteName(name, in: directory) }?.changesCame()
    }

    /// Notes a rename. What comes from outside Documents, or goes there, changes the standing of all below.
    func noteNames(
        _ name: FileName, in directory: InodeNumber, _ newName: FileName, in newDirectory: InodeNumber,
        isExchange: Bool = false
    ) {
        guard isWatched.load(ordering: .relaxed) else { return }
        let home = home
        let listener = tables.withLock { tables -> (any ChangeListener)? in
            let isInside = tables.isBelowDocuments(directory)
            if directory != newDirectory, isInside != tables.isBelowDocuments(newDirectory) {
                tables.feed?.forgetMarks()
                if isInside || isExchange, !tables.isStaging(isInside ? newDirectory : directory, of: home) {
                    tables.feed?.gathered.hasDepartures = true
                }
            }
            let first = tables.noteName(name, in: directory)
            return tables.noteName(newName, in: newDirectory) ?? first
        }
        listener?.changesCame()
    }
}

extension Tables {
    /// What is moved to staging is being removed.
    fileprivate func isStaging(_ number: InodeNumber, of home: InodeNumber) -> Bool {
        path(of: number, from: home)?.first?.elementsEqual(HomeTree.stagingName.utf8) ?? false
    }

    /// The names that lead from Documents to an inode; nil where it does not lie there.
    func pathBelowDocuments(_ number: InodeNumber) -> [[UInt8]]? {
        feed.flatMap { path(of: number, from: $0.documents) }
    }
}
