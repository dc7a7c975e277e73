internal import CLinux
public import Posix
public import SandboxRules
internal import SystemPackage

/// One domain that goes into a backup, an app's container or a group's: the walk of a directory with iOS's
/// lists and the skip flag.
///
/// A flagged directory hides all below it, whatever is said further down; it is not listed itself either. The
/// flag lies on the inode: of a file with several names, a flag that was set through one of them keeps all of
/// them out, for they are one file.
public struct DomainTree {
    /// Copies the database at `path` (from the domain's root) to the start of `target`; false: not now.
    public typealias CopyDatabase = @Sendable (_ path: String, _ target: Int32) throws -> Bool
    /// Runs a walk of the domain while nobody moves items behind its back.
    public typealias Guard = @Sendable (_ walk: () throws -> Void) throws -> Void

    /// Which items there are.
    public enum Rule: Sendable {
        /// What a backup of such a container holds.
        case backup(BackedUpContainer)
        /// All of it, flagged items too: for a package of the whole container.
        case everything
    }

    /// `AppDomain-<bundle identifier>` or `AppDomainGroup-<group identifier>`.
    public let domain: String
    let root: SharedDescriptor
    let rule: Rule
    let copiesDatabase: CopyDatabase?
    let guards: Guard?

    /// - Parameters:
    ///   - root: the container's directory, opened for reading.
    ///   - copyDatabase: given, a database and its log go into the backup as one file; otherwise every file
    ///     as it is found.
    public init(
        domain: String, root: SharedDescriptor, rule: Rule, copyDatabase: CopyDatabase? = nil,
        guarding: Guard? = nil
    ) {
        self.domain = domain
        self.root = root
        self.rule = rule
        copiesDatabase = copyDatabase
        guards = guarding
    }

    /// Meets every item that belongs into the backup, the root first and each directory before what is in it.
    ///
    /// - Parameters:
    ///   - visit: may ask for the item's content until it returns; whatever it throws ends the walk.
    ///   - leaveOut: told of each item that stays out for a reason that a person should know.
    public func walk(visit: (BackupItem) throws -> Void, leaveOut: (LeftOutItem) -> Void) throws {
        guard let guards else { return try walkAll(visit, leaveOut) }
        try guards { try walkAll(visit, leaveOut) }
    }

    private func walkAll(_ visit: (BackupItem) throws -> Void, _ leaveOut: (LeftOutItem) -> Void) throws {
        var levels: [Level] = []
        let top = try FileTree.openDirectory(root.raw, ".")
        let attributes = try AttributeList.read(top.raw, "")
        try visit(
            BackupItem(
                path: "", kind: .directory, stamp: try ItemStamp(of: top.raw),
                attributes: rule.takesFlagged ? attributes.attributes.map { ($0.name, $0.value) } : [],
                directory: root.raw, name: "."))
        levels.append(Level(path: "", top))
        while let level = levels.last {
            guard let bytes = try level.next() else {
                levels.removeLast()
                continue
            }
            if let below = try meet(bytes, in: level, visit, leaveOut) { levels.append(below) }
        }
    }

    /// Opens a file for reading; never anything but a regular file.
    func open(_ item: BackupItem) throws(Errno) -> Descriptor {
        guard let file = try FileTree.openFile(item.directory, item.name) else {
            throw .noSuchFileOrDirectory
        }
        return file
    }

    /// A directory that is being walked.
    private final class Level {
        let path: String
        private let directory: Descriptor
        private var entries = DirectoryEntries()
        var raw: Int32 { directory.raw }

        init(path: String, _ directory: consuming Descriptor) {
            self.path = path
            self.directory = directory
        }

        /// The next name's bytes; nil at the end.
        func next() throws(Errno) -> [UInt8]? {
            while let entry = try entries.next(of: raw) {
                if !entry.name.isDotOrDotDot { return Array(entry.name.bytes) }
            }
            return nil
        }

        func below(_ name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }
    }

    /// Visits the item `bytes` where it belongs into the backup.
    /// - Returns: what is to be walked next, for a directory.
    private func meet(
        _ bytes: [UInt8], in level: Level, _ visit: (BackupItem) throws -> Void,
        _ leaveOut: (LeftOutItem) -> Void
    ) throws -> Level? {
        guard let stored = String(validating: bytes, as: UTF8.self) else {
            let shown = String(decoding: bytes, as: UTF8.self)
            leaveOut(LeftOutItem(domain: domain, path: level.below(shown), reason: .nameNotUTF8))
            return nil
        }
        let path = level.below(AttributeList.longName(ofStored: stored, in: level.raw) ?? stored)
        let found: BackupItem
        let below: Level?
        do {
            guard let item = try item(stored, path, in: level, leaveOut) else { return nil }
            // Opened before it is visited: one that cannot be read is not in the backup as if it were empty.
            below =
                item.kind == .directory
                ? Level(path: path, try FileTree.openDirectory(level.raw, stored)) : nil
            found = item
        } catch let error as Errno {
            guard let reason = try Self.leftOut(error) else { return nil }
            leaveOut(LeftOutItem(domain: domain, path: path, reason: reason))
            return nil
        }
        // Not above: an error of the visitor says nothing of the item, and may be one of writing its copy.
        try visit(found)
        return below
    }

    /// The item that lies under `name`; nil where it stays out.
    private func item(
        _ name: String, _ path: String, in level: Level, _ leaveOut: (LeftOutItem) -> Void
    ) throws -> BackupItem? {
        let stamp = try ItemStamp(level.raw, name)
        let kind = ItemKind(mode: stamp.mode)
        if let exclusion = rule.exclusion(of: path, kind: kind) {
            if let reason = exclusion.reasonToTell {
                leaveOut(LeftOutItem(domain: domain, path: path, reason: reason))
            }
            return nil
        }
        // Links have no attributes of ours: Linux keeps `user.` ones on files and directories only.
        let read = kind == .symlink ? AttributeList.Contents() : try AttributeList.read(level.raw, name)
        if read.isSkipped && !rule.takesFlagged {
            leaveOut(LeftOutItem(domain: domain, path: path, reason: .flagged))
            return nil
        }
        guard let contents = try contents(kind, name, in: level.raw) else { return nil }
        return BackupItem(
            path: path, kind: contents, stamp: stamp,
            attributes: read.attributes.map { ($0.name, $0.value) }, directory: level.raw, name: name)
    }

    /// nil for a file that is part of a database.
    private func contents(_ kind: ItemKind, _ name: String, in directory: Int32) throws -> BackupItem.Kind? {
        switch kind {
        case .directory: return .directory
        case .symlink: return .symlink(try LinkText.read(directory, name))
        case .file, .special:
            guard copiesDatabase != nil else { return .file }
            if try DatabaseFiles.isPart(name, in: directory) { return nil }
            return try DatabaseFiles.isDatabase(name, in: directory) ? .database : .file
        }
    }

    /// nil for what was removed while we looked: then it is not missing.
    private static func leftOut(_ error: Errno) throws -> LeftOutItem.Reason? {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels: nil
        case _ where error.isUnreadableItem: .unreadable
        default: throw error
        }
    }
}

extension DomainTree.Rule {
    var takesFlagged: Bool {
        if case .everything = self { true } else { false }
    }

    fileprivate func exclusion(of path: String, kind: ItemKind) -> BackupRule.Exclusion? {
        switch self {
        case .backup(let container): BackupRule.exclusion(of: path, kind: kind, in: container)
        case .everything: kind == .special ? .unsupportedKind : nil
        }
    }
}

extension BackupRule.Exclusion {
    /// What a person should hear of; the rest is as on every device.
    fileprivate var reasonToTell: LeftOutItem.Reason? {
        switch self {
        case .outsideRoots, .systemDirectory, .saveLeftover: nil
        case .unsupportedKind: .unsupportedKind
        case .pathTooLong: .pathTooLong
        }
    }
}
