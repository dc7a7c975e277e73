internal import CLinux
internal import Posix
internal import SandboxRules
internal import Synchronization
internal import SystemPackage

/// Finds out which names lead to an item without a skip-backup flag where they led to one with it, by the
/// item's own or that of a directory above.
///
/// Apple's own order is to save and then to flag, so each is examined a moment later, on a thread that ends
/// when nothing is left to examine: lost is what nobody has flagged again. A name that leads to nothing then
/// is kept, until something has it again.
final class LostFlags: Sendable {
    private struct Name: Hashable {
        let directory: InodeNumber
        /// With its NUL.
        let bytes: [CChar]
    }

    /// Each holds a reference to its directory.
    private struct Suspect {
        let name: Name
        let program: Program?
        var due: ContinuousClock.Instant
    }

    private struct State {
        /// In the order in which they are due.
        var suspects: [Suspect] = []
        /// What nothing had when it was due.
        var absent: [Name: Suspect] = [:]
        /// How many are being examined.
        var examined = 0
        var isServed = false
    }

    private let sink: any EventSink
    private let state = Lock(State(), rank: .leaf)
    /// Of `State.absent`: mostly none, and no lock is taken then.
    private let absentCount = Atomic<Int>(0)

    /// Twice what sync waits for a flag.
    private static let grace = Duration.nanoseconds(2 * SkipBackup.graceNanoseconds)
    private static let most = 1024
    /// Between two looks of who waits.
    private static let lookSeconds = 0.02

    init(sink: any EventSink) { self.sink = sink }

    /// What `name` leads to now may lack a flag that the name had. Called with no lock held.
    func suspect(_ name: FileName, in directory: InodeNumber, by asker: Asker, of tree: HomeTree) {
        let suspect = Suspect(
            name: Name(directory: directory, bytes: name.terminated), program: asker.program,
            due: .now + Self.grace)
        tree.retain(directory)
        let (replaced, isFull) = state.withLock { state -> ([Suspect], Bool) in
            // A name that has been flagged since is not lost yet, and may be now.
            var replaced = Self.take(from: &state) { $0.name == suspect.name }
            replaced += [takeAbsent(suspect.name, &state)].compactMap { $0 }
            guard state.suspects.count < Self.most else { return (replaced + [suspect], true) }
            state.suspects.append(suspect)
            return (replaced, false)
        }
        for suspect in replaced { tree.forget(suspect.name.directory) }
        if isFull { tree.tables.withLock { $0.nameSets.noteUnexamined() } }
        serve(tree)
    }

    /// Something has a name again. May be called with the directory's lock held.
    func appeared(_ name: FileName, in directory: InodeNumber, of tree: HomeTree) {
        if absentCount.load(ordering: .relaxed) == 0 { return }
        let name = Name(directory: directory, bytes: name.terminated)
        let isSuspect = state.withLock { state in
            guard var suspect = takeAbsent(name, &state) else { return false }
            suspect.due = .now + Self.grace
            state.suspects.append(suspect)
            return true
        }
        if isSuspect { serve(tree) }
    }

    private func takeAbsent(_ name: Name, _ state: inout State) -> Suspect? {
        let suspect = state.absent.removeValue(forKey: name)
        absentCount.store(state.absent.count, ordering: .relaxed)
        return suspect
    }

    /// Waits until all that is suspect now is examined, or the time is over.
    func waitUntilExamined(deadline: Deadline) {
        let end = ContinuousClock.now + Self.grace
        func isLeft() -> Bool {
            state.withLock { $0.examined > 0 || $0.suspects.first.map { $0.due <= end } ?? false }
        }
        while isLeft(), !deadline.hasPassed {
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: Self.lookSeconds))
        }
    }

    /// Examines all at once, and forgets what nothing has: nobody uses the tree any more.
    func examineAll(of tree: HomeTree) {
        while let suspect = takeFirst(dueBy: nil) { examine(suspect, tree) }
        let absent = state.withLock { state in
            defer {
                state.absent = [:]
                absentCount.store(0, ordering: .relaxed)
            }
            return Array(state.absent.keys)
        }
        for name in absent { tree.forget(name.directory) }
    }

    /// - Parameter moment: nil: whenever it is due.
    private func takeFirst(dueBy moment: ContinuousClock.Instant?) -> Suspect? {
        state.withLock { state in
            guard let first = state.suspects.first, moment.map({ first.due <= $0 }) ?? true else {
                return nil
            }
            state.examined += 1
            return state.suspects.removeFirst()
        }
    }

    private func serve(_ tree: HomeTree) {
        let starts = state.withLock { state in
            defer { state.isServed = state.isServed || !state.suspects.isEmpty }
            return !state.isServed && !state.suspects.isEmpty
        }
        if !starts { return }
        do throws(Errno) {
            try NativeThread(name: "lost-flag") { self.run(tree) }.detach()
        } catch {
            // The next one tries again.
            state.withLock { $0.isServed = false }
        }
    }

    /// Works until nothing is left to examine; the tree stays for as long.
    private func run(_ tree: HomeTree) {
        while let due = state.withLock({ Self.nextDue(&$0) }) {
            let seconds = max(0, (due - ContinuousClock.now) / .seconds(1))
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: seconds))
            let now = ContinuousClock.now
            while let suspect = takeFirst(dueBy: now) { examine(suspect, tree) }
        }
    }

    /// nil where nothing is left: somebody has to begin again then.
    private static func nextDue(_ state: inout State) -> ContinuousClock.Instant? {
        state.isServed = !state.suspects.isEmpty
        return state.suspects.first?.due
    }

    private static func take(from state: inout State, _ isTaken: (Suspect) -> Bool) -> [Suspect] {
        defer { state.suspects.removeAll(where: isTaken) }
        return state.suspects.filter(isTaken)
    }

    private func examine(_ suspect: Suspect, _ tree: HomeTree) {
        let isAbsent = suspect.name.bytes.withFileName { name -> Bool in
            do throws(Errno) {
                return try !examine(name, suspect, tree)
            } catch {
                // Nobody knows; and in a directory that has gone there is nothing.
                if error != .staleHandle { tree.tables.withLock { $0.nameSets.noteUnexamined() } }
                return false
            }
        }
        let isKept = state.withLock { state in
            state.examined -= 1
            // It may be suspect again by now.
            let isAgain =
                state.absent[suspect.name] != nil || state.suspects.contains { $0.name == suspect.name }
            guard isAbsent, !isAgain, state.absent.count < Self.most else { return false }
            state.absent[suspect.name] = suspect
            absentCount.store(state.absent.count, ordering: .relaxed)
            return true
        }
        if !isKept { tree.forget(suspect.name.directory) }
    }

    /// - Returns: whether anything has the name.
    private func examine(_ name: FileName, _ suspect: Suspect, _ tree: HomeTree) throws(Errno) -> Bool {
        guard let found = try tree.peek(name, in: suspect.name.directory) else { return false }
        defer { tree.forget(found.inode) }
        let directory = tree.path(of: suspect.name.directory)
        guard tree.isBackedUp(ItemKind(mode: found.status.st_mode), name, in: directory),
            try !tree.isFlaggedOrBelow(found.inode)
        else { return true }
        sink.record(
            Event(kind: .skipBackupLost(name: name.text), directory: directory, program: suspect.program))
        return true
    }
}

extension HomeTree {
    /// Whether an item, or a directory above it, carries a skip-backup flag. Called with no lock held.
    /// - Throws: where that cannot be found out now.
    func isFlaggedOrBelow(_ number: InodeNumber) throws(Errno) -> Bool {
        while true {
            let (unknown, changes) = tables.withLock {
                ($0.nearestPossiblyFlagged(from: number), $0.flagChanges)
            }
            guard let unknown else { return false }
            do throws(Errno) {
                let isFlagged = try inodes.withInode(unknown) { (directory, name) throws(Errno) in
                    AppleAttributes.isFlagged(directory, name)
                }
                if isFlagged { return true }
            } catch {
                // What nothing leads to any more is nobody's directory.
                guard error == .noSuchFileOrDirectory || error == .staleHandle else { throw error }
                return false
            }
            tables.withLock { $0.noteUnflagged(unknown, since: changes) }
        }
    }

    /// Whether a backup holds an item there that carries no flag.
    fileprivate func isBackedUp(_ kind: ItemKind, _ name: FileName, in directory: String) -> Bool {
        let path = directory.isEmpty ? name.text : "\(directory)/\(name.text)"
        return BackupRule.includes(
            relativePath: path, kind: kind, in: place(of: home) == .group ? .group : .appData)
    }
}
