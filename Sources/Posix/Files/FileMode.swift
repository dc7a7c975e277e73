public import CLinux
public import SystemPackage

/// The parts of st_mode, as the unsigned numbers that they are.
public enum FileMode {
    public static let typeMask: UInt32 = 0o170000
    public static let directory: UInt32 = 0o040000
    public static let regular: UInt32 = 0o100000
    public static let symlink: UInt32 = 0o120000
    public static let characterDevice: UInt32 = 0o020000
    public static let blockDevice: UInt32 = 0o060000
    /// Permissions with set-user-id, set-group-id and sticky.
    public static let permissions: UInt32 = 0o7777
    public static let setUserID: UInt32 = 0o4000
    public static let setGroupID: UInt32 = 0o2000
    public static let groupExecute: UInt32 = 0o010
}

extension FileMode {
    /// The status of an item that no file system holds.
    ///
    /// No initialiser of `stat`: where a room sees the C library's before this module's, it does not find it.
    /// - Parameters:
    ///   - mode: kind and permissions.
    ///   - time: of every change; nanoseconds since 1970.
    public static func status(
        _ mode: UInt32, of owner: Owner, at time: Int64, number: UInt64, sizeBytes: Int64 = 0
    ) -> stat {
        var status = stat()
        status.st_ino = UInt(number)
        status.st_nlink = mode & typeMask == directory ? 2 : 1
        status.st_mode = mode
        (status.st_uid, status.st_gid) = (owner.uid, owner.gid)
        status.st_size = Int(sizeBytes)
        status.st_blksize = 4096
        let time = timespec(nanoseconds: time)
        (status.st_atim, status.st_mtim, status.st_ctim) = (time, time, time)
        return status
    }
}

extension stat {
    /// Of `name` in `directory`; a link is not followed.
    /// - Parameter name: "" for what `directory` holds.
    public init(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) {
        self.init()
        try valueOrErrno(lx_fstatat(directory, name, &self, lx_at_symlink_nofollow | lx_at_empty_path))
    }

    /// Of what `file` holds.
    public init(of file: Int32) throws(Errno) {
        self.init()
        try valueOrErrno(lx_fstat(file, &self))
    }

    public var isDirectory: Bool { st_mode & FileMode.typeMask == FileMode.directory }
    public var isRegular: Bool { st_mode & FileMode.typeMask == FileMode.regular }
    public var isSymlink: Bool { st_mode & FileMode.typeMask == FileMode.symlink }
    public var permissions: UInt32 { st_mode & FileMode.permissions }
    /// Has set-user-id or set-group-id.
    public var isPrivileged: Bool { st_mode & (FileMode.setUserID | FileMode.setGroupID) != 0 }
}

extension Errno {
    /// ESTALE: what the caller holds is gone, and its name may mean something else.
    public static let staleHandle = Errno(rawValue: 116)
    /// EOPNOTSUPP, by the name that it has in every manual page.
    public static let operationNotSupported = Errno(rawValue: 95)
}
