internal import CLinux
public import SystemPackage

/// The entries of a directory as getdents64(2) gives them, a buffer at a time.
public struct DirectoryEntries: ~Copyable {
    public struct Entry {
        /// Valid until the next call.
        public let name: FileName
        public let inode: UInt64
        /// Where the next entry is, for seeking.
        public let next: Int64
        /// The type bits of a mode; 0 where the file system does not say.
        public let mode: UInt32
    }

    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0
    private var end = 0

    public init(bufferBytes: Int = 16 << 10) {
        buffer = .allocate(byteCount: bufferBytes, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// The next entry, `.` and `..` among them; nil at the end.
    public mutating func next(of directory: Int32) throws(Errno) -> Entry? {
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
    public mutating func reset() {
        position = 0
        end = 0
    }
}

extension DirectoryEntries {
    /// All names in the directory `fd` as C strings (with their NUL), without `.` and `..`, from its
    /// beginning, in the file system's order.
    ///
    /// - Throws: E2BIG for more than `limit`; what getdents64(2) answers.
    public static func names(in fd: Int32, limit: Int = .max) throws(Errno) -> [[CChar]] {
        try valueOrErrno(lx_lseek(fd, 0, 0))
        var names: [[CChar]] = []
        var entries = DirectoryEntries(bufferBytes: 32 << 10)
        while let entry = try entries.next(of: fd) {
            if entry.name.isDotOrDotDot { continue }
            guard names.count < limit else { throw .argListTooLong }
            names.append(entry.name.terminated)
        }
        return names
    }
}

extension DirectoryEntries {
    /// The same of a directory that has no other use, as a bare number does not keep it open.
    public static func names(in directory: borrowing Descriptor, limit: Int = .max) throws(Errno) -> [[CChar]]
    {
        try names(in: directory.raw, limit: limit)
    }
}

/// A name as `DirectoryEntries.names` gives it: its last element is the NUL.
extension [CChar] {
    /// Without the NUL.
    public var nameBytes: [UInt8] { dropLast().map(UInt8.init(bitPattern:)) }

    /// Invalid UTF-8 is repaired, so this is for people, and for names that this program chose.
    public var nameText: String { String(decoding: nameBytes, as: UTF8.self) }

    /// nil where it is not UTF-8.
    public var validName: String? { String(validating: nameBytes, as: UTF8.self) }
}

extension FileName {
    /// A copy that lasts, with its NUL.
    public var terminated: [CChar] { Array(UnsafeBufferPointer(start: cString, count: count + 1)) }
}
