internal import CLinux
internal import Posix
internal import SystemPackage

/// The names in a directory, a piece at a time: a directory with a million names takes no more memory.
struct DirectoryStream: ~Copyable {
    let directory: Descriptor
    private var names: [[UInt8]] = []
    private var isAtEnd = false

    private static let bufferBytes = 32 << 10

    /// - Parameter directory: opened for reading, standing at its beginning.
    init(_ directory: consuming Descriptor) { self.directory = directory }

    /// The next name, without `.` and `..`; nil at the end.
    mutating func next() throws(Errno) -> [UInt8]? {
        while names.isEmpty && !isAtEnd { try fill() }
        return names.popLast()
    }

    private mutating func fill() throws(Errno) {
        let fd = directory.raw
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 8)
        defer { buffer.deallocate() }
        let count = try retrying { lx_getdents64(fd, buffer.baseAddress, UInt64(Self.bufferBytes)) }
        isAtEnd = count == 0
        var found: [[UInt8]] = []
        DirectoryRecords.forEachName(in: UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) { name in
            found.append(Array(name))
        }
        // Taken from the end: in the directory's own order.
        names = found.reversed()
    }
}
