public import CLinux
public import FuseKit
public import Posix
public import SystemPackage

/// An app's documents straight from a cloud store (SPEC 5 and 6, `--from`): the same items as the views of a
/// device show, with bytes that are fetched when they are read. Nothing can be changed.
public final class StoreFileSystem: FileSystem {
    private let documents: any StoreDocuments
    private let kind: StoreViewKind
    /// The upper half of the inode numbers: what else the mount shows has others, for programs take two files
    /// of one number for the same file.
    private let numberSpace: UInt32
    /// Whom all that is shown belongs to.
    private let owner: Owner
    public let root = NodeKey(rawValue: 0)
    private let files = OpenNumbers<any StoreFile>()
    /// Each with what it held when it was read from the beginning.
    private let directories = OpenNumbers<[StoreItem]>()

    /// - Parameter numberSpace: one for each file system of the mount; 0 where there is no other.
    public init(
        _ documents: any StoreDocuments, owner: Owner, _ kind: StoreViewKind, numberSpace: UInt32 = 0
    ) {
        self.documents = documents
        self.owner = owner
        self.kind = kind
        self.numberSpace = numberSpace
    }

    /// The first look may wait for the store, and the first after a long rest.
    public func isSlow(at node: NodeKey) -> Bool { true }

    public func lookup(
        _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuseClosed(directory)
        let item = try documents.item(named: name.text, in: directory.rawValue)
        guard kind.shows(item) else { throw .noSuchFileOrDirectory }
        return Entry(
            node: NodeKey(rawValue: item.number), generation: 1, status: status(of: item), entrySeconds: 0,
            attributeSeconds: 0)
    }

    /// Numbers live as long as the view.
    public func forget(_ node: NodeKey, count: Int) {}

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        Attributes(status: status(of: try documents.item(node.rawValue)), seconds: 0)
    }

    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        if flags & (lx_o_accmode | lx_o_trunc) != 0 { throw .readOnlyFileSystem }
        return Opened(handle: files.add(try documents.open(node.rawValue)), mode: .direct)
    }

    public func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        guard offset >= 0 else { return reply.error(.invalidArgument) }
        guard let file = files[handle] else { return reply.error(.badFileDescriptor) }
        let pending = PendingRead(reply)
        file.read(offset: UInt64(offset), sizeBytes: sizeBytes) { pending.answer($0) }
    }

    public func release(_ node: NodeKey, handle: HandleKey) { files.remove(handle) }

    public func seek(
        _ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32
    ) throws(Errno) -> Int64 {
        let sizeBytes = try documents.item(node.rawValue).sizeBytes
        return try UnbackedItem.seek(offset: offset, whence: whence, ofBytes: sizeBytes)
    }

    public func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard case .symlink(let target) = try documents.item(node.rawValue).content else {
            throw .invalidArgument
        }
        return UnbackedItem.give(target, to: buffer)
    }

    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        try refuseClosed(node)
        return directories.add([])
    }

    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        if offset == 0 { directories[handle] = try documents.items(in: node.rawValue).filter(kind.shows) }
        let items = directories[handle] ?? []
        for (index, item) in items.enumerated().dropFirst(Int(clamping: offset)) {
            let status = status(of: item)
            let isAdded = try item.name.withFileName { (name) throws(Errno) in
                listing.add(
                    name, inode: UInt64(status.st_ino), mode: status.st_mode, next: Int64(index + 1))
            }
            if !isAdded { return }
        }
    }

    public func releaseDirectory(_ node: NodeKey, handle: HandleKey) { directories.remove(handle) }

    public func statistics(of node: NodeKey) throws(Errno) -> statvfs { Self.statistics }

    /// Nobody knows how much room a store has.
    public static var statistics: statvfs {
        var statistics = statvfs()
        statistics.f_bsize = 4096
        statistics.f_frsize = 4096
        statistics.f_namemax = 255
        return statistics
    }

    public func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { throw .noData }

    public func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { 0 }

    private func refuseClosed(_ directory: NodeKey) throws(Errno) {
        if !kind.opensFolders && directory != root { throw .permissionDenied }
    }

    private func status(of item: StoreItem) -> stat {
        let isTop = item.number == root.rawValue
        let mode: UInt32 =
            switch item.content {
            case .symlink: FileMode.symlink | 0o777
            case .directory: FileMode.directory | (isTop ? item.mode & 0o555 : kind.permissions(of: item))
            case .file: FileMode.regular | kind.permissions(of: item)
            }
        var status = FileMode.status(
            mode, of: owner, at: item.modified,
            number: UInt64(numberSpace) << 32 | (UInt64(item.number) + 1),
            sizeBytes: Int64(clamping: item.sizeBytes))
        status.st_blocks = UnbackedItem.blocks(ofBytes: item.sizeBytes)
        return status
    }
}
