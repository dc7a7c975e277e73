public import FuseKit
public import HomeTree

/// A session as its tree sees it: somebody who remembers.
public final class SessionCache: KernelCache {
    private let session: Session

    public init(_ session: Session) { self.session = session }

    public func forgetName(_ name: [UInt8], in directory: InodeNumber) {
        session.invalidate(.entry(name: name, directory: NodeKey(directory)))
    }

    public func forgetContents(of inode: InodeNumber) { session.invalidate(.contents(NodeKey(inode))) }

    public func settle(timeoutSeconds: Double) -> Bool {
        session.settleInvalidations(timeoutSeconds: timeoutSeconds)
    }
}
