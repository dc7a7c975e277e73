internal import CLinux
public import FuseKit
public import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// Which one this is of the mounts that show a tree.
public enum ViewRole: Sendable {
    /// The one that apps use, and that has the locks (fcntl, flock). Its kernel believes what it knows: every
    /// change comes through it, or is told to it.
    case main
    /// Any other. Its kernel believes nothing, and what it changes is told to the main one's kernel before it
    /// is answered. It has no locks.
    case guest
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
    let role: ViewRole
    /// Where the kernel checks no mode bits (`AccessChecks`): the backing files' rights are asked. nil where
    /// it does.
    public let lostSearch: LostSearch?
    /// Whether the root's reference is this view's to give back.
    private let holdsRoot: Bool

    /// Everything that changes the home goes through its tree, so the main view's kernel may believe what it
    /// knows.
    public var attributeSeconds: Double {
        tree.policy == .simulator || role == .guest ? 0 : Self.trustSeconds
    }
    static let trustSeconds: Double = 86_400

    /// - Parameters:
    ///   - showsBundle: false for the layout that keeps bundle and data apart.
    ///   - kernelChecksAccess: as the mount was made.
    public convenience init(
        tree: HomeTree, showsBundle: Bool = true, listsPrefixedAttributes: Bool = false,
        role: ViewRole = .main, kernelChecksAccess: Bool = true
    ) {
        self.init(
            tree, at: tree.home, showsBundle: showsBundle, listsPrefixedAttributes, role,
            kernelChecksAccess ? nil : LostSearch())
    }

    /// The bundle by itself, for the layout that keeps the two apart.
    /// - Throws: ENOENT where the tree has none.
    public convenience init(
        bundleOf tree: HomeTree, listsPrefixedAttributes: Bool = false, role: ViewRole = .main
    ) throws(Errno) {
        guard let bundle = tree.bundle else { throw .noSuchFileOrDirectory }
        self.init(tree, at: bundle.inode, showsBundle: false, listsPrefixedAttributes, role)
    }

    /// Documents by itself, beside the home.
    /// - Throws: as looking it up.
    public convenience init(
        documentsOf tree: HomeTree, listsPrefixedAttributes: Bool = false
    ) throws(Errno) {
        self.init(
            tree, at: try tree.documents(), holdsRoot: true, showsBundle: false, listsPrefixedAttributes,
            .guest)
    }

    private init(
        _ tree: HomeTree, at root: InodeNumber, holdsRoot: Bool = false, showsBundle: Bool,
        _ listsPrefixedAttributes: Bool, _ role: ViewRole, _ lostSearch: LostSearch? = nil
    ) {
        self.tree = tree
        self.lostSearch = lostSearch
        self.role = role
        self.holdsRoot = holdsRoot
        rootPlace = tree.place(of: root)
        modes = ViewModes(tree: tree, otherwise: role == .guest ? .direct : .cached)
        self.showsBundle = showsBundle
        self.listsPrefixedAttributes = listsPrefixedAttributes
        self.root = NodeKey(root)
    }

    deinit { if holdsRoot { tree.forget(InodeNumber(root)) } }

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
        if isHome(directory), let entry = try lookupTopLevel(name, for: caller) { return entry }
        let result: LookedUp
        do throws(Errno) {
            result = try tree.lookup(name, in: InodeNumber(directory), by: Asker(caller))
        } catch {
            noteRefusedName(name, error, in: directory, for: caller)
            throw error
        }
        switch result {
        case .found(let found): return entry(found, name)
        case .absent(let mayBeRemembered):
            guard !isNearBundle(name, in: directory, for: caller), mayBeRemembered, role == .main,
                tree.policy.kernelMayCacheAbsence(name.bytes)
            else {
                throw .noSuchFileOrDirectory
            }
            return Entry(
                node: nil, generation: 0, status: stat(), entrySeconds: Self.trustSeconds, attributeSeconds: 0
            )
        }
    }

    /// The bundle, or ENOENT for what the app does not see; nil for everything else.
    private func lookupTopLevel(_ name: FileName, for caller: Caller) throws(Errno) -> Entry? {
        if let bundle, isBundle(name, bundle) {
            let inode = bundle.inode
            noteCase(of: name, standingFor: bundle, for: caller)
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
        bundle.name.withFileName { tree.policy.isSame(name.bytes, $0.bytes) }
    }

    /// Whether an absent name is the bundle's but for its case, which is an event. The tree does not hold it
    /// where it looks for such names.
    private func isNearBundle(_ name: FileName, in directory: NodeKey, for caller: Caller) -> Bool {
        guard isHome(directory), let bundle else { return false }
        return noteCase(of: name, standingFor: bundle, for: caller)
    }

    @discardableResult
    private func noteCase(of name: FileName, standingFor bundle: BundleRoot, for caller: Caller) -> Bool {
        bundle.name.withFileName {
            tree.noteCase(of: name, standingFor: $0, in: tree.home, by: Asker(caller))
        }
    }

    /// What lies in the container for the system alone.
    func isHidden(_ name: FileName) -> Bool {
        rootPlace.hidesFromApp(child: name.bytes, under: tree.policy)
    }

    func entry(_ found: Found, _ name: FileName) -> Entry {
        Entry(
            node: NodeKey(found.inode), generation: found.generation, status: found.status,
            entrySeconds: found.isStoredName && mayKeep(found) ? entrySeconds(name) : 0,
            attributeSeconds: found.mayBelieveStatus ? attributeSeconds : 0)
    }

    private func entrySeconds(_ name: FileName) -> Double {
        role == .main && tree.policy.kernelMayCache(name.bytes) ? Self.trustSeconds : 0
    }

    // MARK: Files

    /// A guest's writes have to be seen, to be told.
    public func start(_ passthrough: Passthrough) throws(PassthroughRefusal) {
        if role == .guest { throw .notUsed }
        try modes.start(passthrough)
    }

    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        if flags & lx_open_for_exec != 0 { try checkNatively(lx_may_search, node) }
        if flags & (lx_o_accmode | lx_o_trunc) != 0 {
            try refuseModifying(node, "open for writing", for: caller)
        }
        let handle = try tree.open(InodeNumber(node), flags: flags, stripsPrivileges: stripsPrivileges)
        if role == .guest { tree.noteGuestHandle(1) }
        let opened = opened(InodeNumber(node), handle, flags: flags)
        // What a main view's writer does later may be told to nobody.
        let isTold = flags & (role == .main ? lx_o_accmode | lx_o_trunc : lx_o_trunc) != 0
        if isTold { announce(contents: InodeNumber(node)) }
        return opened
    }

    public func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened) {
        try refuse(.create, name, isDirectory: false, in: directory, for: caller)
        let (found, handle) = try tree.create(
            name, in: InodeNumber(directory), mode: mode, flags: flags, owner: Owner(caller))
        if role == .guest { tree.noteGuestHandle(1) }
        announce((name, directory), contents: found.inode)
        let opened = opened(found.inode, handle, flags: flags, isCreation: true)
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
        try tree.refuseGrowth(of: FileHandle(handle), writing: bytes.count, at: offset)
        defer { announceWritten(node) }
        return try tree.write(
            bytes, to: InodeNumber(node), FileHandle(handle), offset: offset,
            stripsPrivileges: stripsPrivileges)
    }

    public func release(_ node: NodeKey, handle: HandleKey) {
        if role == .guest { tree.noteGuestHandle(-1) }
        close(handle, of: node)
    }

    /// Tells the kernels of the other views what this one has changed, and waits until they know. With no
    /// lock held.
    func announce(_ names: (FileName, in: NodeKey)..., contents: InodeNumber?...) {
        if role == .main, tree.caches.guests.isEmpty { return }
        let changed = contents.compactMap { $0 }
        if role == .main {
            return tree.caches.tellGuests(names.map { InodeNumber($0.in) } + changed)
        }
        tree.caches.announce(names.map { ($0.0, InodeNumber($0.in)) }, contents: changed)
    }

    /// As `announce`, of contents that were changed through a handle: guests' kernels believe nothing of a
    /// file that is open for writing.
    private func announceWritten(_ node: NodeKey) {
        if role == .guest { announce(contents: InodeNumber(node)) }
    }

    /// Nothing is kept back until close(2): the kernel need not ask again.
    public func flush(_ node: NodeKey, handle: HandleKey) throws(Errno) { throw .noFunction }

    public func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        try tree.sync(FileHandle(handle), dataOnly: dataOnly)
    }

    public func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno) {
        if mode & lx_falloc_punch_hole == 0 { try tree.refuseGrowth() }
        defer { announceWritten(node) }
        try tree.allocate(
            InodeNumber(node), FileHandle(handle), mode: mode, offset: offset, sizeBytes: sizeBytes,
            stripsPrivileges: caller.uid != 0)
    }

    public func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int {
        try tree.refuseGrowth(of: FileHandle(handle), writing: sizeBytes, at: newOffset)
        defer { announceWritten(node) }
        return try tree.copyRange(
            from: FileHandle(source), offset: offset, to: InodeNumber(node), FileHandle(handle),
            offset: newOffset,
            sizeBytes: sizeBytes, stripsPrivileges: caller.uid != 0)
    }
}
