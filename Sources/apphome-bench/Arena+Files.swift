import CLinux
import Glibc
import Posix
import SystemPackage

/// The few file operations that workloads are made of.
extension Arena {
    @inline(__always)
    func createSmallFile(_ name: UnsafePointer<CChar>) throws(Errno) {
        let file = try valueOrErrno(lx_openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0o644))
        let written = lx_pwrite(file, buffer.baseAddress, UInt64(Scale.smallFileBytes), 0)
        _ = lx_close(file)
        if try valueOrErrno(written) != Scale.smallFileBytes { throw .ioError }
    }

    @inline(__always)
    func readSmallFile(_ name: UnsafePointer<CChar>) throws(Errno) {
        let file = try valueOrErrno(lx_openat(folder, name, O_RDONLY, 0))
        let got = lx_pread(file, buffer.baseAddress, UInt64(Scale.smallFileBytes), 0)
        _ = lx_close(file)
        if try valueOrErrno(got) != Scale.smallFileBytes { throw .ioError }
    }

    func createSmallFiles(_ table: NameTable) throws(Errno) {
        for index in 0..<table.count { try createSmallFile(table[index]) }
    }

    func unlinkAll(_ table: NameTable) throws(Errno) {
        for index in 0..<table.count { try valueOrErrno(lx_unlinkat(folder, table[index], 0)) }
    }

    func statAll(_ table: NameTable) throws(Errno) {
        var status = stat()
        for index in 0..<table.count {
            try valueOrErrno(lx_fstatat(folder, table[index], &status, lx_at_symlink_nofollow))
        }
    }

    /// The large file, with its space allocated and every byte written once: with `filling`, whatever the
    /// workload before has left in the buffer.
    func createLargeFile() throws(Errno) {
        buffer.initializeMemory(as: UInt8.self, repeating: Self.filling)
        let file = try Descriptor(
            at: folder, Self.largeFile, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        let allocated = lx_fallocate(file.raw, 0, 0, Int64(scale.sizeBytes))
        // Some file systems have no fallocate(2); writing every byte allocates as well.
        if allocated != -Errno.notSupported.rawValue { try valueOrErrno(allocated) }
        try writeWhole(file.raw)
        try valueOrErrno(lx_fsync(file.raw, 0))
    }

    /// As that, with its bytes in the caches of all file systems below.
    func createWarmLargeFile() throws(Errno) {
        try createLargeFile()
        try readLargeFile()
    }

    func unlinkLargeFile() throws(Errno) {
        try valueOrErrno(lx_unlinkat(folder, Self.largeFile, 0))
    }

    func readWhole(_ file: Int32) throws(Errno) {
        var offset = 0
        while offset < scale.sizeBytes {
            let got = try valueOrErrno(
                lx_pread(file, buffer.baseAddress, UInt64(buffer.count), Int64(offset)))
            if got == 0 { throw .ioError }
            offset += Int(got)
        }
    }

    func writeWhole(_ file: Int32) throws(Errno) {
        var offset = 0
        while offset < scale.sizeBytes {
            let size = min(buffer.count, scale.sizeBytes - offset)
            offset += Int(
                try valueOrErrno(lx_pwrite(file, buffer.baseAddress, UInt64(size), Int64(offset))))
        }
    }

    /// Reads the large file through once.
    func readLargeFile() throws(Errno) {
        let file = try Descriptor(at: folder, Self.largeFile, flags: O_RDONLY)
        try readWhole(file.raw)
    }
}
