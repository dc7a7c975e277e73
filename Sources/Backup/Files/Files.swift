internal import CLinux
internal import Posix
internal import SystemPackage

/// Small operations on files below a directory descriptor; none follows a link, none leaves the directory.
enum Files {
    static func openDirectory(_ directory: Int32, _ path: String) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { lx_openat_beneath(directory, path, lx_o_directory, 0) })
    }

    /// Makes `name`, which must not be there, and opens it.
    static func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32 = 0o700) throws(Errno)
        -> Descriptor
    {
        try valueOrErrno(lx_mkdirat(directory, name, mode))
        return try openDirectory(directory, name)
    }

    /// Opens a regular file for reading.
    /// - Returns: nil where there is none, or where it is a link, a pipe, a device.
    static func openFile(_ directory: Int32, _ path: String) throws(Errno) -> Descriptor? {
        do {
            // O_NONBLOCK: opening a pipe must not wait for its writer.
            let flags = lx_o_nonblock | lx_o_noctty
            let file = Descriptor(owning: try retrying { lx_openat_beneath(directory, path, flags, 0) })
            guard try ItemStamp(of: file.raw).isRegular else { return nil }
            return file
        } catch Errno.noSuchFileOrDirectory, Errno.tooManySymbolicLinkLevels, Errno.noSuchAddressOrDevice,
            Errno.notDirectory
        {
            return nil
        }
    }

    /// The whole of a regular file.
    /// - Returns: nil where there is none, or where it is no regular file.
    /// - Throws: `BackupError` `damaged` past the limit, which no honest one reaches; `Errno`.
    static func read(_ directory: Int32, _ path: String, limitBytes: Int) throws -> [UInt8]? {
        guard let file = try openFile(directory, path) else { return nil }
        guard try ItemStamp(of: file.raw).sizeBytes <= UInt64(limitBytes) else {
            throw BackupError.damaged("\(path) is larger than \(limitBytes) bytes")
        }
        return try file.readAll(limitBytes: limitBytes)
    }

    /// Makes `name`, which must not be there, open for reading and writing.
    static func createFile(_ directory: Int32, _ name: String, mode: UInt32 = 0o600) throws(Errno)
        -> Descriptor
    {
        let flags = lx_o_rdwr | lx_o_creat | lx_o_excl | lx_o_nofollow
        return Descriptor(owning: try retrying { lx_openat_beneath(directory, name, flags, mode) })
    }

    static func write(_ directory: Int32, _ name: String, _ bytes: [UInt8]) throws(Errno) {
        let file = try createFile(directory, name)
        try file.writeAll(bytes)
    }

    static func exists(_ directory: Int32, _ name: String) throws(Errno) -> Bool {
        try ItemStamp.ifPresent(directory, name) != nil
    }

    static func isDirectory(_ directory: Int32, _ name: String) throws(Errno) -> Bool {
        try ItemStamp.ifPresent(directory, name)?.isDirectory ?? false
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
