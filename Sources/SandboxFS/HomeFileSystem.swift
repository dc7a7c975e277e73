internal import CLinux
public import FuseKit
public import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// Whether another mount shows the same files, so that they change without a request of this mount.
public enum OtherViews: Sendable {
    /// None does: every change comes through this view, or its kernel is told of it.
    case none
    /// One may; this view keeps the locks (fcntl, flock).
    case beside
    /// This view is the other one: it keeps no locks.
    case isBeside
}

/// The home as the app sees it: bundle, Documents, Library, tmp, with the rules of SPEC 3 in force. Or a
/// group's container, likewise.
public final class HomeFileSystem: TreeFileSystem {
    public let tree: HomeTree
    public let directories = OpenDirectories()
    public let modes: ViewModes
    public let listsPrefixedAttributes: Bool
    public let root: NodeKey
    /// Whether `Name.app` is shown beside the data directories; not in the layout that keeps the two apart.
    private let showsBundle: Bool
    var bundle: BundleRoot? { showsBundle ? tree.bundle : nil }
    /// What the root counts as for the rules.
    private let rootPlace: Place
    private let others: OtherViews

    /// Everything that changes the home goes through its tree, so the kernel may believe what it knows;
    /// where another view changes names and attributes, nobody tells this one in time.
    public var attributeSeconds: Double {
        tree.policy == .simulator || others != .none ? 0 : Self.trustSeconds
    }
    static let trustSeconds: Double = 86_400

    /// - Parameter showsBundle: false for the layout that keeps bundle and data apart.
    public init(
        tree: HomeTree, showsBundle: Bool = true, listsPrefixedAttributes: Bool = false,
        others: OtherViews = .none
    ) {
        self.tree = tree
        self.others = others
        rootPlace = tree.place(of: tree.home)
        modes = ViewModes(
            tree: tree, otherwise: others == .isBeside ? .direct : .cached, passesAll: others != .none)
        self.showsBundle = showsBundle
        self.listsPrefixedAttributes = listsPrefixedAttributes
        root = NodeKey(tree.home)
    }

    /// The bundle by itself, for the layout that keeps the two apart.
    /// - Throws: ENOENT where the tree has none.
    public init(bundleOf tree: HomeTree, listsPrefixedAttributes: Bool = false) throws(Errno) {
        guard let bundle = tree.bundle else { throw .noSuchFileOrDirectory }
        self.tree = tree
        others = .none
        rootPlace = .bundle
        modes = ViewModes(tree: tree, otherwise: .cached)
        showsBundle = false
        self.listsPrefixedAttributes = listsPrefixedAttributes
        root = NodeKey(bundle.inode)
    }

    /// Whether this is the home's own directory, with the names that the system makes.
    func isHome(_ node: NodeKey) -> Bool { InodeNumber(node) == tree.home }

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        tree.checkForWriters(InodeNumber(node))
        var status =
            if let handle { try tree.attributes(of: FileHandle(handle)) } else {
                try tree.attributes(of: InodeNumber(node))
            }
        // Of its directories the app sees three, and the bundle.
        if isHome(node), rootPlace == .home { status.st_nlink = bundle == nil ? 5 : 6 }
        return attributes(status, of: InodeNumber(node))
    }

    /// Attributes that were just read, for as long as nobody can change them past us.
    func attributes(_ status: stat, of inode: InodeNumber) -> Attributes {
        Attributes(status: status, seconds: tree.mayBelieve(inode) ? attributeSeconds : 0)
    }

    public func lookup(
        _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        if isHome(directory), let entry = try lookupTopLevel(name) { return entry }
        do throws(Errno) {
            return entry(try tree.lookup(name, in: InodeNumber(directory)), name)
        } catch {
            guard error == .noSuchFileOrDirectory, others == .none,
                tree.policy.kernelMayCacheAbsence(name.bytes)
            else {
                throw error
            }
            return Entry(
                node: nil, generation: 0, status: stat(), entrySeconds: Self.trustSeconds, attributeSeconds: 0
            )
        }
    }

    /// The bundle, or ENOENT for what the app does not see; nil for everything else.
    private func lookupTopLevel(_ name: FileName) throws(Errno) -> Entry? {
        if let bundle, isBundle(name, bundle) {
            let inode = bundle.inode
            tree.retain(inode)
            return Entry(
                node: NodeKey(inode), generation: tree.generation(of: inode),
                status: try tree.attributes(of: inode), entrySeconds: entrySeconds(name),
                attributeSeconds: attributeSeconds)
        }
        if isHidden(name) { throw .noSuchFileOrDirectory }
        return nil
    }

    func isBundle(_ name: FileName) -> Bool { bundle.map { isBundle(name, $0) } ?? false }

    private func isBundle(_ name: FileName, _ bundle: BundleRoot) -> Bool {
        if name.bytes.elementsEqual(bundle.name.utf8) { return true }
        return tree.policy.hasOtherSpellings(name.bytes)
            && tree.policy.key(name.bytes) == tree.policy.key(bundle.name)
    }

    /// What lies in the container for the system alone.
    func isHidden(_ name: FileName) -> Bool {
        rootPlace.hidesFromApp(child: name.bytes, under: tree.policy)
    }

    func entry(_ found: Found, _ name: FileName) -> Entry {
        Entry(
            node: NodeKey(found.inode), generation: found.generation, status: found.status,
            entrySeconds: entrySeconds(name), attributeSeconds: found.mayBelieveStatus ? attributeSeconds : 0)
    }

    private func entrySeconds(_ name: FileName) -> Double {
        others == .none && tree.policy.kernelMayCache(name.bytes) ? Self.trustSeconds : 0
    }

    // MARK: Files

    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        if flags & (lx_o_accmode | lx_o_trunc) != 0 { try refuseModifying(node, "open for writing") }
        let handle = try tree.open(InodeNumber(node), flags: flags, stripsPrivileges: stripsPrivileges)
        if flags & lx_o_trunc != 0 { tellOthers(of: node) }
        return opened(InodeNumber(node), handle, flags: flags, keepsCache: others == .none)
    }

    public func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened) {
        try refuse(.create, name, isDirectory: false, in: directory)
        let (found, handle) = try tree.create(
            name, in: InodeNumber(directory), mode: mode, flags: flags, owner: Owner(caller))
        let opened = opened(
            found.inode, handle, flags: flags, isCreation: true, keepsCache: others == .none)
        var entry = entry(found, name)
        // Asked only now: choosing the mode notes the writer, who may map the file and write it unseen. Had
        // the kernel been told before to believe attributes, it would have to be told otherwise at once.
        entry.attributeSeconds = tree.mayBelieve(found.inode) ? attributeSeconds : 0
        return (entry, opened)
    }

    /// Asks no rule: whoever has a handle for writing was allowed to when it was opened.
    public func write(
        _ bytes: WriteBuffer, to node: NodeKey, handle: HandleKey, offset: Int64?, stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        defer { tellOthers(of: node) }
        return try tree.write(
            bytes, to: InodeNumber(node), FileHandle(handle), offset: offset,
            stripsPrivileges: stripsPrivileges)
    }

    /// Tells the view that keeps the locks: it reads through a page cache where contents do not pass
    /// through.
    func tellOthers(of node: NodeKey) {
        if others == .isBeside { tree.caches.tellContents(of: InodeNumber(node)) }
    }

    /// Nothing is kept back until close(2): the kernel need not ask again.
    public func flush(_ node: NodeKey, handle: HandleKey) throws(Errno) { throw .noFunction }

    public func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        try tree.sync(FileHandle(handle), dataOnly: dataOnly)
    }

    public func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno) {
        defer { tellOthers(of: node) }
        try tree.allocate(
            InodeNumber(node), FileHandle(handle), mode: mode, offset: offset, sizeBytes: sizeBytes,
            stripsPrivileges: caller.uid != 0)
    }

    public func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int {
        defer { tellOthers(of: node) }
        return try tree.copyRange(
            from: FileHandle(source), offset: offset, to: InodeNumber(node), FileHandle(handle),
            offset: newOffset,
            sizeBytes: sizeBytes, stripsPrivileges: caller.uid != 0)
    }
}
