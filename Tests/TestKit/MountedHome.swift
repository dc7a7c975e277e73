import CLinux
import FuseKit
import HomeTree
import Posix
import SandboxFS
import SandboxRules
import SystemPackage

/// A home and its sharing view, mounted for real; unmounted and removed when the value ends.
///
/// Fails where FUSE cannot be had: a test of a mount that does not mount proves nothing.
public struct MountedHome: ~Copyable {
    private let folder: TemporaryFolder
    public let tree: HomeTree
    public let events: EventList
    private let homeSession: Session
    private let homeCache: SessionCache
    private let sharedSession: Session
    /// Where the home is mounted.
    public let home: String
    /// Where the sharing view is mounted.
    public let shared: String
    /// The data container that backs the home.
    public let container: String
    /// Where the daemon keeps what no view shows.
    public let staging: String

    public var documents: String { home + "/Documents" }

    public init(
        policy: NamePolicy = .device, cachedDescriptors: Int = 1000, handles: Int = 15_000,
        prefixed: Bool = false, contentsMode: UInt32 = 0o755, data: DataPath = .auto,
        transport: TransportChoice = .auto, in parent: String = temporaryParent,
        reserve: SpaceReserve? = nil, kernelChecksAccess: Bool = true, showsConflicts: Bool = false
    ) throws {
        // As the daemon has it: the kernel has applied the caller's mask already.
        Process.setFileModeMask(0)
        let folder = try TemporaryFolder(in: parent)
        // Other users reach the mounts below it.
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, folder.path, 0o755))
        let container = try folder.directory("data")
        let staging = try folder.directory("staging")
        for name in ["Documents/Inbox", "Library/Caches", "Library/Preferences", "SystemData", "tmp"] {
            try folder.directory("data/" + name)
        }
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, container + "/Documents", contentsMode))
        let bundle = try folder.directory("Recipes.app")
        try write("plist", to: bundle + "/Info.plist")
        try write("mail", to: container + "/Documents/Inbox/letter")
        let events = EventList()
        let tree = try HomeTree(
            container: Descriptor(container, flags: lx_o_path | lx_o_directory),
            staging: Descriptor(staging, flags: lx_o_directory),
            bundle: Descriptor(bundle, flags: lx_o_path | lx_o_directory),
            bundleName: "Recipes.app", policy: policy,
            budget: DescriptorBudget(handleLimit: handles, cachedLimit: cachedDescriptors),
            reserve: reserve, events: events)
        let home = try folder.directory("home")
        let shared = try folder.directory("shared")
        let view = HomeFileSystem(
            tree: tree, listsPrefixedAttributes: prefixed, kernelChecksAccess: kernelChecksAccess)
        let homeSession = try Self.serve(
            showsConflicts ? VersionsFileSystem(view) : view, at: home, isReadOnly: false, data, transport,
            kernelChecksAccess: kernelChecksAccess)
        let homeCache = SessionCache(homeSession, lostSearch: view.lostSearch)
        tree.caches.add(homeCache)
        let sharedSession = try Self.serve(
            try SharingFileSystem(tree: tree), at: shared, isReadOnly: true, data, transport)
        self.homeSession = homeSession
        self.homeCache = homeCache
        self.sharedSession = sharedSession
        self.tree = tree
        self.events = events
        self.home = home
        self.shared = shared
        self.container = container
        self.staging = staging
        self.folder = folder
    }

    static func serve(
        _ fileSystem: any FileSystem, at path: String, isReadOnly: Bool, _ data: DataPath,
        _ transport: TransportChoice, kernelChecksAccess: Bool = true
    ) throws -> Session {
        let point = try MountPoint.prepare(path) { _ in false }
        var request = MountRequest(source: "apphome:test")
        request.isReadOnly = isReadOnly
        request.kernelChecksAccess = kernelChecksAccess
        request.allowsOthers = Process.effectiveUserID == 0
        var options = SessionOptions(believesCallers: true)
        options.transport = transport
        options.data = data
        let session = try Session(
            fileSystem: fileSystem, device: try Mounting.mount(request, at: point), options: options)
        try session.start()
        guard session.waitUntilReady(timeoutSeconds: 10) else { throw Errno.timedOut }
        return session
    }

    static func unmount(_ path: String) {
        guard let place = try? MountPlace(path: path) else { return }
        if (try? Unmounting.unmount(place, lazy: false)) == nil {
            try? Unmounting.unmount(place, lazy: true)
        }
    }

    deinit {
        for path in [shared, home] { Self.unmount(path) }
        sharedSession.waitUntilEnded()
        homeSession.waitUntilEnded()
        // The tree holds the cache, the cache its session, and that the tree.
        tree.caches.remove(homeCache)
        // Whatever the test was about: what comes after it says nothing then.
        let broken = tree.checkInvariants()
        if !broken.isEmpty { fatalError("the tree is broken: \(broken)") }
    }

    /// How the home's requests come.
    public var transport: TransportReport? { homeSession.transport }

    /// Has the home's kernel forget a name in Documents, and with it an inode that nobody has open.
    public func forgetName(_ name: String) throws {
        let documents = try "Documents".withFileName { (name) throws(Errno) in
            try tree.lookup(name, in: tree.home)
        }
        homeCache.forgetName(Array(name.utf8), in: documents.inode)
        _ = homeCache.waitUntilTaken(timeoutSeconds: 10)
        tree.forget(documents.inode)
    }

    /// Why contents do not pass through the kernel in the home; nil where they do.
    public var passthroughRefusal: PassthroughRefusal? { homeSession.passthroughRefusal }
    public var sharedPassthroughRefusal: PassthroughRefusal? { sharedSession.passthroughRefusal }

    /// Requests of the sharing view's session so far, likewise.
    public var sharedRequests: [UInt32: UInt64] { sharedSession.counters.byOperation }
    /// Requests of the home's session so far, by the kernel's operation number.
    public var requests: [UInt32: UInt64] { homeSession.counters.byOperation }
}

/// Keeps events for a test to look at.
public final class EventList: EventSink {
    private let list = Lock<[Event]>([])

    public init() {}

    public func record(_ event: Event) { list.withLock { $0.append(event) } }

    public var all: [Event] { list.withLock { $0 } }
    public func clear() { list.withLock { $0 = [] } }
}
