internal import CLinux
internal import Posix
internal import SystemPackage

/// What a file holds of containers, read from its beginning to its end with the memory of one block.
struct FileSearch {
    /// The first place of each container, in the order of the places; a bounded number.
    private(set) var matches: [ContainerSearch.Match] = []
    /// Whether there is what could be a piece of a UUID.
    private(set) var hasPiece = false

    /// A file that names more containers than that is a list of them; the first ones do.
    static let mostMatches = 16
    static let blockBytes = 256 << 10

    /// Matches' offsets are those in the file.
    mutating func add(_ block: UnsafeRawBufferPointer, seen: Int, at offset: Int64, _ search: ContainerSearch)
    {
        search.run(over: block, seen: seen) { match in
            if !matches.contains(where: { $0.id == match.id }) {
                let place = Int(offset) + match.offset
                matches.append(.init(id: match.id, offset: place, encoding: match.encoding))
            }
            return matches.count < Self.mostMatches
        }
    }

    mutating func addPieces(_ block: UnsafeRawBufferPointer) {
        hasPiece = hasPiece || ContainerSearch.hasPiece(block)
    }
}

/// Reads files block by block; each block is shown with the end of the one before it.
final class BlockReader {
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ContainerSearch.overlapBytes + FileSearch.blockBytes, alignment: 16)

    deinit { buffer.deallocate() }

    /// Reads what the file holds now: one that grows faster than this reads would have no end. Of a long hole
    /// only the beginning is read.
    /// - Parameter see: gets bytes, how many of them it has seen before, and the offset of the first in the
    ///   file; says whether to go on.
    func read(
        _ file: Int32, sizeBytes: UInt64,
        _ see: (_ bytes: UnsafeRawBufferPointer, _ seen: Int, _ offset: Int64) -> Bool
    ) throws(Errno) {
        let end = Int64(clamping: sizeBytes)
        var offset: Int64 = 0
        var kept = 0
        var nextLook = Self.longBytes
        while offset < end {
            if offset >= nextLook {
                nextLook = offset + Self.longBytes
                if let data = Self.dataAfterHole(file, offset) {
                    guard data < end else { return }
                    (offset, kept, nextLook) = (data, 0, data + Int64(FileSearch.blockBytes))
                }
            }
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[kept...])
            let wanted = min(Int64(FileSearch.blockBytes), end - offset)
            let got = Int(try retrying { lx_pread(file, free.baseAddress, UInt64(wanted), offset) })
            if got == 0 { return }
            let filled = kept + got
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
            guard see(bytes, kept, offset - Int64(kept)) else { return }
            offset += Int64(got)
            kept = min(filled, ContainerSearch.overlapBytes)
            let tail = UnsafeRawBufferPointer(rebasing: buffer[(filled - kept)..<filled])
            if filled > kept { buffer.copyMemory(from: tail) }
        }
    }

    /// How much is read before it is asked for holes: that costs as much as reading some of one.
    private static let longBytes: Int64 = 4 << 20

    /// Where data begins after a hole that `offset` lies in; nil where it lies in none, or nobody knows.
    private static func dataAfterHole(_ file: Int32, _ offset: Int64) -> Int64? {
        let data = lx_lseek(file, offset, lx_seek_data)
        if data == -Int64(Errno.noSuchAddressOrDevice.rawValue) { return .max }
        return data > offset ? data : nil
    }
}
