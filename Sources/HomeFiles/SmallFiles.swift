internal import CLinux
public import HomeTree
public import Posix
public import SystemPackage

/// Small files of a home that the daemon reads and replaces whole.
extension HomeTree {
    /// The bytes and permission bits of a regular file; nil where nothing has the name.
    /// - Throws: EFBIG over the limit; EINVAL where it is no regular file.
    public func readFile(
        _ name: FileName, in directory: InodeNumber, limitBytes: Int
    ) throws(Errno) -> (bytes: [UInt8], mode: UInt32)? {
        guard let found = try peek(name, in: directory) else { return nil }
        defer { forget(found.inode) }
        guard found.status.isRegular else { throw .invalidArgument }
        let handle = try open(found.inode, flags: 0)
        defer { close(handle, of: found.inode) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try retrying {
                lx_pread(handle.descriptor, &chunk, UInt64(chunk.count), Int64(bytes.count))
            }
            if count == 0 { return (bytes, found.status.permissions & 0o777) }
            bytes += chunk[..<Int(count)]
            // A program may be writing to it: what counts is what was read, not its size before.
            if bytes.count > limitBytes { throw .fileTooLarge }
        }
    }

    /// Puts `bytes` under a name, as `place` puts a file.
    public func place(
        _ bytes: [UInt8], as name: FileName, in directory: InodeNumber, mode: UInt32, owner: Owner
    ) throws(Errno) {
        let file = try temporaryFile()
        try file.writeAll(bytes)
        try place(file.raw, as: name, in: directory, mode: mode, owner: owner)
    }
}
