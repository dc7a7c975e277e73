internal import CLinux
public import SystemPackage

/// Hears how many bytes more were copied; what it throws ends the copy.
public typealias CopyProgress = (Int64) throws(Errno) -> Void

/// Copies the contents of files between descriptors.
public enum FileCopy {
    private static let stepBytes: Int64 = 64 << 20

    /// Copies from the start of one file to the start of another, within the kernel where that can, sharing
    /// the bytes where the file system does.
    /// - Parameters:
    ///   - limitBytes: of a file that is longer the rest is left out.
    ///   - progress: called with the bytes of each step, of 64 MiB at most.
    /// - Returns: how many bytes there were.
    @discardableResult
    public static func contents(
        of source: Int32, to target: Int32, limitBytes: Int64 = .max, progress: CopyProgress = { _ in }
    ) throws(Errno) -> Int64 {
        var offset: Int64 = 0
        while offset < limitBytes {
            var from = offset
            var to = offset
            let step = min(stepBytes, limitBytes - offset)
            let count = lx_copy_file_range(source, &from, target, &to, UInt64(step))
            if count == 0 { break }
            // Other file systems on the two sides, or none that copies: by hand.
            if count < 0 { return try byHand(source, target, from: offset, limitBytes, progress) }
            offset += count
            try progress(count)
        }
        return offset
    }

    private static func byHand(
        _ source: Int32, _ target: Int32, from start: Int64, _ limitBytes: Int64, _ progress: CopyProgress
    ) throws(Errno) -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = start
        while offset < limitBytes {
            let step = min(Int64(buffer.count), limitBytes - offset)
            let count = try retrying { lx_pread(source, buffer.baseAddress, UInt64(step), offset) }
            if count == 0 { break }
            try FileTree.write(
                target, UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]), offset: offset)
            offset += count
            try progress(count)
        }
        return offset
    }
}
