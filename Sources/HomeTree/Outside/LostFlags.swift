internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Finds out which names lead to an item without a skip-backup flag where they led to one with it, by the
/// item's own or that of a directory above.
///
/// Apple's own order is to save and then to flag, so each is examined a moment later, on a thread that ends
/// when nothing is left to examine: lost is what nobody has flagged again.
final class LostFlags: Sendable {
    private struct Suspect {
        let directory: InodeNumber
        /// With its NUL.
        let name: [CChar]
        let program: Program?
        let due: ContinuousClock.Instant
    }

    private struct State {
        /// In the order in which they are due. Each holds a reference to its directory.
        var suspects: [Suspect] = []
        var isServed = false
    }

    private let sink: any EventSink
    private let state = Lock(State(), rank: .leaf)

    /// Twice what sync waits for a flag.
    private static let grace = Duration.nanoseconds(2 * SkipBackup.graceNanoseconds)
    private static let most = 1024

    init(sink: any EventSink) { self.sink = sink }

    /// What `name` leads to now may lack a flag that the name had. Called with no lock held.
    func suspect(_ name: FileName, in directory: InodeNumber, by asker: Asker, of tree: HomeTree) {
        let suspect = Suspect(
            directory: directory, name: name.terminated, program: asker.program,
            due: ContinuousClock.now + Self.grace)
        tree.retain(directory)
        let (replaced, starts) = state.withLock { state -> ([Suspect], Bool) in
            // A name that has been flagged since is not lost yet, and may be now.
            let same = state.suspects.filter { $0.directory == directory && $0.name == suspect.name }
            state.suspects.removeAll { $0.directory == directory && $0.name == suspect.name }
            guard state.suspects.count < Self.most else { return (same + [suspect], false) }
            state.suspects.append(suspect)
            defer { state.isServed = true }
            return (same, !state.isServed)
        }
        for suspect in replaced { tree.forget(suspect.directory) }
        if starts { start(tree) }
    }

    /// Examines all at once: nobody will flag anything any more.
    func examineAll(of tree: HomeTree) {
        for suspect in state.withLock({ Self.take(from: &$0) { _ in true } }) { examine(suspect, tree) }
    }

    private func start(_ tree: HomeTree) {
        do throws(Errno) {
            try NativeThread(name: "lost-flag") { self.run(tree) }.detach()
        } catch {
            state.withLock { $0.isServed = false }
            examineAll(of: tree)
        }
    }

    /// Works until nothing is left to examine; the tree stays for as long.
    private func run(_ tree: HomeTree) {
        while let due = state.withLock({ Self.nextDue(&$0) }) {
            let seconds = max(0, (due - ContinuousClock.now) / .seconds(1))
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: seconds))
            let now = ContinuousClock.now
            for suspect in state.withLock({ Self.take(from: &$0) { $0.due <= now } }) {
                examine(suspect, tree)
            }
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
        defer { tree.forget(suspect.directory) }
        suspect.name.withFileName { name in
            guard let found = try? tree.peek(name, in: suspect.directory) else { return }
            defer { tree.forget(found.inode) }
            let directory = tree.path(of: suspect.directory)
            guard tree.isBackedUp(ItemKind(mode: found.status.st_mode), name, in: directory),
                !tree.isFlaggedOrBelow(found.inode)
            else { return }
            sink.record(
                Event(kind: .skipBackupLost(name: name.text), directory: directory, program: suspect.program))
        }
    }
}

extension HomeTree {
    /// Whether an item, or a directory above it, carries a skip-backup flag. Called with no lock held.
    func isFlaggedOrBelow(_ number: InodeNumber) -> Bool {
        while true {
            let (unknown, changes) = tables.withLock {
                ($0.nearestPossiblyFlagged(from: number), $0.flagChanges)
            }
            guard let unknown else { return false }
            let isFlagged = try? inodes.withInode(unknown) { (directory, name) throws(Errno) in
                AppleAttributes.isFlagged(directory, name)
            }
            // What nothing leads to any more is nobody's directory.
            guard let isFlagged else { return false }
            if isFlagged { return true }
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
