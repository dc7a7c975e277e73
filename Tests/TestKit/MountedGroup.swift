import CLinux
import FuseKit
import HomeTree
import Posix
import SandboxFS
import SandboxRules
import SystemPackage

/// A group's container, mounted for real as the daemon does it; unmounted and removed when the value ends.
public struct MountedGroup: ~Copyable {
    private let folder: TemporaryFolder
    private let session: Session
    private let cache: SessionCache
    public let tree: HomeTree
    /// Where it is mounted: a folder that holds nothing else.
    public let path: String
    /// What backs it.
    public let container: String

    public init(
        policy: NamePolicy = .device, data: DataPath = .auto, transport: TransportChoice = .auto
    ) throws {
        // As the daemon has it: the kernel has applied the caller's mask already.
        Process.setFileModeMask(0)
        let folder = try TemporaryFolder()
        // Other users reach the mount below it.
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, folder.path, 0o755))
        let container = try folder.directory("data")
        try write("system's", to: "\(container)/\(Place.metadataFileName)")
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, container, 0o777))
        let tree = try HomeTree(
            container: Descriptor(container, flags: lx_o_path | lx_o_directory),
            staging: Descriptor(try folder.directory("staging"), flags: lx_o_directory),
            rootPlace: .group, policy: policy,
            budget: DescriptorBudget(handleLimit: 15_000, cachedLimit: 1000))
        let path = try folder.directory("mounted/group")
        let session = try MountedHome.serve(
            HomeFileSystem(tree: tree), at: path, isReadOnly: false, data, transport)
        let cache = SessionCache(session)
        tree.caches.add(cache)
        self.session = session
        self.cache = cache
        self.tree = tree
        self.path = path
        self.container = container
        self.folder = folder
    }

    deinit {
        MountedHome.unmount(path)
        session.waitUntilEnded()
        // The tree holds the cache, the cache its session, and that the tree.
        tree.caches.remove(cache)
        let broken = tree.checkInvariants()
        if !broken.isEmpty { fatalError("the tree is broken: \(broken)") }
    }

    public var transport: TransportReport? { session.transport }
    /// Why contents do not pass through the kernel; nil where they do.
    public var passthroughRefusal: PassthroughRefusal? { session.passthroughRefusal }
}
