public import CLinux
public import FuseKit
public import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// What every view of a home answers alike: inodes and handles are the tree's.
public protocol TreeFileSystem: FileSystem {
    var tree: HomeTree { get }
    var directories: OpenDirectories { get }
    var modes: ViewModes { get }
    /// How long the kernel may believe attributes.
    var attributeSeconds: Double { get }
    /// Whether this file system checks mode bits, and not the kernel.
    var checksAccess: Bool { get }
    /// List Apple's attribute names with `user.`, for tools that copy only `user.*`.
    var listsPrefixedAttributes: Bool { get }
}

extension NodeKey {
    init(_ inode: InodeNumber) { self.init(rawValue: inode.rawValue) }
}

extension InodeNumber {
    init(_ node: NodeKey) { self.init(rawValue: node.rawValue) }
}

extension FileHandle {
    init(_ handle: HandleKey) { self.init(rawValue: handle.rawValue) }
}

extension Owner {
    init(_ caller: Caller) { self.init(uid: caller.uid, gid: caller.gid) }
}

extension Asker {
    init(_ caller: Caller) { self = .thread(caller.thread) }
}

extension TreeFileSystem {
    public var checksAccess: Bool { false }

    public func forget(_ node: NodeKey, count: Int) { tree.forget(InodeNumber(node), count: count) }

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        Attributes(status: try tree.attributes(of: InodeNumber(node)), seconds: attributeSeconds)
    }

    public func readLink(
        _ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int { try tree.readLink(InodeNumber(node), into: buffer) }

    public func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        reply.data(from: FileHandle(handle).descriptor, offset: offset, sizeBytes: sizeBytes)
    }

    public func release(_ node: NodeKey, handle: HandleKey) { close(handle, of: node) }

    func close(_ handle: HandleKey, of node: NodeKey) {
        modes.leave(InodeNumber(node))
        tree.close(FileHandle(handle), of: InodeNumber(node))
    }

    public func seek(
        _ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32
    ) throws(Errno) -> Int64 { try tree.seek(FileHandle(handle), offset: offset, whence: whence) }

    public func statistics(of node: NodeKey) throws(Errno) -> statvfs { try tree.statistics() }

    public func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { try readExtendedAttribute(name, of: InodeNumber(node), into: buffer) }

    public func isSlow(attribute name: FileName, of node: NodeKey) -> Bool {
        AttributeName.standing(of: name.bytes) == .status
    }

    public func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        try readExtendedAttributeNames(of: InodeNumber(node), into: buffer, for: caller)
    }
}

extension TreeFileSystem {
    /// - Throws: ENOSYS where the kernel may keep listings, and checks who may have them: it then opens no
    ///   directory of this view any more, and asks for nothing that it has.
    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        if attributeSeconds > 0, !checksAccess { throw .noFunction }
        let reader = try tree.openDirectory(InodeNumber(node))
        return directories.add(reader)
    }

    public func releaseDirectory(_ node: NodeKey, handle: HandleKey) {
        directories.remove(handle)
    }

    public func syncDirectory(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        try directories.reader(handle, of: node, in: tree).sync()
        directories.end(handle, of: node)
    }

    /// Lists a directory as the tree has it. `shows` decides which names are in the view.
    /// - Returns: whether `listing` has all names up to the end.
    @discardableResult
    func listAll(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller,
        shows: (DirectoryReader.Item) -> Bool = { _ in true }
    ) throws(Errno) -> Bool {
        var isEmpty = true
        var isWhole = true
        let reader = try directories.reader(handle, of: node, in: tree)
        try reader.read(from: offset) { (item) throws(Errno) in
            if !item.name.isDotOrDotDot && !shows(item) { return true }
            isEmpty = false
            isWhole = try reader.withShownName(of: item.name) { (name) throws(Errno) in
                try add(item, as: name, of: node, to: &listing, for: caller)
            }
            return isWhole
        }
        if isEmpty { directories.end(handle, of: node) }
        return isWhole
    }

    /// - Returns: false where it finds no room.
    private func add(
        _ item: DirectoryReader.Item, as name: FileName, of node: NodeKey, to listing: inout Listing,
        for caller: Caller
    ) throws(Errno) -> Bool {
        guard listing.wantsEntries, !name.isDotOrDotDot else {
            return listing.add(name, inode: item.inode, mode: item.mode, next: item.next)
        }
        let entry: Entry
        do throws(Errno) {
            entry = try lookup(name, in: node, for: caller)
        } catch {
            // Gone since it was listed, or not of this view.
            if error == .noSuchFileOrDirectory { return true }
            // In a directory that may be read and not searched a name is all there is.
            return listing.add(name, inode: item.inode, mode: item.mode, next: item.next)
        }
        return entry.node == nil || listing.add(name, entry, next: item.next)
    }
}
