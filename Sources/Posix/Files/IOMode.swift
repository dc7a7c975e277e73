public import SystemPackage

/// How the kernel of one mount treats the contents of an inode that is open there, the same for all handles.
public enum IOMode: Equatable, Sendable {
    /// Through the page cache of that mount.
    case cached
    /// Every read and write is a request.
    case direct
    /// By the kernel itself, in the backing file that it knows by this number: no request comes.
    case passthrough(backing: Int32)
}

/// Why a mount's contents do not pass through the kernel.
public enum PassthroughRefusal: Error, Equatable, Sendable {
    /// The mount asked for something else.
    case notAsked
    /// The kernel gives it only to processes with CAP_SYS_ADMIN.
    case notPrivileged
    /// The kernel does not offer it.
    case notOffered
    /// This view makes no use of it.
    case notUsed
    /// This process may not take leases on files of others, and so could not find out who writes them.
    case mayNotLease
    /// Leases of the backing file system do not tell who writes a file; overlayfs is such a one.
    case leasesTellNothing
    /// The kernel refuses files of the backing file system.
    case backingFileRefused(Errno)
}
