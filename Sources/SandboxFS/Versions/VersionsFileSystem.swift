public import CLinux
public import FuseKit
internal import HomeTree
public import Posix
internal import SandboxRules
internal import Synchronization
public import SystemPackage

/// A home with the conflict versions of its documents beside them (SPEC 7, `--conflicts visible`):
/// files for reading, and removing one drops that version for all devices.
///
/// They are in no directory of the backing file system: who removes directories does not meet them, and no
/// other view has them. The kernel remembers no listing of this mount, and of Documents no name that is
/// missing, since versions come and go with sync.
public final class VersionsFileSystem: ForwardingFileSystem {
    public let home: HomeFileSystem
    private let siblings = ConflictSiblings()
    /// What is listed after the names of the backing directory, by the number of the opened directory.
    let listed = OpenNumbers<[any ConflictVersion]>()
    let listedBefore: ListedVersions
    /// How many versions were opened.
    let opened = Atomic<UInt64>(0)

    public init(_ home: HomeFileSystem) {
        self.home = home
        listedBefore = ListedVersions(home.tree)
    }

    // MARK: Names

    public func lookup(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) -> Entry {
        let found: Entry?
        do throws(Errno) {
            found = try home.lookup(name, in: directory, for: caller)
            if let found, found.node != nil { return found }
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
            found = nil
        }
        if let versions = home.tree.conflictVersions(in: InodeNumber(directory)) {
            if let version = named(name, versions) ?? listed(name, in: directory) {
                return try entry(of: version, in: directory)
            }
        } else if let found {
            return found
        }
        throw .noSuchFileOrDirectory
    }

    private func named(_ name: FileName, _ versions: [any ConflictVersion]) -> (any ConflictVersion)? {
        let policy = home.tree.policy
        return versions.first { version in
            var own = version.name
            return own.withUTF8 { policy.isSame(name.bytes, UnsafeRawBufferPointer($0)) }
        }
    }

    /// One that sync has taken since it was listed.
    private func listed(_ name: FileName, in directory: NodeKey) -> (any ConflictVersion)? {
        named(name, listedBefore.versions(of: directory))
    }

    func entry(of version: any ConflictVersion, in directory: NodeKey) throws(Errno) -> Entry {
        let sibling = try sibling(of: version, in: directory)
        return Entry(
            node: siblings.add(sibling), generation: 1, Attributes(status: sibling.status, seconds: 0))
    }

    func sibling(
        of version: any ConflictVersion, in directory: NodeKey
    ) throws(Errno) -> ConflictSibling {
        let above = try home.tree.attributes(of: InodeNumber(directory))
        return ConflictSibling(
            version: version, directory: directory, owner: Owner(uid: above.st_uid, gid: above.st_gid))
    }

    public func forget(_ node: NodeKey, count: Int) {
        if ConflictSiblings.has(node) {
            siblings.forget(node, count: count)
        } else {
            home.forget(node, count: count)
        }
    }

    /// The version that a name stands for; nil where the home has an item of that name.
    private func version(
        _ name: FileName, in directory: NodeKey
    ) throws(Errno) -> (any ConflictVersion)? {
        guard let versions = home.tree.conflictVersions(in: InodeNumber(directory)),
            let version = named(name, versions), try !isItem(name, in: directory)
        else { return nil }
        return version
    }

    func isItem(_ name: FileName, in directory: NodeKey) throws(Errno) -> Bool {
        guard let found = try home.tree.peek(name, in: InodeNumber(directory)) else { return false }
        home.tree.forget(found.inode)
        return true
    }

    public func removeFile(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        if let version = try version(name, in: directory) {
            try home.checkNatively(lx_may_write | lx_may_search, directory)
            try version.drop()
            return listedBefore.forget(version, of: directory)
        }
        do throws(Errno) {
            try home.removeFile(name, in: directory, for: caller)
        } catch {
            guard error == .noSuchFileOrDirectory, let version = listed(name, in: directory) else {
                throw error
            }
            listedBefore.forget(version, of: directory)
        }
    }

    /// Programs that find two file systems copy, as mv does: the version becomes a document of its own.
    public func rename(
        _ name: FileName, in directory: NodeKey, to newName: FileName, in newDirectory: NodeKey,
        flags: UInt32, for caller: Caller
    ) throws(Errno) {
        if try version(name, in: directory) != nil { throw .improperLink }
        if let there = try version(newName, in: newDirectory) {
            throw refused("rename", there.name, newDirectory, caller)
        }
        try home.rename(name, in: directory, to: newName, in: newDirectory, flags: flags, for: caller)
    }

    public func link(
        _ node: NodeKey, as name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        if ConflictSiblings.has(node) { throw .improperLink }
        return try home.link(node, as: name, in: directory, for: caller)
    }

    /// Records that a change was refused.
    /// - Returns: what the caller gets.
    private func refused(
        _ operation: String, _ name: String, _ directory: NodeKey, _ caller: Caller
    ) -> Errno {
        let error = Errno.notPermitted
        home.tree.recordRefusal(
            of: operation, name, in: InodeNumber(directory),
            rule: "a conflict version never changes: copy it, or keep it with apphome cloud resolve",
            error: error, by: Asker(caller))
        return error
    }

    // MARK: Attributes

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        guard let sibling = try sibling(node) else { return try home.attributes(of: node, handle: handle) }
        return Attributes(status: sibling.status, seconds: 0)
    }

    /// Nil for what the home has.
    /// - Throws: ESTALE for a number that nothing has.
    func sibling(_ node: NodeKey) throws(Errno) -> ConflictSibling? {
        guard ConflictSiblings.has(node) else { return nil }
        guard let sibling = siblings[node] else { throw .staleHandle }
        return sibling
    }

    public func setAttributes(
        _ changes: AttributeChanges, of node: NodeKey, handle: HandleKey?, for caller: Caller
    ) throws(Errno) -> Attributes {
        if let sibling = try sibling(node) { throw refused("change attributes", sibling, caller) }
        return try home.setAttributes(changes, of: node, handle: handle, for: caller)
    }

    func refused(_ operation: String, _ sibling: ConflictSibling, _ caller: Caller) -> Errno {
        refused(operation, sibling.version.name, sibling.directory, caller)
    }

    public func checkAccess(_ mode: Int32, to node: NodeKey, for caller: Caller) throws(Errno) {
        guard try sibling(node) != nil, home.checksAccess else {
            return try home.checkAccess(mode, to: node, for: caller)
        }
        if mode & (lx_may_write | lx_may_search) != 0 { throw .permissionDenied }
    }

    public func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard let sibling = try sibling(node) else { return try home.readLink(node, into: buffer) }
        guard case .symlink(let target) = sibling.version.content else { throw .invalidArgument }
        return UnbackedItem.give(target, to: buffer)
    }

    /// A version has the state of its document, and nothing else.
    public func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        guard try sibling(node) != nil else {
            return try home.extendedAttribute(name, of: node, into: buffer, for: caller)
        }
        guard AttributeName.standing(of: name.bytes) == .status else { throw .noData }
        return try home.give("conflict", to: buffer)
    }

    public func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        if try sibling(node) != nil { return 0 }
        return try home.extendedAttributeNames(of: node, into: buffer, for: caller)
    }

    public func setExtendedAttribute(
        _ name: FileName, to value: UnsafeRawBufferPointer, of node: NodeKey, flags: Int32, for caller: Caller
    ) throws(Errno) {
        if let sibling = try sibling(node) { throw refused("set an extended attribute", sibling, caller) }
        try home.setExtendedAttribute(name, to: value, of: node, flags: flags, for: caller)
    }

    public func removeExtendedAttribute(
        _ name: FileName, of node: NodeKey, for caller: Caller
    ) throws(Errno) {
        if let sibling = try sibling(node) { throw refused("set an extended attribute", sibling, caller) }
        try home.removeExtendedAttribute(name, of: node, for: caller)
    }

    public func statistics(of node: NodeKey) throws(Errno) -> statvfs {
        try home.statistics(of: ConflictSiblings.has(node) ? root : node)
    }
}
