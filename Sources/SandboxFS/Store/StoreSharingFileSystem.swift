public import CLinux
public import FuseKit
public import Posix
internal import SandboxRules
public import SystemPackage

/// The sharing view straight from a cloud store (SPEC 5, `--from`): the same items as `SharingFileSystem`
/// shows, with bytes that are fetched when they are read.
public final class StoreSharingFileSystem: FileSystem {
    private let documents: any StoreDocuments
    private let isDeep: Bool
    /// Whom all that is shown belongs to.
    private let owner: Owner
    public let root = NodeKey(rawValue: 0)
    private let files = OpenNumbers<any StoreFile>()
    /// Each with what it held when it was read from the beginning.
    private let directories = OpenNumbers<[StoreItem]>()
    private static let blockBytes: UInt64 = 512

    public init(_ documents: any StoreDocuments, owner: Owner, isDeep: Bool = false) {
        self.documents = documents
        self.owner = owner
        self.isDeep = isDeep
    }

    public func lookup(
        _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuseClosed(directory)
        let item = try documents.item(named: name.text, in: directory.rawValue)
        guard isShown(item) else { throw .noSuchFileOrDirectory }
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
        // One run of bytes: what is not on this machine is no hole.
        let end = Int64(clamping: try documents.item(node.rawValue).sizeBytes)
        guard offset >= 0, offset < end else { throw .noSuchAddressOrDevice }
        return whence == lx_seek_hole ? end : offset
    }

    public func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        throw .invalidArgument
    }

    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        try refuseClosed(node)
        return directories.add([])
    }

    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        if offset == 0 { directories[handle] = try documents.items(in: node.rawValue).filter(isShown) }
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

    public func statistics(of node: NodeKey) throws(Errno) -> statvfs {
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

    private func isShown(_ item: StoreItem) -> Bool {
        guard !item.isSymlink else { return false }
        guard !isDeep else { return true }
        var name = item.name
        return name.withUTF8 {
            SharingRule.isItem(UnsafeRawBufferPointer($0), kind: item.isDirectory ? .directory : .file)
        }
    }

    private func refuseClosed(_ directory: NodeKey) throws(Errno) {
        if !isDeep && directory != root { throw .permissionDenied }
    }

    private func status(of item: StoreItem) -> stat {
        let kind: ItemKind = item.isDirectory ? .directory : .file
        let isOpen = isDeep || item.number == root.rawValue
        let permissions =
            isOpen ? item.mode & 0o555 : SharingRule.permissions(of: kind, backing: item.mode)
        let type = item.isDirectory ? FileMode.directory : FileMode.regular
        var status = stat(
            type | permissions, of: owner, at: item.modified, number: UInt64(item.number) + 1,
            sizeBytes: Int64(clamping: item.sizeBytes))
        let blocks = item.sizeBytes.quotientAndRemainder(dividingBy: Self.blockBytes)
        status.st_blocks = Int(clamping: blocks.quotient + (blocks.remainder > 0 ? 1 : 0))
        return status
    }
}

/// A READ that is answered later, once: by the first answer that comes.
private final class PendingRead: Sendable {
    /// nil once the answer was sent.
    private let reply: Lock<ReadReply?>

    init(_ reply: consuming ReadReply) {
        reply.keep()
        self.reply = Lock(reply)
    }

    func answer(_ result: Result<[UInt8], Errno>) {
        guard let reply = reply.withLock({ $0.take() }) else { return }
        switch result {
        case .success(let bytes): reply.bytes(bytes)
        case .failure(let errno): reply.error(errno)
        }
    }
}
