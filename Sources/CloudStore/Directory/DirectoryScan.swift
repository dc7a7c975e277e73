internal import CLinux
internal import Posix
internal import SystemPackage

/// The entries of a directory, a buffer at a time, in the file system's order. Names that no key can have are
/// left out, `.` and `..` among them.
struct DirectoryScan: ~Copyable {
    struct Entry {
        let name: String
        let kind: Kind
    }

    enum Kind {
        case directory, regular
        /// The file system does not say.
        case unknown
    }

    private let directory: Descriptor
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0
    private var end = 0

    /// From the beginning of the directory, which gets another descriptor.
    init(_ directory: borrowing Descriptor) throws(Errno) {
        self.directory = try Descriptor(at: directory.raw, ".", flags: lx_o_directory)
        buffer = .allocate(byteCount: 32 << 10, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// Nil at the end. Links, sockets and other things are left out.
    mutating func next() throws(Errno) -> Entry? {
        while let (name, type) = try nextRecord() {
            guard ObjectKey.isSegment(name) else { continue }
            let name = String(decoding: name, as: UTF8.self)
            switch type {
            case 0: return Entry(name: name, kind: .unknown)
            case FileMode.directory >> 12: return Entry(name: name, kind: .directory)
            case FileMode.regular >> 12: return Entry(name: name, kind: .regular)
            default: continue
            }
        }
        return nil
    }

    /// struct linux_dirent64: inode (8 bytes), offset (8), length (2), type (1), name, zero byte.
    private mutating func nextRecord() throws(Errno) -> (name: Slice<UnsafeRawBufferPointer>, type: UInt32)? {
        let nameOffset = 19
        if position >= end {
            let (raw, buffer) = (directory.raw, self.buffer)
            end = Int(try retrying { lx_getdents64(raw, buffer.baseAddress, UInt64(buffer.count)) })
            position = 0
        }
        guard position + nameOffset < end else { return nil }
        let length = Int(buffer.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
        guard length > nameOffset, position + length <= end else { return nil }
        let type = UInt32(buffer[position + 18])
        let entries = UnsafeRawBufferPointer(buffer)
        let name = entries[position + nameOffset..<position + length].prefix { $0 != 0 }
        position += length
        return (name, type)
    }
}
