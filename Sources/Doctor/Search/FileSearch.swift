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

    /// - Parameter see: gets bytes, how many of them it has seen before, and the offset of the first in the
    ///   file; says whether to go on.
    func read(
        _ file: Int32, _ see: (_ bytes: UnsafeRawBufferPointer, _ seen: Int, _ offset: Int64) -> Bool
    ) throws(Errno) {
        var offset: Int64 = 0
        var kept = 0
        while true {
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[kept...])
            let got = Int(
                try retrying {
                    lx_pread(file, free.baseAddress, UInt64(min(free.count, FileSearch.blockBytes)), offset)
                })
            if got == 0 { return }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<(kept + got)])
            guard see(bytes, kept, offset - Int64(kept)) else { return }
            offset += Int64(got)
            let end = kept + got
            kept = min(end, ContainerSearch.overlapBytes)
            let tail = UnsafeRawBufferPointer(rebasing: buffer[(end - kept)..<end])
            if end > kept { buffer.copyMemory(from: tail) }
        }
    }
}
