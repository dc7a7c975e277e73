internal import CLinux
public import HomeTree
public import Posix
public import SystemPackage

/// Files of a home that the daemon reads, and small ones that it replaces whole.
extension HomeTree {
    /// The bytes and permission bits of a regular file; nil where nothing has the name.
    /// - Throws: EFBIG over the limit; EINVAL where it is no regular file.
    public func readFile(
        _ name: FileName, in directory: InodeNumber, limitBytes: Int
    ) throws(Errno) -> (bytes: [UInt8], mode: UInt32)? {
        guard let found = try peek(name, in: directory) else { return nil }
        defer { forget(found.inode) }
        guard found.status.isRegular else { throw .invalidArgument }
        var bytes: [UInt8] = []
        try readContents(of: found) { (run) throws(Errno) in
            bytes += run
            // A program may be writing to it: what counts is what was read, not its size before.
            if bytes.count > limitBytes { throw .fileTooLarge }
        }
        return (bytes, found.status.permissions & 0o777)
    }

    /// Gives the bytes of a regular file, in order and in runs of 64 KiB at most, to `body`.
    public func readContents(
        of found: Found, _ body: ([UInt8]) throws(Errno) -> Void
    ) throws(Errno) {
        let handle = try open(found.inode, flags: 0)
        defer { close(handle, of: found.inode) }
        var run = [UInt8](repeating: 0, count: 64 << 10)
        var offset: Int64 = 0
        while true {
            let count = try retrying { lx_pread(handle.descriptor, &run, UInt64(run.count), offset) }
            if count == 0 { return }
            try body(Array(run[..<Int(count)]))
            offset += count
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
