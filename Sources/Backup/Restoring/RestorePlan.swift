public import Posix
public import SandboxRules
internal import SystemPackage

/// What a restore of one domain is to write, looked at before the first byte is.
public struct RestorePlan: Sendable, Equatable {
    public let domain: String
    let container: BackedUpContainer
    /// What will be made.
    public internal(set) var items = 0
    public internal(set) var files = 0
    /// Of the content of all files.
    public internal(set) var bytes: Int64 = 0
    /// Items that no restore brings back (the system's own, SandboxRules.BackupRule).
    public internal(set) var leftOut = 0
    /// Whether what is damaged loses itself alone.
    let salvages: Bool
    /// Items of the list that contradict themselves, where they lose themselves alone.
    var lost = NamedItems(most: 100)
}

/// A backup that apps are restored from, wherever it lies. A conforming type has checked each item as far as
/// `StoredItem` does; `RestorePlan` checks their order, their sizes, and whether two want the same place.
public protocol StoredBackup {
    /// The apps that it has data of, with their versions.
    var apps: [BackedUpApp] { get }
    /// The names of all domains, sorted.
    func domains() throws(BackupError) -> [String]
    /// Calls `body` with each item of a domain; memory does not grow with them.
    /// - Parameters:
    ///   - kind: others may be left out.
    ///   - refused: told of each item that is not as it should be; one ends it where this is nil.
    func forEachItem(
        in domain: String, maybe kind: RowKind?, refused: ((RefusedRow) throws -> Void)?,
        _ body: (StoredItem) throws -> Void
    ) throws
    /// Compares a file with where its content lies, without reading it.
    func check(_ item: StoredItem) throws
    /// Hands on a file's content from first to last; throws at the end where it is not what was backed up.
    func read(_ item: StoredItem, _ body: ([UInt8]) throws -> Void) throws
}

extension BackupReader: StoredBackup {
    public var apps: [BackedUpApp] { summary.apps }

    public func read(_ item: StoredItem, _ body: ([UInt8]) throws -> Void) throws {
        let content = try content(of: item)
        while let piece = try content.next() { try body(piece) }
    }
}

extension BackupReader {
    /// The domain of an app's data.
    public static func domain(ofApp bundleID: String) -> String { "AppDomain-\(bundleID)" }

    /// The domain of a group.
    public static func domain(ofGroup group: String) -> String { "AppDomainGroup-\(group)" }

    /// What container a domain is; nil for those that are not restored (a system's, an extension's).
    public static func container(of domain: String) -> BackedUpContainer? {
        if domain.hasPrefix("AppDomain-") { return .appData }
        return domain.hasPrefix("AppDomainGroup-") ? .group : nil
    }

    /// The app or group that a domain belongs to; nil for a domain of the system.
    public static func owner(of domain: String) -> (identifier: String, isGroup: Bool)? {
        guard let container = container(of: domain) else { return nil }
        let isGroup = container == .group
        return (String(domain.dropFirst((isGroup ? "AppDomainGroup-" : "AppDomain-").utf8.count)), isGroup)
    }
}

extension StoredBackup {
    /// How many bytes the files of these domains have in all, as the backup says; of a domain that is damaged
    /// what comes before the damage.
    public func fileBytes(in domains: Set<String>) -> Int64 {
        var bytes: Int64 = 0
        for domain in domains {
            try? forEachItem(in: domain, maybe: .file, refused: nil) { item in
                bytes = bytes.addingSaturated(max(0, item.sizeBytes))
            }
        }
        return bytes
    }

    /// Looks at all of a domain: paths, links, sizes, blobs, keys.
    ///
    /// - Parameters:
    ///   - limitBytes: more content than that is refused, whatever the blobs' sizes say.
    ///   - salvages: what is damaged is found when it is written, and loses itself alone.
    /// - Throws: `notThere`; `refused` for a domain that is not an app's; `noRoom`; `damaged`.
    public func plan(
        _ domain: String, limitBytes: Int64, salvages: Bool = false
    ) throws(BackupError) -> RestorePlan {
        guard let container = BackupReader.container(of: domain) else {
            throw BackupError(.refused, "\(domain) is no app's and no group's: it cannot be restored")
        }
        var plan = RestorePlan(domain: domain, container: container, salvages: salvages)
        try BackupError.translating("list the backup") {
            let lost = LostNotes(plan.lost)
            let refused: ((RefusedRow) throws -> Void)? = salvages ? { lost.items.add($0.text) } : nil
            try forEachItem(in: domain, maybe: nil, refused: refused) { item in
                if try plan.add(item, limitBytes: limitBytes), !salvages { try self.check(item) }
            }
            plan.lost = lost.items
        }
        guard plan.items + plan.leftOut > 0 else {
            throw BackupError(.notThere, "this backup has nothing of \(domain)")
        }
        return plan
    }

    /// Writes what was planned into `target`, a directory that nobody else sees yet and that has nothing at
    /// those paths but directories. Not synchronized to the disk. A failure leaves it half: throw it away.
    ///
    /// - Parameter progress: told after each item and each piece of a file; what it throws ends this.
    /// - Throws: `damaged` where contents, links or doubled paths show only now.
    public func restore(
        _ plan: RestorePlan, into target: borrowing Descriptor, owner: Owner? = nil,
        progress: (RestoreReport) throws -> Void = { _ in }
    ) throws(BackupError) -> RestoreReport {
        let raw = target.raw
        return try BackupError.translating("restore \(plan.domain)") {
            let writer = try TreeWriter(root: raw, owner: owner)
            var report = RestoreReport()
            let lost = LostNotes(plan.lost)
            // More than once through the list, which costs less than to sort a million paths in memory.
            try self.forEachTaken(plan, .directory, lost) { item in
                try writer.makeDirectory(item.path)
                try report.add(item, progress)
            }
            for kind in [RowKind.file, .symlink] {
                try self.forEachTaken(plan, kind, lost) { item in
                    var part = report
                    try self.write(item, to: writer) { count in
                        part.bytes += count
                        try progress(part)
                    }
                    try report.add(item, progress)
                }
            }
            try self.forEachTaken(plan, .directory, lost) { item in
                try writer.finish(directory: item.path, item.writtenAttributes)
            }
            try writer.finishAll()
            (report.leftOut, report.lost) = (writer.leftOut, lost.items)
            return report
        }
    }

    private func forEachTaken(
        _ plan: RestorePlan, _ kind: RowKind, _ lost: LostNotes, _ body: (StoredItem) throws -> Void
    ) throws {
        // Those were noted as it was planned.
        let refused: ((RefusedRow) throws -> Void)? = plan.salvages ? { _ in } : nil
        try forEachItem(in: plan.domain, maybe: kind, refused: refused) { item in
            guard item.rowKind == kind, plan.takes(item) else { return }
            do throws(BackupError) { try Self.write(item, body) } catch {
                guard plan.salvages, [.damaged, .refused].contains(error.kind) else { throw error }
                lost.items.add(error.what)
            }
        }
    }

    private static func write(
        _ item: StoredItem, _ body: (StoredItem) throws -> Void
    ) throws(BackupError) {
        let name = "\(item.domain)/\(item.path)"
        try BackupError.translating("restore \(name)") {
            do { try body(item) } catch let error as Errno {
                switch error {
                // Another item has this path, or a link or a file stands where a directory should.
                case .fileExists, .notDirectory, .tooManySymbolicLinkLevels, .improperLink:
                    throw BackupError.damaged("\(name) is in another item's way")
                case .fileNameTooLong:
                    throw BackupError(.refused, "\(name) has a name that no disk here can hold")
                default: throw error
                }
            }
        }
    }

    /// - Parameter wrote: told of each piece of a file.
    private func write(
        _ item: StoredItem, to writer: TreeWriter, _ wrote: (Int64) throws -> Void
    ) throws {
        if case .symlink(let text) = item.kind {
            return try writer.makeSymlink(
                item.path, text: text, modified: .init(seconds: item.modifiedSeconds))
        }
        try writer.makeFile(item.path, item.writtenAttributes, discardsHalf: true) { file in
            var target = SparseFile(file.raw)
            try self.read(item) {
                try target.write($0)
                try wrote(Int64($0.count))
            }
            try target.finish()
        }
    }
}

/// How far a restore is.
public struct RestoreReport: Sendable, Equatable {
    public internal(set) var items = 0
    public internal(set) var files = 0
    public internal(set) var bytes: Int64 = 0
    /// Extended attributes that items could not be given: path and name of each.
    public internal(set) var leftOut = NamedItems(most: 5)
    /// What was damaged, and how, where that loses itself alone.
    public internal(set) var lost = NamedItems(most: 100)

    fileprivate mutating func add(_ item: StoredItem, _ progress: (RestoreReport) throws -> Void) throws {
        items += 1
        if item.kind == .file {
            files += 1
            bytes = bytes.addingSaturated(item.sizeBytes)
        }
        try progress(self)
    }
}

private final class LostNotes {
    var items: NamedItems

    init(_ items: NamedItems) { self.items = items }
}

extension RestorePlan {
    /// - Returns: whether the item is a file that will be written.
    fileprivate mutating func add(_ item: StoredItem, limitBytes: Int64) throws(BackupError) -> Bool {
        guard takes(item) else {
            leftOut += 1
            return false
        }
        guard salvages || item.rowKind != .symlink || !LongName.isLong(item.path.directoryAndName.name) else {
            throw BackupError(
                .refused,
                "\(domain)/\(item.path) is a link with a name of more than \(LongName.diskLimitBytes) bytes: "
                    + "no disk here can hold it; --salvage restores all but it")
        }
        items += 1
        guard item.kind == .file else { return false }
        files += 1
        let (sum, isOver) = bytes.addingReportingOverflow(item.sizeBytes)
        guard !isOver, sum <= limitBytes else {
            throw BackupError(
                .noRoom,
                "\(domain) holds more than there is room for (\(limitBytes) bytes); free some and try again")
        }
        bytes = sum
        return true
    }

    /// Not the root, whose rights are the container's, and nothing that iOS's own restore leaves out.
    fileprivate func takes(_ item: StoredItem) -> Bool {
        !item.path.isEmpty
            && BackupRule.includes(relativePath: item.path, kind: ItemKind(mode: item.mode), in: container)
    }
}

extension StoredItem {
    /// What it has besides its content, once it is written.
    var writtenAttributes: TreeWriter.Attributes {
        TreeWriter.Attributes(mode: mode, modified: .init(seconds: modifiedSeconds), list: record.attributes)
    }
}
