internal import CloudSync
internal import SyncLog

/// A device's disk as its kernel has it: inodes, names, and what a power failure would leave. Both sides act
/// on it: the apps (`Disk+Apps`) and, through `DiskDoor`, sync.
///
/// The namespace is journaled in order, as ext4 does: a power failure takes back the newest changes since the
/// last fsync of anything. Of a file's bytes that were not fsynced any state may be left.
final class Disk {
    let device: Int
    let timeline: Timeline
    /// Of what was done before, on the disk that it is a copy of, a power failure takes nothing back.
    private let began: UInt64
    var root: Inode
    /// The rest of the home: nothing in it syncs.
    var outside: Inode
    /// What sync parks; no app sees it.
    var parking: Inode
    /// Where it came from, by its name there.
    private(set) var ways: [String: LocalPath] = [:]
    /// Displaced files by their names in staging.
    var staging: [String: Inode] = [:]
    var changes = LocalChanges(everything: true)
    /// Of these changes, what is told as soon as anything is: half of it would look like something gone.
    private var renamed: Set<LocalPath> = []
    /// What was not taken yet, by the directories in which it lies: their paths may lead elsewhere by then.
    private var waiting: [(directory: Inode, name: String)] = []
    /// Called when a change was noted: the mount tells the engine.
    var didChange: () -> Void = {}
    /// Told of directories that the person takes away, or the power failure does.
    var didRemove: ([Inode]) -> Void = { _ in }
    /// Told of a file, and where it lies, before the person takes it away from there.
    var willTake: (LocalPath, Inode) -> Void = { _, _ in }
    /// Told of a file, and where it lies, before it changes places with a directory.
    var willSwap: (LocalPath, Inode) -> Void = { _, _ in }
    /// Told of what no app should meet.
    var didFail: (String) -> Void = { _ in }
    var ledger: Ledger
    var trace: Trace?
    var isFull = false
    /// Seconds that this machine's clock is ahead of the world's.
    var wallOffset: Int64 = 1_799_999_000
    /// Contents that all devices write in the same order.
    var editedInCommon: UInt64 = 0
    /// Handles of an earlier one are gone.
    private(set) var handleEpoch = 0
    private var freedNumbers: [UInt64] = []
    private var lastNumber: UInt64 = 10
    private var lastTick: Int64 = 0
    /// How to take back what the journal may lose, the newest last.
    private var undoes: [() -> Void] = []

    init(device: Int, timeline: Timeline, ledger: Ledger) {
        self.device = device
        self.timeline = timeline
        began = timeline.now
        self.ledger = ledger
        root = Inode(number: 2, birth: 1, kind: .directory, mode: 0o755)
        outside = Inode(number: 3, birth: 1, kind: .directory, mode: 0o755)
        parking = Inode(number: 4, birth: 1, kind: .directory, mode: 0o755)
    }

    /// This machine's clock; it ticks with each look, as multigrain times do.
    func tick() -> Int64 {
        let time = wallTime
        lastTick = time == lastTick ? time + 1 : max(time, lastTick < time + 1000 ? lastTick + 1 : time)
        return lastTick
    }

    var wallTime: Int64 { wallOffset * 1_000_000_000 + Int64(timeline.now) }

    func makeInode(_ kind: Inode.Kind, mode: UInt16) -> Inode {
        // The number just freed comes first, as on ext4.
        let number =
            freedNumbers.popLast()
            ?? {
                lastNumber += 1
                return lastNumber
            }()
        let inode = Inode(number: number, birth: tick(), kind: kind, mode: mode)
        return inode
    }

    func find(_ path: LocalPath) -> Inode? {
        var inode: Inode? = path.isParked ? parking : root
        for name in path.names {
            guard let present = inode, present.isDirectory else { return nil }
            inode = present.entries[name]
        }
        return inode
    }

    func note(_ path: LocalPath, isRename: Bool = false) {
        changes.paths.insert(path)
        if isRename { renamed.insert(path) }
        didChange()
    }

    var hasChanges: Bool { changes != LocalChanges() || !waiting.isEmpty }

    /// - Parameter limit: about so many paths.
    func takeChanges(limit: Int) -> LocalChanges {
        var taken = changes
        for (directory, name) in waiting {
            let above = directory === root ? LocalPath() : paths(of: directory).first
            if let above { taken.paths.insert(above.appending(name)) }
        }
        let others = taken.paths.subtracting(renamed).sorted { $0.names.lexicographicallyPrecedes($1.names) }
        (changes, renamed, waiting) = (LocalChanges(), [], [])
        for path in others.dropFirst(limit) {
            guard let name = path.name, let directory = find(path.parent) else { continue }
            taken.paths.remove(path)
            waiting.append((directory, name))
        }
        taken.left = waiting.count
        return taken
    }

    /// The paths of an inode, all its links; for notices that are by inode.
    func paths(of inode: Inode) -> [LocalPath] {
        var found: [LocalPath] = []
        walk(root, LocalPath()) { path, child in
            if child === inode { found.append(path) }
        }
        return found
    }

    func walk(_ directory: Inode, _ path: LocalPath, _ body: (LocalPath, Inode) -> Void) {
        for (name, child) in directory.entries.sorted(by: { $0.key < $1.key }) {
            let childPath = path.appending(name)
            body(childPath, child)
            if child.isDirectory { walk(child, childPath, body) }
        }
    }

    func setWay(_ path: LocalPath?, of name: String) {
        let before = ways[name]
        ways[name] = path
        undoes.append { [unowned self] in ways[name] = before }
    }

    // MARK: Names. Each answers how to take it back.

    func insert(_ inode: Inode, _ name: String, into directory: Inode) {
        directory.entries[name] = inode
        inode.links += 1
        if inode.isDirectory { inode.parent = directory }
        directory.modified = tick()
        directory.changed = directory.modified
        inode.changed = directory.modified
        undoes.append {
            directory.entries[name] = nil
            inode.links -= 1
        }
    }

    @discardableResult
    func removeEntry(_ name: String, of directory: Inode) -> Inode? {
        // The name as it lies there, whatever spelling was asked for.
        guard let index = directory.entries.index(forKey: name) else { return nil }
        let (spelling, inode) = directory.entries.remove(at: index)
        inode.links -= 1
        directory.modified = tick()
        directory.changed = directory.modified
        inode.changed = directory.modified
        undoes.append {
            directory.entries[spelling] = inode
            inode.links += 1
            if inode.isDirectory { inode.parent = directory }
        }
        if inode.links == 0 { freedNumbers.append(inode.number) }
        return inode
    }

    func displace(_ inode: Inode, as name: String) {
        staging[name] = inode
        inode.links += 1
        undoes.append { [unowned self] in
            staging[name] = nil
            inode.links -= 1
        }
    }

    /// Changes of names that are one call, as rename(2) is: a power failure takes back all of them or none.
    func atOnce(_ changes: () -> Void) {
        let before = undoes.count
        changes()
        let steps = undoes[before...]
        undoes.removeSubrange(before...)
        undoes.append { for step in steps.reversed() { step() } }
    }

    /// An attribute is in the journal's order as names are.
    func flag(_ inode: Inode, _ isFlagged: Bool) {
        let before = inode.isFlagged
        inode.isFlagged = isFlagged
        inode.changed = tick()
        undoes.append { inode.isFlagged = before }
    }

    /// All names up to now are there for good.
    func syncNames() { undoes = [] }

    func syncBytes(of inode: Inode) {
        inode.durableBytes = inode.bytes
        syncNames()
    }

    /// The bytes are not here any more; they read as zeros.
    func evict(_ inode: Inode, _ hash: ContentHash) {
        inode.away = hash
        inode.bytes = Array(repeating: 0, count: inode.bytes.count)
        inode.changed = tick()
        syncBytes(of: inode)
    }

    // MARK: Ends

    /// The power fails: newest names may be taken back, bytes not fsynced may be lost or torn, handles are
    /// gone.
    func loseUnsynced(_ random: inout WorldRandom) {
        let before = tokens
        let directories = root.directories
        handleEpoch += 1
        for _ in 0..<random.below(undoes.count + 1) { undoes.removeLast()() }
        undoes = []
        for inode in allFiles {
            inode.writers = 0
            guard inode.bytes != inode.durableBytes else { continue }
            switch random.below(4) {
            case 0: break
            case 1: inode.bytes = inode.durableBytes
            case 2: inode.bytes = []
            default: inode.bytes = Array(inode.bytes.prefix(random.below(inode.bytes.count + 1)))
            }
            inode.durableBytes = inode.bytes
        }
        // A number belongs to one inode: what came back may have lost it to another meanwhile.
        freedNumbers = []
        (changes, renamed, waiting) = (LocalChanges(everything: true), [], [])
        lastNumber += 100
        let kept = Set((root.directories + parking.directories).map(ObjectIdentifier.init))
        didRemove(directories.filter { !kept.contains(ObjectIdentifier($0)) })
        let after = tokens
        for token in before.subtracting(after) { ledger.forgive(token) }
        for token in after.subtracting(before) { ledger.comesBack(token, on: device, since: began) }
        // What a rename that was taken back had brought below a flag is not covered by it any more.
        for top in [root, outside] { noteFlag(top) }
    }

    /// Nothing of it exists any more; handles that were open write nowhere.
    func discard() { handleEpoch += 1 }

    /// Every file once, of Documents, outside of it, parked, and in staging.
    var allFiles: [Inode] {
        var found: [Inode] = []
        walk(root, LocalPath()) { _, inode in found.append(inode) }
        walk(outside, LocalPath()) { _, inode in found.append(inode) }
        walk(parking, LocalPath()) { _, inode in found.append(inode) }
        found += staging.sorted { $0.key < $1.key }.map(\.value)
        var seen: Set<ObjectIdentifier> = []
        return found.filter { $0.isFile && seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The whole contents that lie on this disk.
    var tokens: Set<Token> { Set(allFiles.compactMap { Token(whole: $0.bytes) }) }

    /// The same documents in a home of their own: nothing of it is the inode that it was, and nothing is in
    /// its staging.
    func restored() -> Disk {
        let restored = copy()
        restored.staging = [:]
        restored.lastNumber += 1000
        restored.root = restored.renewed(restored.root)
        return restored
    }

    private func renewed(_ inode: Inode) -> Inode {
        let new = makeInode(inode.kind, mode: inode.mode)
        (new.bytes, new.durableBytes) = (inode.bytes, inode.bytes)
        (new.modified, new.extended, new.isFlagged) = (inode.modified, inode.extended, inode.isFlagged)
        (new.away, new.listed, new.links) = (inode.away, inode.listed, 1)
        for (name, child) in inode.entries.sorted(by: { $0.key < $1.key }) {
            let child = renewed(child)
            new.entries[name] = child
            if child.isDirectory { child.parent = new }
        }
        return new
    }

    /// The same disk at this moment, for a clone or to go back to.
    func copy(as copied: Int? = nil) -> Disk {
        let copy = Disk(device: copied ?? device, timeline: timeline, ledger: ledger)
        var known: [ObjectIdentifier: Inode] = [:]
        copy.root = root.copy(&known)
        copy.outside = outside.copy(&known)
        copy.parking = parking.copy(&known)
        copy.ways = ways
        copy.staging = staging.mapValues { $0.copy(&known) }
        copy.wallOffset = wallOffset
        copy.lastNumber = lastNumber
        copy.lastTick = lastTick
        return copy
    }
}
