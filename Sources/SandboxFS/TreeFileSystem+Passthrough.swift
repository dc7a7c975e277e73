public import FuseKit
public import HomeTree
public import Posix

extension TreeFileSystem {
    public func start(_ passthrough: Passthrough) throws(PassthroughRefusal) { try modes.start(passthrough) }

    /// Counts an open with its mode.
    /// - Parameter keepsCache: whether what the kernel has of the contents from earlier is true.
    func opened(
        _ inode: InodeNumber, _ handle: FileHandle, flags: Int32, isCreation: Bool = false,
        keepsCache: Bool = true
    ) -> Opened {
        Opened(
            handle: HandleKey(rawValue: handle.rawValue),
            mode: modes.enter(inode, handle, flags: flags, isCreation: isCreation), keepsCache: keepsCache,
            isDirect: ViewModes.needsRequests(flags))
    }
}

extension Passthrough: PassthroughKernel {
    public func forgetAttributes(of inode: InodeNumber) { forgetAttributes(of: NodeKey(inode)) }
}
