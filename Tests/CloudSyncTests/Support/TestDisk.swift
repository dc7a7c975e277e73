import CloudSync
import SandboxRules

@testable import SyncContent
@testable import SyncLog

/// A disk in memory for the planner's and applier's tests. One thread; nothing is lost but by a `crash`.
// Unchecked: each test has its own and uses it from one task at a time.
final class TestDisk: LocalDisk, @unchecked Sendable {
    final class Inode {
        let number: UInt64
        let birth: Int64
        let kind: LocalItem.Kind
        var bytes: [UInt8] = []
        var entries: [String: Inode] = [:]
        var mode: UInt16
        var modified: Int64
        var changed: Int64
        var extended: [ExtendedAttribute] = []
        var isFlagged = false
        var isBeingWritten = false
        var isDataless = false
        var links = 0

        init(_ number: UInt64, _ birth: Int64, _ kind: LocalItem.Kind, mode: UInt16) {
            (self.number, self.birth, self.kind, self.mode) = (number, birth, kind, mode)
            (modified, changed) = (birth, birth)
        }

        var fingerprint: Fingerprint {
            Fingerprint(
                device: 1, inode: number, birth: birth, sizeBytes: UInt64(bytes.count), modified: modified,
                changed: changed)
        }
        var attributes: Attributes { Attributes(mode: mode, modified: modified, extended: extended) }
        var isFile: Bool { kind == .file }
        var isDirectory: Bool { kind == .directory }
    }

    final class Staged: StagedFile, @unchecked Sendable {
        let name: String
        var bytes: [UInt8] = []
        var isFlagged = false
        init(_ name: String) { self.name = name }
        func setFlag() throws(LocalError) { isFlagged = true }
        func append(_ bytes: [UInt8]) throws(LocalError) { self.bytes += bytes }
    }

    let root = Inode(2, 1, .directory, mode: 0o755)
    /// What sync puts aside; no app sees it.
    let parking = Inode(4, 1, .directory, mode: 0o755)
    var ways: [String: LocalPath] = [:]
    /// The rest of the home.
    let outside = Inode(3, 1, .directory, mode: 0o755)
    var staging: [String: Inode] = [:]
    /// Nothing new fits on it.
    var isFull = false
    /// What is in staging is still open somewhere.
    var isStagingBusy = false
    var changes = LocalChanges()
    var looks = 0
    var onLook: () -> Void = {}
    /// A file is read as a whole.
    var onRead: () -> Void = {}
    /// Something is about to be moved.
    var onMove: (TestDisk) -> Void = { _ in }
    /// A file was put in place there.
    var onPlace: (LocalPath) -> Void = { _ in }
    /// Databases that are written without pause.
    var overdue: Set<LocalPath> = []
    /// Names that a later version of the rule excludes, beside those that it excludes already.
    var namedOut: Set<String> = []
    var departureLooks = 0
    var departureError: LocalError?
    /// Calls that change the disk, and after which of them the device dies; odd halves lie behind the change.
    var steps = 0
    var crashAt: Int?
    var hasBirthTimes = true
    private var clock: Int64 = 1000
    private var lastNumber: UInt64 = 10
    var freed: [UInt64] = []

    func tick() -> Int64 {
        clock += 1
        return clock
    }

    func makeInode(_ kind: LocalItem.Kind, mode: UInt16) -> Inode {
        lastNumber += 1
        let inode = Inode(freed.popLast() ?? lastNumber, hasBirthTimes ? tick() : 0, kind, mode: mode)
        (inode.modified, inode.changed) = (tick(), tick())
        return inode
    }

    func find(_ path: LocalPath) -> Inode? {
        path.names.reduce(path.isParked ? parking : root) { (inode: Inode?, name) in inode?.entries[name] }
    }

    private func expect(_ directory: Inode, being expected: Fingerprint?) throws(LocalError) {
        if let expected, !directory.fingerprint.isSameInode(as: expected) { throw .changed }
    }

    func directory(of path: LocalPath) -> Inode? {
        if path.isParked, path.names.count == 1 { return parking }
        guard let directory = find(path.parent), directory.isDirectory else { return nil }
        return directory
    }

    func item(_ inode: Inode, at path: LocalPath) -> LocalItem {
        LocalItem(
            path: path, kind: inode.kind, fingerprint: inode.fingerprint, attributes: inode.attributes,
            exclusion: exclusion(inode, path), isBeingWritten: inode.isBeingWritten,
            isDataless: inode.isDataless)
    }

    private func exclusion(_ inode: Inode, _ path: LocalPath) -> Exclusion? {
        var name = path.name ?? ""
        let kind: ItemKind = inode.isDirectory ? .directory : inode.isFile ? .file : .symlink
        let isNamedOut = name.withUTF8 {
            CloudRule.exclusion(of: UnsafeRawBufferPointer($0), kind: kind, isTopLevel: false) != nil
        }
        if isNamedOut || namedOut.contains(name) { return .name }
        if name.hasSuffix("-wal") || name.hasSuffix("-shm") { return .databaseCompanion }
        return inode.isFlagged ? .flagged : nil
    }

    func displace(_ inode: Inode, as name: String) {
        staging[name] = inode
        inode.changed = tick()
    }

    // MARK: LocalDisk
    var wakeAt: UInt64? { nil }
    var hasChanges: Bool { changes != LocalChanges() }
    func isOverdue(_ path: LocalPath) -> Bool { overdue.contains(path) }

    func takeChanges(limit: Int) -> LocalChanges {
        var taken = changes
        let renamed = Set(changes.renames.flatMap { [$0.from, $0.to] })
        let others = taken.paths.subtracting(renamed).sorted { $0.names.lexicographicallyPrecedes($1.names) }
        changes = LocalChanges(paths: Set(others.dropFirst(limit)))
        taken.paths.subtract(changes.paths)
        taken.left = changes.paths.count
        return taken
    }

    func look(at path: LocalPath) throws(LocalError) -> LocalItem? {
        looks += 1
        onLook()
        return find(path).map { item($0, at: path) }
    }

    func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> {
        departureLooks += 1
        if let departureError { throw departureError }
        var waiting = [outside]
        var found: Set<Fingerprint> = []
        while let inode = waiting.popLast() {
            found.formUnion(gone.filter { inode.fingerprint.isSameInode(as: $0) })
            waiting += inode.entries.values
        }
        return found
    }

    func list(_ directory: LocalPath, being expected: Fingerprint?) throws(LocalError) -> [LocalItem] {
        looks += 1
        onLook()
        guard let inode = find(directory), inode.isDirectory else { throw .gone }
        try expect(inode, being: expected)
        return inode.entries.sorted { $0.key < $1.key }
            .map { item($0.value, at: directory.appending($0.key)) }
    }

    func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint {
        guard let inode = find(path) else { throw .gone }
        guard inode.fingerprint == fingerprint else { throw .changed }
        if inode.isBeingWritten { throw .inUse }
        onRead()
        try body(inode.bytes)
        return fingerprint
    }

    func stage(as name: String) throws(LocalError) -> any StagedFile { Staged(name) }
    func makeDurable(_ directories: Set<LocalPath>) throws(LocalError) {}

    func place(
        _ staged: any StagedFile, at path: LocalPath, in home: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint {
        guard let staged = staged as? Staged, let name = path.name, let directory = self.directory(of: path)
        else {
            throw .gone
        }
        try expect(directory, being: home)
        let present = directory.entries[name]
        guard present?.fingerprint == displacing else { throw .changed }
        if isFull { throw .full }
        defer { onPlace(path) }
        return try step { () throws(LocalError) in
            if let present { displace(present, as: staged.name) }
            let inode = makeInode(.file, mode: attributes.mode)
            inode.bytes = staged.bytes
            inode.isFlagged = staged.isFlagged
            apply(attributes, to: inode)
            directory.entries[name] = inode
            return inode.fingerprint
        }
    }

    func make(
        _ content: SmallContent, at path: LocalPath, in home: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        guard let name = path.name, let directory = self.directory(of: path) else { throw .gone }
        try expect(directory, being: home)
        guard directory.entries[name] == nil else { throw .changed }
        return try step { () throws(LocalError) in
            let inode: Inode
            switch content {
            case .directory: inode = makeInode(.directory, mode: attributes.mode)
            case .symlink(let target): inode = makeInode(.symlink(target: target), mode: 0o777)
            }
            apply(attributes, to: inode)
            directory.entries[name] = inode
            return inode.fingerprint
        }
    }

    func move(
        _ path: LocalPath, to destination: LocalPath, in home: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        onMove(self)
        guard let inode = find(path), let old = path.name, let new = destination.name,
            let from = directory(of: path), let to = directory(of: destination)
        else { throw .gone }
        try expect(to, being: home)
        guard isExpected(inode, expecting) else { throw .changed }
        if let present = to.entries[new], present !== inode { throw .changed }
        if let parked = destination.parkedName { ways[parked] = path }
        return try step { () throws(LocalError) in
            from.entries[old] = nil
            to.entries[new] = inode
            if let parked = path.parkedName { ways[parked] = nil }
            inode.changed = tick()
            return inode.fingerprint
        }
    }

    func remove(_ path: LocalPath, expecting: Fingerprint, displacedAs name: String) throws(LocalError) {
        guard let inode = find(path), let entry = path.name, let directory = self.directory(of: path) else {
            throw .gone
        }
        guard isExpected(inode, expecting), inode.entries.isEmpty else { throw .changed }
        try step { () throws(LocalError) in
            if inode.isFile { displace(inode, as: name) }
            directory.entries[entry] = nil
        }
    }

    func setAttributes(_ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint) throws(LocalError)
        -> Fingerprint
    {
        guard let inode = find(path) else { throw .gone }
        guard isExpected(inode, expecting) else { throw .changed }
        return try step { () throws(LocalError) in
            apply(attributes, to: inode)
            return inode.fingerprint
        }
    }

    func setFlag(at path: LocalPath) throws(LocalError) {
        guard let inode = find(path) else { throw .gone }
        try step { () throws(LocalError) in inode.isFlagged = true }
    }

    func takeDisplaced() throws(LocalError) -> [Displaced] {
        isStagingBusy
            ? []
            : staging.sorted { $0.key < $1.key }
                .map { Displaced(name: $0.key, fingerprint: $0.value.fingerprint) }
    }

    func look(atDisplaced name: String) throws(LocalError) -> Fingerprint? { staging[name]?.fingerprint }

    func readDisplaced(_ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void)
        throws(LocalError)
    {
        guard let inode = staging[displaced.name] else { throw .gone }
        try body(inode.bytes)
    }

    func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool {
        if staging[displaced.name]?.isFlagged == true { return true }
        var exclusions: [Bool] = []
        var waiting: [(LocalPath, Inode, Bool)] = [(LocalPath(), root, false)]
        while let (path, directory, isBelow) = waiting.popLast() {
            for (name, inode) in directory.entries {
                let child = path.appending(name)
                let isExcluded = isBelow || exclusion(inode, child) != nil
                if inode === staging[displaced.name] { exclusions.append(isExcluded) }
                waiting.append((child, inode, isExcluded))
            }
        }
        return !exclusions.isEmpty && exclusions.allSatisfy(\.self)
    }

    func keepDisplaced(
        _ staged: any StagedFile, _ attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        guard let staged = staged as? Staged else { throw .gone }
        let inode = makeInode(.file, mode: attributes.mode)
        inode.bytes = staged.bytes
        staging[staged.name] = inode
        return inode.fingerprint
    }

    func dropDisplaced(_ displaced: Displaced) throws(LocalError) { staging[displaced.name] = nil }

    func bringBackParked() throws(LocalError) -> [BroughtBack] {
        for (name, inode) in parking.entries.sorted(by: { $0.key < $1.key }) {
            let old = ways[String(name.dropFirst())] ?? LocalPath([String(name.dropFirst())])
            let directory = find(old.parent).flatMap { $0.isDirectory ? old.parent : nil } ?? LocalPath()
            let free = (0...100).lazy.map {
                directory.appending((old.name ?? "") + ($0 == 0 ? "" : " \($0)"))
            }
            .first { self.find($0) == nil }
            guard let free, let new = free.name else { continue }
            try step { () throws(LocalError) in
                ways[String(name.dropFirst())] = free
                parking.entries[name] = nil
                self.directory(of: free)?.entries[new] = inode
                inode.changed = tick()
            }
        }
        return ways.sorted { $0.key < $1.key }.map { BroughtBack(name: $0.key, path: $0.value) }
    }

    func forgetBroughtBack(_ item: BroughtBack) throws(LocalError) { ways[item.name] = nil }

    // MARK: Steps

    /// Dies before the change, or right behind it.
    private func step<Value>(_ change: () throws(LocalError) -> Value) throws(LocalError) -> Value {
        steps += 2
        if let crashAt, crashAt <= steps - 2 { throw .ended }
        let value = try change()
        if crashAt == steps - 1 { throw .ended }
        return value
    }

    private func isExpected(_ inode: Inode, _ expected: Fingerprint) -> Bool {
        inode.isDirectory ? inode.fingerprint.isSameInode(as: expected) : inode.fingerprint == expected
    }

    private func apply(_ attributes: Attributes, to inode: Inode) {
        inode.mode = attributes.mode
        inode.extended = attributes.extended
        inode.modified = attributes.modified
        inode.changed = tick()
    }
}
