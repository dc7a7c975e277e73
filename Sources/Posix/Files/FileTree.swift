internal import CLinux
internal import Glibc
public import SystemPackage

/// Small operations on files below a directory descriptor; none follows a link.
public enum FileTree {
    public static func openDirectory(_ directory: Int32, _ path: String) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { lx_openat_beneath(directory, path, O_RDONLY | lx_o_directory, 0) })
    }

    /// As `openDirectory`, for one whose owner may have closed it to himself: it is opened to him again.
    public static func openClosedDirectory(_ directory: Int32, _ path: String) throws(Errno) -> Descriptor {
        let found = Descriptor(
            owning: try retrying { lx_openat_beneath(directory, path, lx_o_path | lx_o_directory, 0) })
        let permissions = try ItemStamp(of: found).permissions
        if permissions & 0o700 != 0o700 {
            try valueOrErrno(lx_chmodat(found.raw, "", permissions | 0o700))
        }
        return Descriptor(owning: try valueOrErrno(lx_reopen(found.raw, O_RDONLY | lx_o_directory)))
    }

    /// Opens the directory `name`, which lies in `directory` itself.
    public static func openDirectory(_ directory: Int32, _ name: [CChar]) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { lx_openat_beneath(directory, name, O_RDONLY | lx_o_directory, 0) })
    }

    /// Makes `name` (mode 0755 unless told) and opens it; one that is there is an error.
    public static func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32 = 0o755) throws(Errno)
        -> Descriptor
    {
        try valueOrErrno(lx_mkdirat(directory, name, 0o700))
        let made = try openDirectory(directory, name)
        // Not by mkdirat: the process's umask would take bits away.
        try valueOrErrno(lx_fchmod(made.raw, mode))
        return made
    }

    /// Opens `path`, a chain of directories, making those that are missing (mode 0755).
    public static func ensureDirectory(_ directory: Int32, _ path: String) throws(Errno) -> Descriptor {
        var current = try openDirectory(directory, ".")
        for name in path.pathParts {
            do {
                current = try makeDirectory(current.raw, name)
            } catch Errno.fileExists {
                current = try openDirectory(current.raw, name)
            }
        }
        return current
    }

    public static func exists(_ directory: Int32, _ path: String) throws(Errno) -> Bool {
        do {
            _ = Descriptor(
                owning: try retrying { lx_openat_beneath(directory, path, lx_o_path | lx_o_nofollow, 0) })
            return true
        } catch Errno.noSuchFileOrDirectory, Errno.fileNameTooLong {
            // Nothing has a name that is too long.
            return false
        }
    }

    /// Opens a regular file for reading.
    /// - Parameter flags: of open(2), beside those that it always takes (O_NOATIME).
    /// - Returns: nil where there is none, or where it is a link, device or pipe.
    public static func openFile(
        _ directory: Int32, _ path: String, flags: Int32 = 0
    ) throws(Errno) -> Descriptor? {
        do {
            // O_NONBLOCK: opening a pipe must not wait for its writer.
            let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | flags
            let file = Descriptor(owning: try retrying { lx_openat_beneath(directory, path, flags, 0) })
            guard try ItemStamp(of: file.raw).isRegular else { return nil }
            return file
        } catch Errno.noSuchFileOrDirectory, Errno.tooManySymbolicLinkLevels, Errno.noSuchAddressOrDevice,
            Errno.notDirectory
        {
            return nil
        }
    }

    /// The whole of a regular file; links, devices and pipes are not opened.
    /// - Returns: nil where there is none, or where it is no regular file.
    /// - Throws: `Errno.fileTooLarge` past `limitBytes`.
    public static func read(_ directory: Int32, _ path: String, limitBytes: Int) throws(Errno) -> [UInt8]? {
        guard let file = try openFile(directory, path) else { return nil }
        let sizeBytes = try ItemStamp(of: file.raw).sizeBytes
        guard sizeBytes <= UInt64(limitBytes) else { throw .fileTooLarge }
        return try read(file.raw, offset: 0, count: Int(sizeBytes))
    }

    /// Up to `count` bytes at `offset`; fewer only at the end of the file.
    public static func read(_ file: Int32, offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        // Not set to zeros first: sync and backups read whole files by this.
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                while filled < count {
                    let rest = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let position = offset + Int64(filled)
                    let got = try retrying { lx_pread(file, rest.baseAddress, UInt64(rest.count), position) }
                    if got == 0 { return }
                    filled += Int(got)
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at `offset`, however many calls it takes.
    public static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, offset: Int64) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let position = offset + Int64(done)
            done += Int(try retrying { lx_pwrite(file, rest.baseAddress, UInt64(rest.count), position) })
        }
    }

    public static func write(_ file: Int32, _ bytes: [UInt8], offset: Int64) throws(Errno) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
            try write(file, bytes, offset: offset)
        }
    }

    /// Makes `name`, which must not be there, open for reading and writing.
    public static func createFile(_ directory: Int32, _ name: String, mode: UInt32 = 0o600) throws(Errno)
        -> Descriptor
    {
        let flags = O_RDWR | O_CREAT | O_EXCL
        return Descriptor(owning: try retrying { lx_openat_beneath(directory, name, flags, mode) })
    }

    /// Makes `name` with these bytes; one that is there is an error.
    public static func create(_ directory: Int32, _ name: String, _ bytes: [UInt8], mode: UInt32 = 0o644)
        throws(Errno)
    {
        let file = try Descriptor(
            at: directory, name, flags: O_WRONLY | O_CREAT | O_EXCL | lx_o_nofollow, mode: mode)
        try valueOrErrno(lx_fchmod(file.raw, mode))
        try write(file.raw, bytes, offset: 0)
    }

    /// Puts `bytes` in the place of `name` in one step, on the disk when this returns.
    public static func replace(
        _ directory: Int32, _ name: String, _ bytes: [UInt8], mode: UInt32 = 0o644
    ) throws(Errno) {
        let aside = name + ".new"
        _ = lx_unlinkat(directory, aside, 0)
        try create(directory, aside, bytes, mode: mode)
        let file = try Descriptor(at: directory, aside, flags: O_RDONLY | lx_o_nofollow)
        try valueOrErrno(lx_fsync(file.raw, 0))
        try valueOrErrno(lx_renameat2(directory, aside, directory, name, 0))
        try valueOrErrno(lx_fsync(directory, 0))
    }
}
