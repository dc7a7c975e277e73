internal import Posix
public import SystemPackage

/// A version of a document that lost a conflict (SPEC 7). It never changes.
public protocol ConflictVersion: AnyObject, Sendable {
    /// The same for the same version at any time, and for no other one.
    var identity: String { get }
    /// What it is called beside its document.
    var name: String { get }
    var content: ConflictContent { get }
    /// Permission bits.
    var permissions: UInt32 { get }
    /// When its content was last changed, in nanoseconds since 1970.
    var modified: Int64 { get }

    /// Fetches a file's bytes, fewer only at its end, and gives them to `done` on any thread, once; EIO where
    /// they cannot be had.
    func read(
        offset: UInt64, sizeBytes: Int, _ done: @escaping @Sendable (Result<[UInt8], Errno>) -> Void)
    /// Takes it from its document for all devices: those hear of it as soon as the store is there. Waits for
    /// no network; what was dropped stays so through a crash.
    /// - Throws: EIO where that cannot be written down.
    func drop() throws(Errno)
}

public enum ConflictContent: Equatable, Sendable {
    case file(sizeBytes: UInt64)
    case symlink(target: [UInt8])
}

/// Knows the conflict versions of documents. Sync is one; the daemon wires it.
public protocol ConflictSource: AnyObject, Sendable {
    /// Of all documents of a directory, each under another name, in the same order each time.
    /// - Parameter directory: below Documents, by the bytes of its names; empty for Documents itself. Called
    ///   while requests wait: it waits neither for the network nor for sync's work.
    func conflictVersions(in directory: [[UInt8]]) -> [any ConflictVersion]
    /// Nobody asks any more: what it told of has no bytes from now on, and is not dropped.
    func end()
}

extension HomeTree {
    /// Who tells of conflict versions from now on; nil: nobody.
    public func setConflictSource(_ source: (any ConflictSource)?) {
        // The one before may end with it, which takes other locks: after this one.
        var other = source
        conflictSource.withLock { swap(&$0, &other) }
        other?.end()
    }

    /// Changes with who tells of conflict versions; nil: nobody does.
    public var conflictSourceIdentity: ObjectIdentifier? {
        conflictSource.withLock { $0.map(ObjectIdentifier.init) }
    }

    /// The conflict versions of a directory's documents; nil outside Documents.
    public func conflictVersions(in directory: InodeNumber) -> [any ConflictVersion]? {
        guard let path = pathInDocuments(of: directory) else { return nil }
        return conflictSource.withLock { $0 }?.conflictVersions(in: path) ?? []
    }
}
