internal import CLinux
public import FuseKit
public import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// What iTunes File Sharing shows of an app: the top-level items of Documents, read-only (SPEC 5).
///
/// The kernel believes nothing here: a change in the home is seen at once.
public final class SharingFileSystem: TreeFileSystem {
    public let tree: HomeTree
    public let directories = OpenDirectories()
    public let modes: ViewModes
    public let root: NodeKey
    /// Shows the whole tree, as programs other than iTunes can.
    let isDeep: Bool
    public var attributeSeconds: Double { 0 }
    public var listsPrefixedAttributes: Bool { false }

    /// - Throws: ENOENT where the container has no Documents.
    public init(tree: HomeTree, isDeep: Bool = false) throws(Errno) {
        self.tree = tree
        modes = ViewModes(tree: tree, otherwise: .direct)
        self.isDeep = isDeep
        root = NodeKey(try tree.documents())
    }

    deinit { tree.forget(InodeNumber(root)) }

    public func lookup(
        _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuseClosed(directory)
        guard case .found(let found) = try tree.lookup(name, in: InodeNumber(directory), by: Asker(caller))
        else { throw .noSuchFileOrDirectory }
        guard isItem(name.bytes, mode: found.status.st_mode) else {
            tree.forget(found.inode)
            throw .noSuchFileOrDirectory
        }
        return Entry(
            node: NodeKey(found.inode), generation: found.generation,
            status: shown(found.status, of: NodeKey(found.inode)), entrySeconds: 0, attributeSeconds: 0)
    }

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        Attributes(status: shown(try tree.attributes(of: InodeNumber(node)), of: node), seconds: 0)
    }

    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        if flags & (lx_o_accmode | lx_o_trunc) != 0 { throw .readOnlyFileSystem }
        let handle = try tree.open(InodeNumber(node), flags: flags)
        return opened(InodeNumber(node), handle, flags: flags)
    }

    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        try refuseClosed(node)
        let reader = try tree.openDirectory(InodeNumber(node))
        return directories.add(reader)
    }

    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        try listAll(node, handle: handle, from: offset, into: &listing, for: caller) { item in
            isItem(item.name.bytes, mode: item.mode)
        }
    }

    private func isItem(_ name: UnsafeRawBufferPointer, mode: UInt32) -> Bool {
        let kind = ItemKind(mode: mode)
        return isDeep ? kind == .file || kind == .directory : SharingRule.isItem(name, kind: kind)
    }

    /// Directories below the top are closed, for root too, whom mode bits do not stop.
    private func refuseClosed(_ directory: NodeKey) throws(Errno) {
        if !isDeep && directory != root { throw .permissionDenied }
    }

    private func shown(_ status: stat, of node: NodeKey) -> stat {
        if isDeep || node == root { return status }
        var shown = status
        let permissions = SharingRule.permissions(
            of: ItemKind(mode: status.st_mode), backing: status.permissions)
        shown.st_mode = status.st_mode & FileMode.typeMask | permissions
        return shown
    }
}
