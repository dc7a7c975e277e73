internal import CLinux

/// Who checks mode bits in a mount: its kernel, or the backing file system.
///
/// A kernel that checks asks for a directory's attributes after each change in it: one more request for
/// nearly every change. An ordinary user's own mount, served by a process of his, can do without: all that is
/// done on the backing files is done with his rights, and so is checked there.
public enum AccessChecks {
    /// Whether this process has the rights of one ordinary user and no others, and the kernel knows what such
    /// a mount needs of it.
    public static var mayBeLeftToBacking: Bool { lx_is_ordinary() != 0 && knowsExpiry }

    /// Whether the kernel knows FUSE_EXPIRE_ONLY (Linux 6.2): others would take away what is mounted on a
    /// name.
    private static var knowsExpiry: Bool { lx_kernel_is_at_least(6, 2) != 0 }
}
