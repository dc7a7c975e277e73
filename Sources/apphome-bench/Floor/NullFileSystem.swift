import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage

/// A file system that answers every request at once, from constants: what a request costs on it is what
/// the transport costs. It holds one file, `file`, with one extended attribute.
///
/// The kernel may keep names and attributes for ever, so that a getxattr(2) of the file is one request.
final class NullFileSystem: FileSystem {
    static let fileName = "file"
    static let attribute = "user.bench"
    static let value = "value"

    let root = NodeKey(rawValue: 0)
    private let file = NodeKey(rawValue: 1)
    private let rootStatus: stat
    private let fileStatus: stat
    private let nameBytes = Array(NullFileSystem.fileName.utf8)
    private let valueBytes = Array(NullFileSystem.value.utf8)
    private let secondsForEver = 86_400.0 * 365

    init() {
        var status = stat()
        status.st_uid = geteuid()
        status.st_gid = getegid()
        status.st_blksize = 4_096
        status.st_ino = 1
        status.st_mode = S_IFDIR | 0o755
        status.st_nlink = 2
        rootStatus = status
        status.st_ino = 2
        status.st_mode = S_IFREG | 0o644
        status.st_nlink = 1
        fileStatus = status
    }

    func lookup(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) -> Entry {
        let isFile = directory == root && name.bytes.elementsEqual(nameBytes)
        return Entry(
            node: isFile ? file : nil, generation: 1, status: fileStatus, entrySeconds: secondsForEver,
            attributeSeconds: secondsForEver)
    }

    func forget(_ node: NodeKey, count: Int) {}

    func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        Attributes(status: node == root ? rootStatus : fileStatus, seconds: secondsForEver)
    }

    func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        if buffer.isEmpty { return valueBytes.count }
        guard buffer.count >= valueBytes.count else { throw Errno(rawValue: ERANGE) }
        buffer.copyBytes(from: valueBytes)
        return valueBytes.count
    }

    func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { 0 }

    func statistics(of node: NodeKey) throws(Errno) -> statvfs { statvfs() }

    /// The file has no content.
    func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened { Opened(handle: HandleKey(rawValue: 0), mode: .direct) }
    func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) { reply.error(.operationNotSupported) }
    func release(_ node: NodeKey, handle: HandleKey) {}
    func seek(_ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32) throws(Errno) -> Int64 {
        throw .operationNotSupported
    }
    func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        throw .invalidArgument
    }

    /// The listing is empty: nobody looks for the file but by its name.
    func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        HandleKey(rawValue: 0)
    }
    func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {}
    func releaseDirectory(_ node: NodeKey, handle: HandleKey) {}
}
