internal import CLinux
internal import SystemPackage

/// What is answered of an item for which no file of a backing file system stands.
enum UnbackedItem {
    private static let blockBytes: UInt64 = 512

    /// For st_blocks, whatever size was claimed.
    static func blocks(ofBytes sizeBytes: UInt64) -> Int {
        let (whole, rest) = sizeBytes.quotientAndRemainder(dividingBy: blockBytes)
        return Int(clamping: whole + (rest > 0 ? 1 : 0))
    }

    /// SEEK_DATA and SEEK_HOLE in one run of bytes: what is not on this machine is no hole.
    static func seek(offset: Int64, whence: Int32, ofBytes sizeBytes: UInt64) throws(Errno) -> Int64 {
        let end = Int64(clamping: sizeBytes)
        guard offset >= 0, offset < end else { throw .noSuchAddressOrDevice }
        return whence == lx_seek_hole ? end : offset
    }

    /// What readlink(2) gives, as much as the buffer holds.
    static func give(_ target: some Collection<UInt8>, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.copyBytes(from: target.prefix(buffer.count))
        return min(target.count, buffer.count)
    }
}
