internal import CLinux
internal import Posix
internal import SystemPackage

/// Copying whole files.
enum FileCopy {
    private static let pieceBytes = 64 << 10

    /// Puts all of `source` into `target`, from the beginning of both.
    /// - Returns: how many bytes there were.
    static func whole(_ source: Int32, to target: Int32) throws(Errno) -> Int64 {
        try valueOrErrno(lx_ftruncate(target, 0))
        var offset: Int64 = 0
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = try retrying { lx_pread(source, &piece, UInt64(piece.count), offset) }
            if count == 0 { return offset }
            var done = 0
            while done < Int(count) {
                done += Int(
                    try retrying {
                        piece.withUnsafeBytes {
                            lx_pwrite(
                                target, $0.baseAddress?.advanced(by: done), UInt64(Int(count) - done),
                                offset + Int64(done))
                        }
                    })
            }
            offset += count
        }
    }
}
