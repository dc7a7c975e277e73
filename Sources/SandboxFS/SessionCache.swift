public import FuseKit
public import HomeTree

/// A session, as the tree whose files it shows sees it: its kernel caches what the tree changes.
public final class SessionCache: KernelCache {
    private let session: Session

    public init(_ session: Session) { self.session = session }

    public func forgetName(_ name: [UInt8], in directory: InodeNumber) {
        session.invalidate(.entry(name: name, directory: NodeKey(directory)))
    }

    public func forgetContents(of inode: InodeNumber) { session.invalidate(.contents(NodeKey(inode))) }

    public func waitUntilTaken(timeoutSeconds: Double) -> Bool {
        session.waitForInvalidations(timeoutSeconds: timeoutSeconds)
    }
}
