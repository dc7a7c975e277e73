internal import CLinux
internal import Posix
internal import Synchronization
public import SystemPackage

/// What changed below Documents. Only hints of where to look: what a path holds now is asked of the tree.
public struct TreeChanges: Sendable {
    /// Paths below Documents, by the bytes of their names; empty: Documents itself. What is below a directory
    /// that came or went is not named.
    public var paths: Set<[[UInt8]]> = []
    /// Directories of Documents (empty: itself) of which too much changed to name it: each is to be compared
    /// with all below it.
    public var whole: Set<[[UInt8]]> = []
    /// Renames within Documents, in order, exchanges not among them. Both paths are those of the directories
    /// as they lie now.
    public var renames: [(from: [[UInt8]], to: [[UInt8]])] = []
    /// Where something came from outside Documents, or by an exchange; also among `paths`. Of what changed in
    /// a directory while it was elsewhere nothing is told.
    public var arrivals: Set<[[UInt8]]> = []
    /// Backing numbers of changed inodes that have more names than the tree knows of.
    public var linked: Set<UInt64> = []
    /// Backing numbers of what names were removed of, by themselves: neither by a rename over them nor with
    /// a directory.
    public var removed: Set<UInt64> = []
    /// Something was moved from Documents to another place that apps see.
    public var hasDepartures = false
    /// So many more, or about as many, wait for the next call.
    public var left = 0
}

extension HomeTree {
    /// From now on changes below Documents are gathered for `listener`, in place of the one before. Without
    /// one nothing is gathered.
    /// - Parameter mostNames: of more names that came or went only the directories are kept.
    /// - Throws: ENOENT where the container has no Documents.
    public func watchChanges(
        _ listener: any ChangeListener, mostNames: Int = 300_000
    ) throws(Errno) {
        stopWatchingChanges()
        let documents = try "Documents".withFileName { (name) throws(Errno) in
            try lookup(name, in: home).inode
        }
        let feed = ChangeFeed(
            listener: listener, documents: documents, mostNames: mostNames, itemsToSweep: mostNames)
        _ = tables.withLock { $0.replaceFeed(with: feed) }
        isWatched.store(true, ordering: .relaxed)
    }

    /// Drops what has gathered, and gathers no more.
    public func stopWatchingChanges() {
        isWatched.store(false, ordering: .relaxed)
        guard let feed = tables.withLock({ $0.replaceFeed(with: nil) }) else { return }
        for name in feed.gathered.names { forget(name.parent) }
        for directory in feed.gathered.whole { forget(directory) }
        forget(feed.documents)
    }

    /// Whether the listener was told of something that was not taken since.
    public var hasChanges: Bool { tables.withLock { $0.isFeedArmed == false } }

    /// What changed since the last call; the listener is told of the next change again, and at once where
    /// more is left.
    /// - Parameter limit: about so many paths are answered; the rest stays gathered, which takes a tenth of
    ///   the memory. What was renamed comes whole: half of it would look like something gone.
    public func takeChanges(limit: Int = .max) -> TreeChanges {
        var changes = TreeChanges()
        var isAll = false
        // One lock for a few: requests go on between them.
        while changes.paths.count < limit, !isAll {
            isAll = tables.withLock { $0.takeItems(256, into: &changes) }
        }
        takeNames(limit: isAll ? limit - changes.paths.count : 0, into: &changes)
        let listener = tables.withLock { (tables) -> (any ChangeListener)? in
            changes.left = tables.gatheredChanges
            return tables.armFeed()
        }
        listener?.changesCame()
        return changes
    }

    private func takeNames(limit: Int, into changes: inout TreeChanges) {
        guard let gathered = tables.withLock({ $0.takeNames() }) else { return }
        changes.hasDepartures = gathered.hasDepartures
        if gathered.isEverything { changes.whole.insert([]) }
        for directory in gathered.whole {
            if let path = tables.withLock({ $0.pathBelowDocuments(directory) }) { changes.whole.insert(path) }
            forget(directory)
        }
        var rest = ChangeFeed.Gathered()
        var left = limit
        var oldPath: [[UInt8]]?
        for (name, bytes) in gathered.eachName {
            guard left > 0 || !name.role.isByItself else {
                rest.add(bytes, in: name.parent, as: name.role)
                continue
            }
            left -= 1
            let directory = tables.withLock { $0.pathBelowDocuments(name.parent) }
            let path = directory.map { $0 + [Array(bytes)] }
            if let path { changes.paths.insert(path) }
            if case .removed(let number) = name.role { changes.removed.insert(number) }
            if name.role == .arrival, let path { changes.arrivals.insert(path) }
            if name.role == .newName, let oldPath, let path { changes.renames.append((oldPath, path)) }
            oldPath = name.role == .oldName ? path : nil
            forget(name.parent)
        }
        if !tables.withLock({ $0.putBackNames(rest) }) { for name in rest.names { forget(name.parent) } }
    }

    /// To be called after the change: what is taken before it is noted shows it already.
    func noteChanged(_ number: InodeNumber) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock { $0.noteChanged(number) }?.changesCame()
    }

    /// With passthrough nothing tells of writes before they are made durable.
    func noteSynced(_ handle: FileHandle) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock { $0.noteSynced(handle) }?.changesCame()
    }

    /// As `noteChanged`, for a name that came, went or stands for something else.
    func noteName(_ name: FileName, in directory: InodeNumber, as role: ChangeFeed.Role = .alone) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock { $0.noteName(name, in: directory, as: role) }?.changesCame()
    }

    func noteNames(
        _ name: FileName, in directory: InodeNumber, _ newName: FileName, in newDirectory: InodeNumber,
        isExchange: Bool = false
    ) {
        guard isWatched.load(ordering: .relaxed) else { return }
        tables.withLock {
            $0.noteNames(name, in: directory, newName, in: newDirectory, isExchange: isExchange)
        }?.changesCame()
    }
}
