import CLinux
import Glibc
import Posix
import SystemPackage

extension Workload {
    /// Blocks of 4 KiB of a large file that was read before, in random order.
    static let randomRead = Workload(
        name: "random read 4k",
        setUp: { (arena) throws(Errno) in try arena.createWarmLargeFile() },
        prepare: { (arena) throws(Errno) in try arena.openFile(flags: O_RDONLY) },
        run: { (arena) throws(Errno) in try readBlocks(arena) },
        reset: { (arena) throws(Errno) in arena.closeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })

    /// The same for the first time.
    static let randomReadCold = Workload(
        name: "random read 4k cold",
        isCold: true,
        setUp: { (arena) throws(Errno) in try arena.createLargeFile() },
        prepare: { (arena) throws(Errno) in
            try KernelCaches.drop()
            try arena.openFile(flags: O_RDONLY)
        },
        run: { (arena) throws(Errno) in try readBlocks(arena) },
        reset: { (arena) throws(Errno) in arena.closeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })

    /// The same past the page cache of the file system, without readahead. Below a file system in user space
    /// there may be another one, which only root can empty.
    static let randomReadDirect = Workload(
        name: "random read 4k direct",
        setUp: { (arena) throws(Errno) in try arena.createLargeFile() },
        prepare: { (arena) throws(Errno) in
            if KernelCaches.canDrop { try KernelCaches.drop() }
            try arena.openFile(flags: O_RDONLY | lx_o_direct)
        },
        run: { (arena) throws(Errno) in try readBlocks(arena) },
        reset: { (arena) throws(Errno) in arena.closeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })

    /// Blocks of 4 KiB of a large file are written over, in random order, without fsync.
    static let randomWrite = Workload(
        name: "random write 4k",
        setUp: { (arena) throws(Errno) in try arena.createWarmLargeFile() },
        prepare: { (arena) throws(Errno) in try arena.openFile(flags: O_RDWR) },
        run: { (arena) throws(Errno) in
            let size = Scale.smallFileBytes
            for offset in arena.offsets {
                let count = lx_pwrite(arena.file, arena.buffer.baseAddress, UInt64(size), offset)
                if try valueOrErrno(count) != size { throw .ioError }
            }
        },
        reset: { (arena) throws(Errno) in arena.closeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })
}

private func readBlocks(_ arena: Arena) throws(Errno) {
    let size = Scale.smallFileBytes
    for offset in arena.offsets {
        let count = lx_pread(arena.file, arena.buffer.baseAddress, UInt64(size), offset)
        if try valueOrErrno(count) != size { throw .ioError }
    }
}
