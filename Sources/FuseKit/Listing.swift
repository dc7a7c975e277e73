internal import CFuse
public import Posix

/// The answer to one READDIR or READDIRPLUS while it is filled.
public struct Listing: ~Copyable {
    private let request: fuse_req_t
    private let nodes: NodeTable
    private let fileSystem: any FileSystem
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var usedBytes = 0
    /// The kernel wants each entry with its attributes.
    private let isPlus: Bool
    /// Names are enough, whatever the kernel wants: it asks for their attributes itself.
    public var leavesEntriesOut = false
    /// Whether each entry is to come with its attributes.
    public var wantsEntries: Bool { isPlus && !leavesEntriesOut }

    init(
        _ request: fuse_req_t, core: SessionCore, buffer: UnsafeMutableRawBufferPointer, wantsEntries: Bool
    ) {
        self.request = request
        nodes = core.nodes
        fileSystem = core.fileSystem
        self.buffer = buffer
        isPlus = wantsEntries
    }

    /// Adds a name without its attributes.
    /// - Parameter next: where to go on after this entry.
    /// - Returns: false where it does not fit: the listing is full.
    public mutating func add(_ name: FileName, inode: UInt64, mode: UInt32, next: Int64) -> Bool {
        if isPlus {
            return addPlus(name, Entry.unknown(inode: inode, mode: mode), number: 0, next: next)
        }
        var status = stat()
        status.st_ino = UInt(inode)
        status.st_mode = mode
        let room = buffer.count - usedBytes
        let size = fuse_add_direntry(request, position, room, name.cString, &status, Int(next))
        if size > room { return false }
        usedBytes += size
        return true
    }

    /// Adds a name with what `FileSystem.lookup` would answer, whose reference it takes.
    /// - Returns: false where it does not fit; the reference is then given back.
    public mutating func add(_ name: FileName, _ entry: Entry, next: Int64) -> Bool {
        guard let node = entry.node else {
            return add(name, inode: UInt64(entry.status.st_ino), mode: entry.status.st_mode, next: next)
        }
        guard addPlus(name, entry, number: nodes.number(of: node), next: next) else {
            fileSystem.forget(node, count: 1)
            return false
        }
        if !nodes.count(node) { fileSystem.forget(node, count: 1) }
        return true
    }

    private mutating func addPlus(_ name: FileName, _ entry: Entry, number: fuse_ino_t, next: Int64) -> Bool {
        var parameters = fuse_entry_param(entry, numbered: number)
        let room = buffer.count - usedBytes
        let size = fuse_add_direntry_plus(request, position, room, name.cString, &parameters, Int(next))
        if size > room { return false }
        usedBytes += size
        return true
    }

    private var position: UnsafeMutablePointer<CChar>? {
        buffer.baseAddress?.advanced(by: usedBytes).assumingMemoryBound(to: CChar.self)
    }

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<usedBytes]) }
}

extension Entry {
    /// An entry of a listing that the kernel has to look up itself.
    static func unknown(inode: UInt64, mode: UInt32) -> Entry {
        var status = stat()
        status.st_ino = UInt(inode)
        status.st_mode = mode
        return Entry(node: nil, generation: 0, status: status, entrySeconds: 0, attributeSeconds: 0)
    }
}
