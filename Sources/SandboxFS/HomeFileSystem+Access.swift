internal import CLinux
public import FuseKit
internal import HomeTree
public import Posix
public import SystemPackage

/// What a mount takes whose kernel checks no mode bits (`AccessChecks`): every call on the backing files is
/// its own check, and here is what makes no such call.
extension HomeFileSystem {
    public var checksAccess: Bool { lostSearch != nil }

    public var keepsListings: Bool { checksAccess && attributeSeconds > 0 }

    public func checkAccess(_ mode: Int32, to node: NodeKey, for caller: Caller) throws(Errno) {
        guard checksAccess else { throw .noFunction }
        try tree.checkAccess(mode, to: InodeNumber(node))
    }

    public var delaysLookups: Bool { lostSearch?.isEmpty == false }

    public func delay(
        lookup name: FileName, in directory: NodeKey, until later: @escaping @Sendable () -> Void
    ) -> Bool {
        lostSearch?.delay(name, in: InodeNumber(directory), until: later) ?? false
    }

    /// Whether the kernel may use the name again without asking.
    ///
    /// Not one of several names of a file: the tree knows one of them, and has only that looked up anew where
    /// its directory loses the right to be searched.
    func mayKeep(_ found: Found) -> Bool {
        guard let lostSearch else { return true }
        return !lostSearch.contains(found.inode) && (found.status.isDirectory || found.status.st_nlink <= 1)
    }

    /// What the kernel has not asked, and natively comes before any rule.
    /// - Throws: EACCES.
    func checkNatively(_ mode: Int32, _ node: NodeKey) throws(Errno) {
        if checksAccess { try tree.checkAccess(mode, to: InodeNumber(node)) }
    }
}
