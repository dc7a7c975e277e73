internal import HomeTree
internal import Posix
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// A conflict version, as it is shown beside its document.
final class VersionBeside: ConflictVersion {
    let identity: String
    let name: String
    let content: ConflictContent
    let permissions: UInt32
    let modified: Int64
    private let file: FileID
    /// Its set, as it is shown.
    private let revisions: [Revision]
    private let source: VersionSource

    private init(_ version: Version, of file: FileID, named name: String, _ source: VersionSource) {
        self.name = name
        self.file = file
        self.source = source
        revisions = version.revisions
        permissions = UInt32(version.attributes.mode) & 0o777
        modified = version.attributes.modified
        // One operation makes one content in one log.
        let position = "\(version.position.sequence).\(version.position.index)"
        if case .symlink(let target) = version.content {
            content = .symlink(target: target)
            identity = position
        } else {
            content = .file(sizeBytes: version.content.sizeBytes)
            identity = position + "/" + (version.content.file?.hash.hex ?? "")
        }
    }

    /// All of a document. Of several that one device made in one second each has its revision in its name:
    /// none gets the name of another one that goes.
    static func all(
        of node: Node, in tree: any TreeStorage, _ source: VersionSource
    ) throws -> [VersionBeside] {
        let plain = node.versions.map { ($0, $0.conflictName(of: node.name)) }
        let counts = Dictionary(plain.map { ($0.1, 1) }, uniquingKeysWith: +)
        return try plain.map { version, name in
            // A document of that name with other bytes would hide it.
            let other = try tree.item(in: node.parent, named: name)
            let isFree = other.map { $0.current?.isSame(as: version) ?? false } ?? true
            let isAlone = counts[name] == 1 && isFree
            let own = version.revisions.first.map { "\($0.n)-\($0.index)" } ?? ""
            return VersionBeside(
                version, of: node.id,
                named: isAlone ? name : version.conflictName(of: node.name, marked: own), source)
        }
    }

    /// - Parameter dropped: revisions that a person removed.
    func isDropped(by dropped: Set<Revision>) -> Bool { dropped.isSuperset(of: revisions) }

    func read(
        offset: UInt64, sizeBytes: Int, _ done: @escaping @Sendable (Result<[UInt8], Errno>) -> Void
    ) {
        Task { [source, file, revisions] in
            let bytes = try? await source.read(file, revisions, at: offset, count: sizeBytes)
            done(bytes.map { .success($0) } ?? .failure(.ioError))
        }
    }

    func drop() throws(Errno) { try source.drop(file, revisions) }
}
