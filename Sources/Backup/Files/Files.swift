internal import CLinux
internal import Posix
internal import SystemPackage

/// Reading and writing in pieces, and whole small files with a backup's own errors.
enum Files {
    /// Makes `name`, which must not be there, and opens it. Its mode is left as it was made: a backup may go
    /// to a file system that has none.
    static func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32 = 0o700) throws(Errno)
        -> Descriptor
    {
        try valueOrErrno(lx_mkdirat(directory, name, mode))
        return try FileTree.openDirectory(directory, name)
    }

    /// - Throws: `refused` where the file system of `directory` cannot exchange what has this name.
    static func refuseWithoutExchange(_ directory: Int32, of name: String) throws {
        guard try !Renaming.canExchange(in: directory) else { return }
        throw BackupError(
            .refused,
            "the file system there cannot exchange two folders, so a backup on it cannot be brought up to "
                + "date: move \(name) away, or use ext4, xfs or btrfs")
    }

    static func write(_ directory: Int32, _ name: String, _ bytes: [UInt8]) throws(Errno) {
        let file = try FileTree.createFile(directory, name)
        try file.writeAll(bytes)
    }

    /// The whole of a regular file.
    /// - Returns: nil where there is none.
    /// - Throws: `BackupError` `damaged` where it is no regular file, or is larger than any honest one;
    ///   `Errno`.
    static func read(_ directory: Int32, _ path: String, limitBytes: Int) throws -> [UInt8]? {
        try read(try FileTree.openFile(directory, path), of: directory, path, limitBytes: limitBytes)
    }

    /// - Parameter file: what was opened at that path; nil where that is no regular file.
    static func read(
        _ file: consuming Descriptor?, of directory: Int32, _ path: String, limitBytes: Int
    ) throws -> [UInt8]? {
        guard let file else {
            guard try FileTree.exists(directory, path) else { return nil }
            throw BackupError.damaged("\(path) is no file")
        }
        guard try ItemStamp(of: file.raw).sizeBytes <= UInt64(limitBytes) else {
            throw BackupError.damaged("\(path) is larger than \(limitBytes) bytes")
        }
        return try file.readAll(limitBytes: limitBytes)
    }

    /// Writes all of `bytes` where the file stands.
    static func append(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += Int(try retrying { lx_write(file, rest.baseAddress, UInt64(rest.count)) })
        }
    }

    /// Fills `buffer` from where the file stands; fewer bytes only at its end.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: Int32) throws(Errno) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try retrying { lx_read(file, rest.baseAddress, UInt64(rest.count)) }
            if count == 0 { break }
            done += Int(count)
        }
        return done
    }
}
