/// How the kernel of one view treats the contents of one open file.
public enum IOMode: Equatable, Sendable {
    /// Through that view's page cache. What it has from earlier is true: nobody writes past it meanwhile, and
    /// the kernel drops it at each open that passes through.
    case cached
    /// Every read and write is a request.
    case direct
    /// Straight to the backing file, which the kernel knows by this number. `isDirect`: reads and writes of
    /// this handle are requests nevertheless; its mappings are not.
    case passthrough(backing: Int32, isDirect: Bool)
}

/// What a view's kernel can do for passthrough. FuseKit has it; this is how the tree sees it.
public protocol PassthroughKernel: AnyObject, Sendable {
    /// Makes an open file known to the kernel as a backing file.
    /// - Returns: its number there, above 0; or -errno.
    func openBacking(_ descriptor: Int32) -> Int32
    func closeBacking(_ backing: Int32)
    /// Has the kernel ask for the inode's attributes again, however long it was told to believe them. Done
    /// when it returns; waits for no request.
    func forgetAttributes(of inode: InodeNumber)
}

/// Why contents do not pass through the kernel, as a person is told.
public enum PassthroughObstacle: Error, Equatable, Sendable {
    /// Leases of the backing file system do not tell who writes a file; overlayfs is such a one.
    case leasesTellNothing
    /// This process may not ask for leases on files of others.
    case mayNotLease
    /// The kernel refuses files of this backing file system.
    case refused(errno: Int32)
}
