internal import CloudSync
internal import SyncContent
internal import SyncLog

/// What one life of sync may do with its device's disk. Apps go on between any two calls, and inside of one.
// Unchecked: see WorldExecutor.
final class DiskDoor: LocalDisk, @unchecked Sendable {
    let disk: Disk
    let life: Life
    let trace: Trace
    /// Lets an app act in the middle of a call, or the life end there.
    private var hasLooked = false
    var interrupt: (_ inCall: StaticString) -> Void = { _ in }
    var changesAreLeft: () -> Void = {}
    var callNanoseconds: UInt64 = 2_000

    let rules: SafetyRules

    init(_ disk: Disk, life: Life, trace: Trace, rules: SafetyRules = .all) {
        self.disk = disk
        self.rules = rules
        self.life = life
        self.trace = trace
    }

    /// The first answer of each life is `everything`, for nobody looked before it.
    func takeChanges(limit: Int) -> LocalChanges {
        if life.hasEnded { return LocalChanges() }
        interrupt("takeChanges")
        defer { hasLooked = true }
        let taken = disk.takeChanges(limit: limit)
        if taken.left > 0 { changesAreLeft() }
        return hasLooked ? taken : LocalChanges(everything: true)
    }

    var hasChanges: Bool { !hasLooked || disk.hasChanges }

    /// Somebody may be writing: the product probes by leases at growing intervals.
    var wakeAt: UInt64? {
        let isWaiting = disk.allFiles.contains { $0.writers > 0 }
        return isWaiting ? disk.timeline.now + 1_000_000_000 + 2_000_000_000 : nil
    }

    func look(at path: LocalPath) throws(LocalError) -> LocalItem? {
        try begin("look")
        return disk.find(path).map { item($0, at: path) }
    }

    func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> {
        try begin("departed")
        var inodes: [Inode] = []
        disk.walk(disk.outside, LocalPath()) { _, inode in inodes.append(inode) }
        return Set(gone.filter { gone in inodes.contains { $0.fingerprint.isSameInode(as: gone) } })
    }

    func list(_ directory: LocalPath, being expected: Fingerprint?) throws(LocalError) -> [LocalItem] {
        try begin("list")
        guard let inode = disk.find(directory), inode.isDirectory else { throw .gone }
        guard expected.map(inode.fingerprint.isSameInode) ?? true else { throw .changed }
        // By inode, as hash trees do: an order that says nothing of names.
        return inode.entries.sorted { ($0.value.number, $0.key) < ($1.value.number, $1.key) }
            .map { item($0.value, at: directory.appending($0.key)) }
    }

    func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint {
        try begin("read")
        guard let inode = disk.find(path), inode.isFile else { throw .gone }
        guard disk.fingerprint(of: inode, at: path) == fingerprint else { throw .changed }
        if rules.hold(.readsAreDurable) { disk.syncBytes(of: inode) }
        try read(inode, { disk.bytes(of: inode, at: path) }, body)
        guard disk.find(path) === inode, disk.fingerprint(of: inode, at: path) == fingerprint else {
            throw .changed
        }
        return fingerprint
    }

    /// In two halves, between which an app may write: leases are probes, at both ends.
    private func read(
        _ inode: Inode, _ bytes: () -> [UInt8], _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) {
        inode.isLeased = !rules.hold(.leasesAreProbes)
        defer { inode.isLeased = false }
        if !inode.isLeased, disk.isBeingWritten(inode) { throw .inUse }
        let middle = bytes().count / 2
        try body(Array(bytes().prefix(middle)))
        try begin("read on")
        try body(Array(bytes().dropFirst(middle)))
        try begin("read to the end")
        if !inode.isLeased, disk.isBeingWritten(inode) { throw .inUse }
    }

    func stage(as name: String) throws(LocalError) -> any StagedFile {
        try begin("stage")
        return Staged(name, life: life, disk: disk)
    }

    func takeDisplaced() throws(LocalError) -> [Displaced] {
        try begin("takeDisplaced")
        return disk.staging.sorted { $0.key < $1.key }
            .filter { $0.value.writers == 0 }
            .map { Displaced(name: $0.key, fingerprint: $0.value.fingerprint) }
    }

    func look(atDisplaced name: String) throws(LocalError) -> Fingerprint? {
        try begin("look")
        return disk.staging[name]?.fingerprint
    }

    func readDisplaced(_ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void)
        throws(LocalError)
    {
        try begin("readDisplaced")
        guard let inode = disk.staging[displaced.name] else { throw .gone }
        try read(inode, { inode.bytes }, body)
    }

    func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool {
        try begin("isKeptBack")
        guard let inode = disk.staging[displaced.name] else { return false }
        let paths = disk.paths(of: inode)
        return inode.isFlagged || !paths.isEmpty && paths.allSatisfy(disk.isExcluded)
    }

    func dropDisplaced(_ displaced: Displaced) throws(LocalError) {
        try begin("dropDisplaced")
        guard let inode = disk.staging.removeValue(forKey: displaced.name) else { throw .gone }
        inode.links -= 1
        note("drop", displaced.name)
    }

    /// Every call: time passes, apps act, and a life that has ended does nothing.
    func begin(_ call: StaticString) throws(LocalError) {
        if life.hasEnded { throw .ended }
        disk.timeline.spend(callNanoseconds)
        interrupt(call)
        if life.hasEnded { throw .ended }
    }

    func note(_ kind: StaticString, _ text: @autoclosure () -> String, _ inode: Inode? = nil) {
        trace.note(
            kind, UInt64(life.device), inode?.number ?? 0, Trace.fingerprint(inode?.bytes ?? []),
            line: "device \(life.device) \(text()) "
                + (inode.flatMap { Token(whole: $0.bytes) }.map { "content \($0.number)" } ?? ""))
    }

    private func item(_ inode: Inode, at path: LocalPath) -> LocalItem {
        let kind: LocalItem.Kind
        switch inode.kind {
        case .file: kind = .file
        case .directory: kind = .directory
        case .symlink(let target): kind = .symlink(target: target)
        }
        return LocalItem(
            path: path, kind: kind, fingerprint: disk.fingerprint(of: inode, at: path),
            attributes: inode.attributes,
            exclusion: Disk.exclusion(of: inode, named: path.name ?? ""),
            isBeingWritten: disk.isBeingWritten(inode), isDataless: inode.away != nil)
    }
}

/// A file being written aside; gone with its life.
// Unchecked: see WorldExecutor.
final class Staged: StagedFile, @unchecked Sendable {
    let name: String
    private let life: Life
    private let disk: Disk
    private(set) var bytes: [UInt8] = []
    private(set) var isFlagged = false

    init(_ name: String, life: Life, disk: Disk) {
        self.name = name
        self.life = life
        self.disk = disk
    }

    func append(_ bytes: [UInt8]) throws(LocalError) {
        if life.hasEnded { throw .ended }
        if disk.isFull { throw .full }
        self.bytes += bytes
    }

    func setFlag() throws(LocalError) {
        if life.hasEnded { throw .ended }
        isFlagged = true
    }
}
