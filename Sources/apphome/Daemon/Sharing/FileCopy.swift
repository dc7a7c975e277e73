internal import CLinux
internal import Posix
internal import SystemPackage

/// Copying a file's contents, holes kept.
enum FileCopy {
    private static let chunkBytes = 1 << 20

    /// Copies all of `source` to the empty file `target`.
    /// - Parameter size: the size that the copy gets; what the source has beyond it is left.
    static func copy(from source: Int32, to target: Int32, size: Int64, _ report: (Int64) -> Void) throws(Errno) {
        var offset: Int64 = 0
        while offset < size {
            let (start, end) = try extent(of: source, from: offset, size: size)
            if start >= size { break }
            try copyBytes(from: source, to: target, start..<end, report)
            offset = end
        }
        try valueOrErrno(lx_ftruncate(target, size))
    }

    /// Where data begins at or after `offset`, and where it ends.
    private static func extent(of source: Int32, from offset: Int64, size: Int64) throws(Errno) -> (Int64, Int64) {
        let start = lx_lseek(source, offset, lx_seek_data)
        // ENXIO: no data from here on; a file system that knows no holes says EINVAL.
        if start == -Int64(Errno.noSuchAddressOrDevice.rawValue) { return (size, size) }
        guard start >= 0 else { return (offset, size) }
        let end = lx_lseek(source, start, lx_seek_hole)
        return (start, end > start ? min(end, size) : size)
    }

    private static func copyBytes(
        from source: Int32, to target: Int32, _ range: Range<Int64>, _ report: (Int64) -> Void
    ) throws(Errno) {
        var from = range.lowerBound
        var to = range.lowerBound
        while from < range.upperBound {
            let count = lx_copy_file_range(
                source, &from, target, &to, UInt64(min(range.upperBound - from, Int64(chunkBytes))))
            // Shorter than it was: the app cut it meanwhile.
            if count == 0 { return }
            if count < 0 { return try copyThroughMemory(from: source, to: target, from..<range.upperBound, report) }
            report(count)
        }
    }

    private static func copyThroughMemory(
        from source: Int32, to target: Int32, _ range: Range<Int64>, _ report: (Int64) -> Void
    ) throws(Errno) {
        var buffer = [UInt8](repeating: 0, count: chunkBytes)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = UInt64(min(range.upperBound - offset, Int64(chunkBytes)))
            let count = try retrying { lx_pread(source, &buffer, wanted, offset) }
            if count == 0 { return }
            var written: Int64 = 0
            while written < count {
                written += try retrying {
                    buffer.withUnsafeBytes {
                        lx_pwrite(target, $0.baseAddress?.advanced(by: Int(written)), UInt64(count - written), offset + written)
                    }
                }
            }
            offset += count
            report(count)
        }
    }
}
