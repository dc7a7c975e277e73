package import Backup
internal import CLinux
internal import Crypto
internal import Databases
package import Posix
internal import SystemPackage

/// Writes a snapshot into a folder that nobody else sees yet.
package final class SnapshotWriter {
    /// Ends the work by what it throws.
    package typealias Check = () throws -> Void

    /// What a snapshot has, and what it could not read.
    package struct Report: Sendable {
        package fileprivate(set) var items = 0
        package fileprivate(set) var files = 0
        package fileprivate(set) var bytes: UInt64 = 0
        package fileprivate(set) var leftOut: [LeftOutItem] = []
    }

    package private(set) var report = Report()
    let folder: SharedDescriptor
    private let rows: SnapshotRows
    /// What is unchanged since then is not read again.
    private let base: HomeSnapshot?
    private let check: Check

    /// A property list that is larger is compared as other files are.
    static let propertyListLimitBytes = 8 << 20
    /// A database that is larger is not kept: its tables are counted.
    static let databaseLimitBytes: UInt64 = 64 << 20

    /// - Parameters:
    ///   - folder: an empty directory.
    ///   - takenAt: seconds since 1970.
    package init(
        in folder: SharedDescriptor, app: String, takenAt: Int64, base: HomeSnapshot?,
        check: @escaping Check
    ) throws {
        self.folder = folder
        self.base = base
        self.check = check
        rows = try SnapshotError.translating("write the snapshot") {
            _ = try FileTree.makeDirectory(folder.raw, SnapshotFile.databases, mode: 0o700)
            return try SnapshotRows(in: folder.raw, app: app, takenAt: takenAt)
        }
    }

    /// Takes all items of a container.
    ///
    /// - Parameters:
    ///   - tree: with the rule `.everything`, and with a way to copy databases.
    ///   - group: nil: the app's home.
    ///   - isEvicted: whether the file at a path has its content in the cloud alone.
    package func add(
        _ tree: DomainTree, group: String?, isEvicted: (String) throws -> Bool
    ) throws {
        try SnapshotError.translating("take the snapshot") {
            var leftOut: [LeftOutItem] = []
            try tree.walk(
                visit: { item in
                    try check()
                    guard Self.belongs(item.path, group) else { return }
                    try take(item, of: tree, group, try isEvicted(item.path))
                }, leaveOut: { leftOut.append($0) })
            for left in leftOut where Self.belongs(left.path, group) { try leaveOut(left, group) }
        }
    }

    /// Makes the snapshot readable, and waits for the disk.
    package func finish() throws {
        try SnapshotError.translating("write the snapshot") {
            try rows.finish()
            try valueOrErrno(lx_syncfs(folder.raw))
        }
    }

    /// What the system keeps in a container is not the app's.
    private static func belongs(_ path: String, _ group: String?) -> Bool {
        guard let top = path.pathParts.first else { return false }
        return group == nil ? ["Documents", "Library", "tmp"].contains(top) : !top.hasPrefix(".com.apple.")
    }

    private func leaveOut(_ left: LeftOutItem, _ group: String?) throws {
        report.leftOut.append(left)
        guard left.reason == .unsupportedKind else { return }
        // It is there, and a later snapshot may lack it.
        let place = SnapshotItem.Place(group: group, path: left.path)
        try rows.insert(SnapshotItem(place: place, kind: .special), content: nil)
    }

    private func take(
        _ item: BackupItem, of tree: DomainTree, _ group: String?, _ isEvicted: Bool
    ) throws {
        var row = SnapshotItem(item, group: group)
        row.isEvicted = isEvicted
        report.items += 1
        switch item.kind {
        case .directory, .symlink: try rows.insert(row, content: nil)
        case .file, .database:
            report.files += 1
            report.bytes += item.stamp.sizeBytes
            if isEvicted {
                try rows.insert(row, content: nil)
                return
            }
            if try takeUnchanged(row) { return }
            if item.kind == .database, try takeDatabase(item, row, of: tree) { return }
            try takeFile(item, row, of: tree)
        }
    }

    /// Takes what the base has of a file with the same stamp.
    /// - Returns: false where it has changed, or may have.
    private func takeUnchanged(_ row: SnapshotItem) throws -> Bool {
        guard let (number, before) = try base?.item(at: row.place), before.isComparable,
            before.kind == row.kind, before.hasStamp(of: row)
        else { return false }
        var row = row
        (row.digest, row.isComparable) = (before.digest, true)
        let content = row.kind == .file ? try base?.content(of: number) : nil
        let own = try rows.insert(row, content: content)
        guard row.kind == .database else { return true }
        for table in try base?.tables(of: number) ?? [] { try rows.insert(table, of: own) }
        if let copy = try base?.databaseFile(of: number) {
            let databases = try FileTree.openDirectory(folder.raw, SnapshotFile.databases)
            let target = try FileTree.createFile(databases.raw, String(own))
            try FileCopy.contents(of: copy.raw, to: target.raw)
        }
        return true
    }

    private func takeFile(_ item: BackupItem, _ row: SnapshotItem, of tree: DomainTree) throws {
        var row = row
        let (read, content) = try read(item, of: tree)
        switch read {
        case .gone: return
        case .unreadable: leaveOut(item, of: tree, .unreadable)
        case .whole(let stamp, let isComparable):
            row.take(stamp)
            row.isComparable = isComparable
            row.digest = content.digest
        case .changing(let stamp):
            row.take(stamp)
            row.digest = content.digest
            leaveOut(item, of: tree, .changing)
        }
        try rows.insert(row, content: content.propertyList)
    }

    private func read(_ item: BackupItem, of tree: DomainTree) throws -> (ItemRead, FileContent) {
        var content = FileContent(named: item.name)
        let begin = { content = FileContent(named: item.name) }
        let read = try tree.read(item, begin: begin) {
            try check()
            content.take($0)
        }
        return (read, content)
    }

    private func leaveOut(_ item: BackupItem, of tree: DomainTree, _ reason: LeftOutItem.Reason) {
        report.leftOut.append(LeftOutItem(domain: tree.domain, path: item.path, reason: reason))
    }

    /// - Returns: false where it cannot be copied as one now.
    private func takeDatabase(_ item: BackupItem, _ row: SnapshotItem, of tree: DomainTree) throws -> Bool {
        var row = row
        row.isComparable = try tree.isAlone(item)
        row.digest = try digest(ofFilesOf: item, in: tree)
        let number = rows.next
        let name = String(number)
        let databases = try FileTree.openDirectory(folder.raw, SnapshotFile.databases)
        let isCopied: Bool
        do {
            let copy = SharedDescriptor(try FileTree.createFile(databases.raw, name))
            isCopied = try tree.copyDatabase(item, to: copy.raw)
            let isLarge = try ItemStamp(of: copy.raw).sizeBytes > Self.databaseLimitBytes
            if isCopied, !isLarge {
                try rows.insert(row, content: nil)
                return true
            }
        }
        defer { try? TreeRemoval.remove(databases.raw, name) }
        guard isCopied else {
            leaveOut(item, of: tree, .databaseBusy)
            return false
        }
        // One that SQLite cannot read to its end is compared by its digest.
        let tables = try? TableSummary.all(of: DatabaseContents(in: databases.raw, name), check)
        try check()
        try rows.insert(row, content: nil)
        for table in tables ?? [] { try rows.insert(table, of: number) }
        return true
    }

    /// Of the database and its log or journal, as they are found.
    private func digest(ofFilesOf item: BackupItem, in tree: DomainTree) throws -> [UInt8] {
        var hash = SHA256()
        for part in [item] + (try tree.parts(of: item)) where !part.name.hasSuffix("-shm") {
            let (_, content) = try read(part, of: tree)
            if part.path == item.path || part.stamp.sizeBytes > 0 { hash.update(data: content.digest) }
        }
        return Array(hash.finalize())
    }
}

/// What is read of one file.
private struct FileContent {
    private var hash = SHA256()
    private var kept: [UInt8]?
    private let isNamedAsPropertyList: Bool

    init(named name: String) {
        isNamedAsPropertyList = name.hasSuffix(".plist")
        kept = []
    }

    mutating func take(_ piece: [UInt8]) {
        hash.update(data: piece)
        guard let had = kept else { return }
        let mayBeKept =
            had.count + piece.count <= SnapshotWriter.propertyListLimitBytes
            && (!had.isEmpty || isNamedAsPropertyList || piece.starts(with: Array("bplist".utf8)))
        if mayBeKept { kept?.append(contentsOf: piece) } else { kept = nil }
    }

    var digest: [UInt8] { Array(hash.finalize()) }

    /// All of it, where it can be a property list.
    var propertyList: [UInt8]? { kept?.isEmpty == true ? nil : kept }
}

extension SnapshotItem {
    /// As the walk found it.
    fileprivate init(_ item: BackupItem, group: String?) {
        let kind: Kind
        var target: String?
        switch item.kind {
        case .file: kind = .file
        case .database: kind = .database
        case .directory: kind = .directory
        case .symlink(let text): (kind, target) = (.symlink, text)
        }
        self.init(place: Place(group: group, path: item.path), kind: kind)
        self.target = target
        attributes = item.attributes.map { Attribute(name: $0.name, value: $0.value) }
        take(item.stamp)
    }

    fileprivate mutating func take(_ stamp: ItemStamp) {
        (sizeBytes, permissions, inode) = (stamp.sizeBytes, stamp.permissions, stamp.inode)
        (modified, changed, birth) = (stamp.modified, stamp.changed, stamp.birth)
    }
}
