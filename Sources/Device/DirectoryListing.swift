internal import CLinux
internal import Posix
internal import SystemPackage

/// The names in a directory.
enum DirectoryListing {
    /// A name that is not UTF-8: nothing that an app's bundle may hold.
    struct InvalidName: Error {}

    /// The names in the directory `fd`, in the order of their bytes.
    ///
    /// - Throws: `InvalidName` for one that is not UTF-8; E2BIG for more than `limit`.
    static func names(in fd: Int32, limit: Int = 1_000_000) throws -> [String] {
        let names = try rawNames(in: fd, limit: limit).map { raw in
            guard
                let name = String(validating: raw.dropLast().lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
            else {
                throw InvalidName()
            }
            return name
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names in the directory `fd` as C strings (with their zero byte), without `.` and `..`, from its
    /// beginning.
    static func rawNames(in fd: Int32, limit: Int = .max) throws(Errno) -> [[CChar]] {
        try valueOrErrno(lx_lseek(fd, 0, 0))
        var names: [[CChar]] = []
        let bufferBytes = 32 << 10
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = try retrying { lx_getdents64(fd, buffer.baseAddress, UInt64(bufferBytes)) }
            if count == 0 { return names }
            DirectoryRecords.forEachName(in: UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) {
                name in
                names.append(name.map(CChar.init(bitPattern:)) + [0])
            }
            guard names.count <= limit else { throw Errno.argListTooLong }
        }
    }
}
