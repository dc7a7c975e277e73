internal import CLinux
public import SystemPackage

/// An open file descriptor that this value owns: closed when the value ends.
public struct Descriptor: ~Copyable, Sendable {
    /// The number, for system calls; valid as long as this value lives.
    public let raw: Int32

    /// AT_FDCWD: names are relative to the working directory.
    public static let workingDirectory: Int32 = lx_at_fdcwd

    public init(owning raw: Int32) { self.raw = raw }

    /// Opens `path` below `directory` (openat(2), always O_CLOEXEC).
    /// - Throws: what openat(2) answers.
    public init(
        at directory: Int32 = Descriptor.workingDirectory, _ path: String, flags: Int32, mode: UInt32 = 0
    ) throws(Errno) {
        raw = try retrying { lx_openat(directory, path, flags, mode) }
    }

    /// As `init(at:_:flags:)`, for a path that another user chose: no link of /proc's is followed (ELOOP),
    /// which leads past all permissions to what this process or another one has open.
    public init(
        at directory: Int32 = Descriptor.workingDirectory, chosen path: String, flags: Int32
    ) throws(Errno) {
        raw = try retrying { lx_open_without_magic_links(directory, path, flags) }
    }

    /// Opens a directory to list it where no program asked for that: its access time stays as it is, if the
    /// directory is this user's. Follows no link as last name.
    public init(unnoticedDirectory path: String, at directory: Int32) throws(Errno) {
        raw = try retrying { lx_open_unnoticed(directory, path) }
    }

    deinit { _ = lx_close(raw) }

    /// Gives the number away: the caller closes it.
    public consuming func release() -> Int32 {
        let raw = self.raw
        discard self
        return raw
    }
}
