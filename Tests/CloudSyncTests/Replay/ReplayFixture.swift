import CloudStore
import SyncChecks
import TestKit

@testable import CloudSync
@testable import SyncLog

/// Where a tree is kept; every rule's test runs on both.
enum StorageKind: CaseIterable, Sendable {
    case memory
    case database
}

/// A tree and the log that makes it, said in few words: devices are numbers, files too.
struct ReplayFixture: ~Copyable {
    private(set) var storage: any SyncStorage = MemoryStorage()
    let rules: SafetyRules
    /// The same tree, each of whose commits came in parts of one operation.
    private let inParts = MemoryStorage()
    private let folder: TemporaryFolder?
    private var log = ModelLog()
    private var numbers: [UInt128: UInt64] = [:]

    init(_ kind: StorageKind = .memory, rules: SafetyRules = .all) throws {
        folder = try Self.open(kind, storage: &storage)
        self.rules = rules
    }

    private static func open(
        _ kind: StorageKind, storage: inout any SyncStorage
    ) throws -> TemporaryFolder? {
        if kind == .memory { return nil }
        let folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.path + "/tree.sqlite")
        return folder
    }

    /// Commits a batch of one device.
    /// - Returns: the revision of its first operation.
    @discardableResult
    mutating func commit(_ device: UInt128, _ operations: Operation...) throws -> Revision {
        numbers[device, default: 0] += 1
        let batch = Batch(
            device: DeviceID(bits: device), n: numbers[device, default: 1], operations: operations)
        try commit(batch)
        return batch.revision(of: 0)
    }

    @discardableResult
    mutating func commit(_ batch: Batch) throws -> TreeChange {
        log.append(batch)
        let change = try storage.pull(log, rules: rules)
        try inParts.pull(log, inPartsOf: 1, rules: rules)
        var findings = try storage.read { try TreeInvariants.findings(in: $0) }
        if try inParts.records() != storage.records() { findings.append("in parts it is another tree") }
        guard findings.isEmpty else { throw BrokenTree(findings: findings) }
        return change
    }

    struct BrokenTree: Error {
        var findings: [String]
    }

    /// The revision that the next batch of a device will have, or that of an operation in it.
    func next(_ device: UInt128, _ index: Int = 0) -> Revision {
        Batch(device: DeviceID(bits: device), n: numbers[device, default: 0] + 1, operations: [])
            .revision(of: index)
    }

    mutating func pass(days: Int64) { log.time += days * 86_400 }

    // MARK: What is there
    func node(_ file: UInt128) throws -> Node? { try storage.read { try $0.item(FileID(bits: file)) } }
    /// The content that is shown, and then the conflict versions; nil where the tree has no such live item.
    func contents(_ file: UInt128) throws -> [Int]? {
        guard let node = try node(file), node.isLive else { return nil }
        return node.contents.map(\.number)
    }

    /// The path of a live item.
    func path(_ file: UInt128) throws -> String? {
        try storage.read { try $0.path(of: FileID(bits: file))?.joined(separator: "/") }
    }

    func state(_ file: UInt128) throws -> String {
        switch try node(file)?.state {
        case .live: "live"
        case .deleted: "deleted"
        case .withdrawn: "withdrawn"
        case nil: "unknown"
        }
    }

    func place(_ file: UInt128) throws -> Revision { try node(file)?.place ?? next(0) }
    func history(_ file: UInt128) throws -> [Int] {
        try storage.read { try $0.history(of: $0.resolve(FileID(bits: file))).map(\.version.number) }
    }
}

extension Version {
    /// Of a `ModelContent` file.
    var number: Int {
        if case .file(let file) = content { Int(file.hash.low) } else { -1 }
    }
}

/// Operations in few words. Contents and files are numbers, 0 is Documents.
enum Say {
    static let attributes = Attributes(mode: 0o644, modified: 0)

    static func create(_ file: UInt128, _ name: String, in parent: UInt128 = 0, _ content: Int) -> Operation {
        item(file, name, in: parent, ModelContent.file(content))
    }

    static func directory(_ file: UInt128, _ name: String, in parent: UInt128 = 0) -> Operation {
        item(file, name, in: parent, .directory)
    }

    static func symlink(_ file: UInt128, _ name: String, to target: String) -> Operation {
        item(file, name, in: 0, .symlink(target: Array(target.utf8)))
    }

    private static func item(
        _ file: UInt128, _ name: String, in parent: UInt128, _ content: Content
    ) -> Operation {
        .create(
            Creation(
                file: FileID(bits: file), parent: FileID(bits: parent), name: name, content: content,
                attributes: attributes))
    }

    static func edit(
        _ file: UInt128, on base: Revision, _ content: Int, in parent: UInt128 = 0, _ name: String = "a"
    ) -> Operation {
        .edit(
            Edit(
                file: FileID(bits: file), base: base, content: ModelContent.file(content),
                attributes: attributes, parent: FileID(bits: parent), name: name))
    }

    static func move(_ file: UInt128, to parent: UInt128 = 0, _ name: String) -> Operation {
        .move(file: FileID(bits: file), parent: FileID(bits: parent), name: name)
    }

    static func delete(_ file: UInt128, at place: Revision, _ contents: Revision...) -> Operation {
        .delete(Deletion(file: FileID(bits: file), place: place, contents: contents))
    }

    static func withdraw(_ file: UInt128, _ contents: Revision...) -> Operation {
        .withdraw(file: FileID(bits: file), contents: contents)
    }

    static func resolve(_ file: UInt128, keep: Revision, _ contents: Revision...) -> Operation {
        .resolve(Resolution(file: FileID(bits: file), keep: keep, contents: contents))
    }

    static func endHistory(_ ended: (file: UInt128, contents: [Revision])...) -> Operation {
        .endHistory(ended.map { EndedHistory(file: FileID(bits: $0.file), contents: $0.contents) })
    }

    static func relocate(_ content: Int, to locator: UInt64) -> Operation {
        .relocate([Relocation(chunk: ModelContent.hash(content), locator: .object(locator))])
    }
}
