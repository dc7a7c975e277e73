import Glibc
import SystemPackage

extension Workload {
    /// A large file that was read before is read through a mapping, made anew.
    static let mappedRead = Workload(
        name: "mmap read large",
        measure: .mebibytesPerSecond,
        unitCount: { $0.sizeMiB },
        setUp: { (arena) throws(Errno) in try arena.createWarmLargeFile() },
        prepare: { (arena) throws(Errno) in try arena.openFile(flags: O_RDONLY) },
        run: { (arena) throws(Errno) in try readMapped(arena) },
        reset: { (arena) throws(Errno) in arena.closeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })
}

/// Copies the file into the buffer, piece by piece, as read(2) does.
private func readMapped(_ arena: Arena) throws(Errno) {
    let size = arena.scale.sizeBytes
    guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, arena.file, 0), start != MAP_FAILED else {
        throw Errno(rawValue: errno)
    }
    defer { munmap(start, size) }
    for offset in stride(from: 0, to: size, by: arena.buffer.count) {
        let count = min(arena.buffer.count, size - offset)
        arena.buffer.copyMemory(from: UnsafeRawBufferPointer(start: start + offset, count: count))
    }
    if arena.buffer[0] != Arena.filling { throw .ioError }
}
