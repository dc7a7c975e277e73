internal import CLinux
public import SystemPackage

/// The type, identity, size and times of an item, all read by one system call. Times are nanoseconds since
/// 1970. If two stamps of a file are equal, nobody wrote to it in between; two writes within one tick of the
/// kernel's clock can be missed.
public struct ItemStamp: Equatable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    public let sizeBytes: UInt64
    public let links: UInt64
    /// 0 where the file system has no birth times.
    public let birth: Int64
    public let modified: Int64
    public let changed: Int64
    /// Type and permission bits.
    public let mode: UInt32
    public let uid: UInt32
    public let gid: UInt32
    /// Whether something is mounted there.
    public let isMount: Bool

    /// Permissions with set-user-id, set-group-id and sticky.
    public var permissions: UInt32 { mode & FileMode.permissions }
    public var isDirectory: Bool { mode & FileMode.typeMask == FileMode.directory }
    public var isRegular: Bool { mode & FileMode.typeMask == FileMode.regular }
    public var isSymlink: Bool { mode & FileMode.typeMask == FileMode.symlink }

    /// Of `name` in `directory`; a link is not followed.
    /// - Parameter name: "" for what `directory` holds.
    public init(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) {
        var stamp = lx_stamp()
        try valueOrErrno(lx_stamp(directory, name, &stamp))
        device = stamp.device
        inode = stamp.inode
        sizeBytes = stamp.size
        links = stamp.links
        birth = stamp.birth
        modified = stamp.modified
        changed = stamp.changed
        mode = stamp.mode
        uid = stamp.uid
        gid = stamp.gid
        isMount = stamp.is_mount != 0
    }

    /// Of what `fd` holds.
    public init(of fd: Int32) throws(Errno) { try self.init(fd, "") }

    /// Of what `file` holds; for one that has no other use, as a bare number does not keep it open.
    public init(of file: borrowing Descriptor) throws(Errno) { try self.init(file.raw, "") }

    /// nil where nothing has the name.
    public static func ifPresent(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) -> ItemStamp?
    {
        do throws(Errno) { return try ItemStamp(directory, name) } catch {
            // Nothing has a name that is too long.
            if error == .noSuchFileOrDirectory || error == .fileNameTooLong { return nil }
            throw error
        }
    }
}
