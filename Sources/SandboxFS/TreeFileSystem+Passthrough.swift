public import FuseKit
public import HomeTree
internal import SystemPackage

extension TreeFileSystem {
    public func start(_ passthrough: Passthrough) throws(PassthroughRefusal) {
        do throws(PassthroughObstacle) {
            try modes.start(passthrough)
        } catch {
            switch error {
            case .leasesTellNothing:
                throw .fileSystem("the device's file system does not tell who writes a file")
            case .mayNotLease:
                throw .fileSystem("without CAP_LEASE it could not be told who writes a file")
            case .refused(let errno):
                throw .fileSystem("the kernel refuses the device's file system (\(Errno(rawValue: errno)))")
            }
        }
    }
}

extension Passthrough: PassthroughKernel {
    public func forgetAttributes(of inode: InodeNumber) { forgetAttributes(of: NodeKey(inode)) }
}

extension Opened {
    /// - Parameter keeps: whether what the kernel has of the contents from earlier is true.
    init(_ handle: FileHandle, _ mode: IOMode, keeps: Bool = true) {
        let asked: Opened.Mode =
            switch mode {
            case .cached: .cached(keep: keeps)
            case .direct: .direct
            case .passthrough(let backing, let isDirect): .passthrough(backing: backing, isDirect: isDirect)
            }
        self.init(handle: HandleKey(rawValue: handle.rawValue), mode: asked)
    }
}
