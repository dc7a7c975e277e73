internal import CLinux
package import SystemPackage

/// What is answered of an item for which no file of a backing file system stands.
package enum UnbackedItem {
    private static let blockBytes: UInt64 = 512

    /// For st_blocks, whatever size was claimed.
    package static func blocks(ofBytes sizeBytes: UInt64) -> Int {
        let (whole, rest) = sizeBytes.quotientAndRemainder(dividingBy: blockBytes)
        return Int(clamping: whole + (rest > 0 ? 1 : 0))
    }

    /// SEEK_DATA and SEEK_HOLE in one run of bytes: what is not on this machine is no hole.
    package static func seek(offset: Int64, whence: Int32, ofBytes sizeBytes: UInt64) throws(Errno) -> Int64 {
        let end = Int64(clamping: sizeBytes)
        guard offset >= 0, offset < end else { throw .noSuchAddressOrDevice }
        return whence == lx_seek_hole ? end : offset
    }

    /// What readlink(2) gives, as much as the buffer holds.
    package static func give(_ target: some Collection<UInt8>, to buffer: UnsafeMutableRawBufferPointer)
        -> Int
    {
        buffer.copyBytes(from: target.prefix(buffer.count))
        return min(target.count, buffer.count)
    }

    /// An extended attribute's value, or its length where the buffer is empty.
    /// - Throws: ERANGE where the buffer is too small.
    package static func give(
        attribute value: [UInt8], to buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        if buffer.isEmpty { return value.count }
        guard value.count <= buffer.count else { throw .outOfRange }
        buffer.copyBytes(from: value)
        return value.count
    }
}
