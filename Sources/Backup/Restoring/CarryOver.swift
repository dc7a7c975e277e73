internal import CLinux
public import Posix
public import SandboxRules
internal import SystemPackage

/// What a restored container takes over from the one that it replaces: items that no backup holds (flagged
/// ones, and the system's own directories), and where asked whatever in Documents the backup lacks.
public enum CarryOver {
    /// Which items.
    public enum Extent: Sendable {
        /// What belongs to no backup.
        case excluded
        /// That, and all in Documents that the backup lacks: for an app that syncs, where missing would mean
        /// deleted.
        case documents
        /// Nothing but the latter: a package of the whole container has the excluded items itself.
        case documentsOnly
        case nothing
        /// All of it: into an empty container.
        case everything
    }

    /// Copies from `old` into `target`, which is restored already and which nobody else sees.
    ///
    /// Where both have an item, the restored one stays; it gets the skip flag that the old one has, for what
    /// was flagged must not leave the device.
    /// - Parameter names: how the app compares them: an item that both spell differently is one.
    /// - Returns: what was copied; `behind`: how many files of the old container are in the new one not at
    ///   all, or differ from it in size or time.
    /// - Throws: `refused` where a folder stands against a file, and all of Documents has to stay.
    public static func run(
        from old: SharedDescriptor, into target: borrowing Descriptor, _ extent: Extent, limitBytes: Int64,
        names: NamePolicy = .device, owner: Owner? = nil,
        progress: @escaping BackupWriter.Progress = { _ in }
    ) throws(BackupError) -> (report: BackupReport, behind: Int) {
        let raw = target.raw
        return try BackupError.translating("keep what the backup lacks") {
            let tree = DomainTree(domain: "", root: old, rule: .everything)
            let run = CarryOverRun(
                TreeCopy(tree, try TreeWriter(root: raw, owner: owner), limitBytes: limitBytes), into: raw,
                extent)
            let respelling = Respelling(in: raw, names)
            try tree.walk(
                visit: { item in
                    try run.meet(item.at(try respelling.path(of: item.path)))
                    try progress(run.report)
                }, leaveOut: run.leaveOut)
            try run.finish()
            return (run.report, run.behind)
        }
    }
}

private final class CarryOverRun {
    private let copy: TreeCopy
    private let target: Int32
    private let extent: CarryOver.Extent
    private(set) var behind = 0
    var report: BackupReport { copy.report }

    // The flagged directory that the walk is in, and the one where a file stands against.
    private var flagged: String?
    private var blocked: String?
    // The directories that the walk is in, for those that have to be made before what lies in them.
    private var above: [(path: String, written: TreeWriter.Attributes)] = []
    private var made: [(path: String, written: TreeWriter.Attributes)] = []
    // When the restored directories were changed last that something comes into.
    private var times: [String: Int64] = [:]
    // Databases that were taken over with their logs.
    private var databases: Set<String> = []

    init(_ copy: TreeCopy, into target: Int32, _ extent: CarryOver.Extent) {
        self.copy = copy
        self.target = target
        self.extent = extent
    }

    func meet(_ item: BackupItem) throws {
        let path = item.path
        guard !path.isEmpty, isLookedAt(path.pathParts[0]) else { return }
        above.removeAll { !path.isPath(in: $0.path) }
        if let inside = flagged, !path.isPath(in: inside) { flagged = nil }
        if let inside = blocked, !path.isPath(in: inside) { blocked = nil }
        let isDirectory = item.kind == .directory
        if item.isFlagged, isDirectory, flagged == nil { flagged = path }
        defer { if isDirectory { above.append((path, item.written)) } }
        guard blocked == nil else { return }
        guard let there = try stamp(path) else {
            if try isTaken(item) { try take(item) } else { noteBehind(item) }
            return
        }
        try keep(there, item)
    }

    /// What cannot be read, or not be named, is missed as well.
    func leaveOut(_ item: LeftOutItem) {
        if isLookedAt(item.path.pathParts.first ?? ""), item.reason != .unsupportedKind { behind += 1 }
    }

    private func isLookedAt(_ top: String) -> Bool {
        // A group's own directories have any name; the containers' metadata is of one container only.
        if extent == .everything { return top != Place.metadataFileName.description }
        return ["Documents", "Library", "SystemData"].contains(top)
    }

    /// At the end: rights and times of the directories that were made.
    func finish() throws {
        for (path, modified) in times {
            let time = timespec(nanoseconds: modified)
            try valueOrErrno(lx_utimensat(target, LongName.storedPath(for: path), [time, time]))
        }
        for directory in made.reversed() {
            try copy.writer.finish(directory: directory.path, directory.written)
        }
        try copy.writer.finishAll()
    }

    private func isTaken(_ item: BackupItem) throws -> Bool {
        let isDocument = item.path.isPath(in: "Documents")
        switch extent {
        case .nothing: return false
        case .everything: break
        case .documentsOnly: guard isDocument else { return false }
        case .documents: if !isDocument, !isExcluded(item) { return false }
        case .excluded: if !isExcluded(item) { return false }
        }
        return try !isForeignLog(item)
    }

    private func isExcluded(_ item: BackupItem) -> Bool {
        item.isFlagged || flagged != nil
            || !BackupRule.includes(relativePath: item.path, kind: ItemKind(mode: item.stamp.mode))
    }

    /// The log of a database that the backup has: beside another database than its own it would be taken for
    /// part of that.
    private func isForeignLog(_ item: BackupItem) throws -> Bool {
        guard item.kind == .file, let database = DatabaseCompanion.databaseName(of: item.path) else {
            return false
        }
        return try !databases.contains(database) && stamp(database) != nil
    }

    private func take(_ item: BackupItem) throws {
        if let parent = above.last?.path, times[parent] == nil, let there = try stamp(parent) {
            times[parent] = there.modified
        }
        for directory in above where try stamp(directory.path) == nil {
            try copy.writer.makeDirectory(directory.path)
            made.append(directory)
        }
        if item.kind == .directory { made.append((item.path, item.written)) }
        if item.kind == .file, try DatabaseFiles.hasParts(item.name, in: item.directory) {
            databases.insert(item.path)
        }
        if try !copy.copy(item, { _ in }) { noteBehind(item) }
    }

    /// The restored item stays.
    private func keep(_ there: ItemStamp, _ item: BackupItem) throws {
        let isDirectory = item.kind == .directory
        guard there.isDirectory == isDirectory else {
            if extent == .documents || extent == .documentsOnly, item.path != "Documents",
                item.path.isPath(in: "Documents")
            {
                throw BackupError(
                    .refused,
                    "\(item.path) is \(isDirectory ? "a folder" : "no folder") here and "
                        + "\(isDirectory ? "none" : "one") in the backup, and the app syncs: move it first"
                )
            }
            if isDirectory { blocked = item.path } else { noteBehind(item) }
            return
        }
        if item.isFlagged, there.isDirectory || there.isRegular {
            for attribute in item.written.list where attribute.isSkipFlag {
                // It was one of a file on this disk.
                let path = LongName.storedPath(for: item.path)
                guard try AttributeList.set(attribute, target, path) else { throw Errno.noSpace }
            }
        }
        let isSame =
            there.sizeBytes == item.stamp.sizeBytes
            && wholeSeconds(ofNanoseconds: there.modified) == wholeSeconds(ofNanoseconds: item.stamp.modified)
        if !isDirectory, !isSame { noteBehind(item) }
    }

    private func noteBehind(_ item: BackupItem) {
        if item.kind == .file || item.kind == .database { behind += 1 }
    }

    private func stamp(_ path: String) throws(Errno) -> ItemStamp? {
        do throws(Errno) { return try ItemStamp(target, LongName.storedPath(for: path)) } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
    }
}

extension BackupItem {
    /// The same, to be put at another path.
    fileprivate func at(_ path: String) -> BackupItem {
        BackupItem(
            path: path, kind: kind, stamp: stamp, attributes: attributes, directory: directory, name: name)
    }

    fileprivate var isFlagged: Bool { written.list.contains(where: \.isSkipFlag) }
}

extension FileRecord.Attribute {
    /// Whether it keeps its item out of backups.
    fileprivate var isSkipFlag: Bool {
        Array(name.utf8).withUnsafeBytes { name in
            value.withUnsafeBytes { SkipBackup.isSet(name: name, value: $0) }
        }
    }
}
