internal import CLinux
internal import Posix
internal import SystemPackage

/// The entries of a directory as getdents64(2) gives them, a buffer at a time.
struct DirectoryEntries: ~Copyable {
    struct Entry {
        let name: FileName
        let inode: UInt64
        /// Where the next entry is, for seeking.
        let next: Int64
        /// DT_… shifted to the type bits of a mode; 0 where the file system does not say.
        let mode: UInt32
    }

    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0
    private var end = 0

    init(bufferBytes: Int = 16 << 10) {
        buffer = .allocate(byteCount: bufferBytes, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// The next entry, valid until the next call; nil at the end.
    mutating func next(of directory: Int32) throws(Errno) -> Entry? {
        if position >= end {
            end = Int(try retrying { lx_getdents64(directory, buffer.baseAddress, UInt64(buffer.count)) })
            position = 0
            if end == 0 { return nil }
        }
        guard let record = buffer.baseAddress?.advanced(by: position) else { return nil }
        // struct linux_dirent64: ino, off, reclen (16 bits), type (8 bits), name.
        let length = Int(record.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
        let name = record.advanced(by: 19).assumingMemoryBound(to: CChar.self)
        position += length
        return Entry(
            name: FileName(name), inode: record.loadUnaligned(as: UInt64.self),
            next: record.loadUnaligned(fromByteOffset: 8, as: Int64.self),
            mode: UInt32(record.load(fromByteOffset: 18, as: UInt8.self)) << 12)
    }

    /// Drops what is buffered, after a seek.
    mutating func reset() {
        position = 0
        end = 0
    }
}
