internal import CLinux
internal import Posix
internal import SystemPackage

/// Hears how many bytes more were copied.
public typealias CopyProgress = (Int64) -> Void

/// Copies the contents of files between descriptors.
enum FileCopy {
    /// Copies everything from the start of one file to the start of another.
    /// - Parameter progress: called with the bytes of each step, of 64 MiB at most.
    static func contents(
        of source: Int32, to target: Int32, progress: CopyProgress
    ) throws(Errno) {
        var offset: Int64 = 0
        while true {
            var from = offset
            var to = offset
            let count = lx_copy_file_range(source, &from, target, &to, 64 << 20)
            if count == 0 { return }
            // Other file systems on the two sides, or none that copies: by hand.
            if count < 0 { return try byHand(source, target, from: offset, progress) }
            offset += count
            progress(count)
        }
    }

    private static func byHand(
        _ source: Int32, _ target: Int32, from start: Int64, _ progress: CopyProgress
    ) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = start
        while true {
            let count = try retrying { lx_pread(source, buffer.baseAddress, UInt64(buffer.count), offset) }
            if count == 0 { return }
            var written: Int64 = 0
            while written < count {
                let rest = buffer.baseAddress?.advanced(by: Int(written))
                written += try retrying { lx_pwrite(target, rest, UInt64(count - written), offset + written) }
            }
            offset += count
            progress(count)
        }
    }
}
