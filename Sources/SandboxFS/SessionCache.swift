public import FuseKit
public import HomeTree

/// A session, as the tree whose files it shows sees it: its kernel caches what the tree changes.
public final class SessionCache: KernelCache {
    private let session: Session
    private let lostSearch: LostSearch?

    /// - Parameter lostSearch: of the view, where its kernel checks no mode bits.
    public init(_ session: Session, lostSearch: LostSearch? = nil) {
        self.session = session
        self.lostSearch = lostSearch
    }

    public var checksAccess: Bool { lostSearch == nil }

    public func forgetName(_ name: [UInt8], in directory: InodeNumber) {
        session.invalidate(.entry(name: name, directory: NodeKey(directory)))
    }

    public func forgetContents(of inode: InodeNumber) { session.invalidate(.contents(NodeKey(inode))) }

    public func searchWasLost(
        of directory: InodeNumber, names: [[UInt8]], own: (name: [UInt8], parent: InodeNumber)?
    ) {
        guard let lostSearch else { return }
        lostSearch.begin(directory, own: own)
        session.expire(names, in: NodeKey(directory)) { lostSearch.end(directory) }
        // Where the change came through this mount, its kernel has done that already.
        if let own { session.invalidate(.lookup(name: own.name, directory: NodeKey(own.parent))) }
    }

    public func waitUntilTaken(timeoutSeconds: Double) -> Bool {
        session.waitForInvalidations(timeoutSeconds: timeoutSeconds)
    }
}
