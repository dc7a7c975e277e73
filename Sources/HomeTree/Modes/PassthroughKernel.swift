/// What passthrough needs of a view's kernel. `FuseKit.Passthrough` does it; the tree knows no FuseKit.
public protocol PassthroughKernel: AnyObject, Sendable {
    /// Makes an open file known to the kernel as a backing file.
    /// - Returns: its number there, above 0; or -errno.
    func openBacking(_ descriptor: Int32) -> Int32
    func closeBacking(_ backing: Int32)
    /// Has the kernel ask for the inode's attributes again, however long it was told to believe them. Done
    /// when it returns; waits for no request.
    func forgetAttributes(of inode: InodeNumber)
}
