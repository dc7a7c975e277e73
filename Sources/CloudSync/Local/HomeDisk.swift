package import HomeTree
internal import Posix
package import SyncContent
package import SyncLog
internal import SystemPackage

/// Documents of a home, mounted or not, by the calls of its tree: what programs do at the same time goes
/// through the same locks, and what is changed here is seen through every mount when a call returns.
///
/// Of a directory `Attributes.modified` is 0, and its time on the disk stays as it is. It changes with every
/// name that comes or goes, sync's own among them, so comparing it says nothing of what a person set, and a
/// notice of the call that did would be lost with the daemon. On the other device it would hold only until
/// the next document is placed there, and a directory's documents come after it, in no order: two devices
/// would tell each other of times that neither can keep.
package final class HomeDisk: LocalDisk {
    let tree: HomeTree
    let documents: InodeNumber
    let clock: any SyncClock
    let rules: SafetyRules
    let databases: DatabaseWork?
    private let isListening: Bool
    /// Leaf.
    let state: Lock<State>

    struct State {
        var isFirst = true
        var writers: WriterProbes
        var displaced = DisplacedFiles()
        var copies = DatabaseCopies()
        /// When to try again what a walk of the tree kept from being moved.
        var movesAgainAt: UInt64?
        var hasEnded = false
    }

    /// - Parameters:
    ///   - tree: the only one of its container.
    ///   - databases: reads databases that apps have open; without it such a one waits.
    ///   - secondsBetweenCopies: a database that changes is copied at most so often.
    ///   - databaseSeconds: so long a call waits for work on a database, which then goes on by itself, the
    ///     call ending with `.inUse`; nil: to its end. A disk that only looks always does that.
    ///   - wake: called at the first change after `takeChanges`, from a thread that serves a request: must
    ///     not wait, nor call the disk. One disk at a time listens to a tree, and takes the changes from the
    ///     one before; nil for a disk that only looks, which takes no change from anybody.
    /// - Throws: `.gone` where the container has no Documents.
    package init(
        tree: HomeTree, clock: any SyncClock = SystemSyncClock(), rules: SafetyRules = .all,
        databases: (any DatabaseAccess)? = nil, secondsBetweenCopies: Double = 30,
        databaseSeconds: Double? = 0.5, wake: (@Sendable () -> Void)? = nil
    ) throws(LocalError) {
        self.tree = tree
        self.clock = clock
        self.rules = rules
        self.databases = databases.map {
            DatabaseWork($0, momentSeconds: wake == nil ? nil : databaseSeconds, wake: wake ?? {})
        }
        isListening = wake != nil
        let writers = WriterProbes(
            betweenCopies: UInt64(secondsBetweenCopies * Double(WriterProbes.second)))
        state = Lock(State(writers: writers))
        documents = try LocalError.from { () throws(Errno) in
            try "Documents".withFileName { (name) throws(Errno) in
                try tree.lookup(name, in: tree.home).inode
            }
        }
        guard let wake else { return }
        do throws(Errno) { try tree.watchChanges(Waker(wake)) } catch {
            tree.forget(documents)
            throw LocalError(error)
        }
    }

    /// No file is read any more; a reading that is under way ends with `.ended`. From any thread: the one
    /// that reads may be at it for seconds, and hears of nothing meanwhile.
    package func end() { state.withLock { $0.hasEnded = true } }

    deinit {
        if isListening { tree.stopWatchingChanges() }
        tree.forget(documents)
    }

    /// Not the disk itself: the tree holds it.
    private final class Waker: ChangeListener {
        private let wake: @Sendable () -> Void
        init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }
        func changesCame() { wake() }
    }

    package func takeChanges(limit: Int) -> LocalChanges {
        databases?.hearNews()
        let taken = tree.takeChanges(limit: limit)
        var changes = LocalChanges(hasDepartures: taken.hasDepartures, removed: taken.removed)
        changes.left = taken.left
        changes.everything = state.withLock { state in
            defer { state.isFirst = false }
            state.movesAgainAt = nil
            return state.isFirst
        }
        for bytes in taken.paths {
            // Documents itself is not sync's.
            if let path = LocalPath(bytes: bytes), path.name != nil {
                changes.paths.formUnion(unit(of: path))
            }
        }
        changes.whole = Set(taken.whole.compactMap { LocalPath(bytes: $0) })
        changes.arrivals = Set(taken.arrivals.compactMap { LocalPath(bytes: $0) })
        changes.renames = taken.renames.compactMap { rename in
            guard let from = LocalPath(bytes: rename.from), let to = LocalPath(bytes: rename.to) else {
                return nil
            }
            return LocalMove(from: from, to: to)
        }
        if !taken.linked.isEmpty { changes.paths.formUnion(names(of: taken.linked)) }
        changes.paths.formUnion(probeWriters())
        return changes
    }

    package var hasChanges: Bool {
        state.withLock(\.isFirst) || tree.hasChanges || databases?.hasNews ?? false
    }

    package var wakeAt: UInt64? {
        state.withLock { state in
            [state.writers.wakeAt, state.displaced.wakeAt, state.movesAgainAt].compactMap { $0 }.min()
        }
    }

    /// The files whose writers are due to be asked for, and that are worth a look now.
    private func probeWriters() -> [LocalPath] {
        let now = clock.now()
        // A look notes by itself that a file has a writer or none.
        return state.withLock { $0.writers.due(at: now) }.filter { path in
            guard let looked = try? inspect(path), looked.hasWriter else {
                state.withLock { $0.writers.end(path) }
                return true
            }
            return state.withLock { $0.writers.waitLonger(path, at: now) }
        }
    }

    /// All paths of inodes that have several names: hard links sync as files of their own, and a change of
    /// one is a change of all. The names are asked of the directories, without a look at what they name.
    private func names(of inodes: Set<UInt64>) -> [LocalPath] {
        var found: [LocalPath] = []
        var directories = [LocalPath()]
        while let directory = directories.popLast() {
            // What cannot be listed has gone, and that is told by itself.
            let entries = try? withDirectory(directory) { (inode) throws(LocalError) in
                try LocalError.from { () throws(Errno) in try tree.backingNumbers(in: inode) }
            }
            for entry in entries ?? [] {
                guard let name = String(validating: entry.name, as: UTF8.self) else { continue }
                let path = directory.appending(name)
                if entry.isDirectory { directories.append(path) }
                if inodes.contains(entry.inode) { found.append(path) }
            }
        }
        return found
    }
}

extension LocalPath {
    /// Nil for names that are no UTF-8: they never sync.
    init?(bytes: [[UInt8]]) {
        var names: [String] = []
        for part in bytes {
            guard let name = String(validating: part, as: UTF8.self) else { return nil }
            names.append(name)
        }
        self.init(names)
    }
}
