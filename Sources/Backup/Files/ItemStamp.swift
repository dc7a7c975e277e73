internal import CLinux
internal import Posix
public import SystemPackage

/// What statx(2) says of an item. Two equal stamps of a file mean that nobody wrote it between them.
public struct ItemStamp: Equatable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    public let sizeBytes: UInt64
    public let links: UInt64
    /// Nanoseconds since 1970, as are the two below; 0 where the file system has none.
    public let birth: Int64
    public let modified: Int64
    public let changed: Int64
    /// Type and permissions.
    public let mode: UInt32
    public let userID: UInt32
    public let groupID: UInt32

    init(_ raw: lx_stamp) {
        device = raw.device
        inode = raw.inode
        sizeBytes = raw.size
        links = raw.links
        birth = raw.birth
        modified = raw.modified
        changed = raw.changed
        mode = raw.mode
        userID = raw.uid
        groupID = raw.gid
    }

    /// Of what `fd` holds.
    public init(of fd: Int32) throws(Errno) {
        var raw = lx_stamp()
        try valueOrErrno(lx_stamp(fd, "", &raw))
        self.init(raw)
    }

    /// Of `name` in `directory`; a link is not followed.
    public init(at directory: Int32, _ name: String) throws(Errno) {
        var raw = lx_stamp()
        try valueOrErrno(lx_stamp(directory, name, &raw))
        self.init(raw)
    }

    public var isRegular: Bool { mode & FileMode.typeMask == FileMode.regular }
    public var isDirectory: Bool { mode & FileMode.typeMask == FileMode.directory }

    static func seconds(_ nanoseconds: Int64) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }
}
