internal import CLinux
internal import Posix
internal import SystemPackage

/// A new file that is written from its start: what is zeros in it takes no room.
struct SparseFile {
    private static let blockBytes = 4096

    private let file: Int32
    private var size: Int64 = 0

    /// - Parameter file: empty.
    init(_ file: Int32) { self.file = file }

    mutating func write(_ bytes: [UInt8]) throws(Errno) {
        var start = 0
        while start < bytes.count {
            let (end, isHole) = Self.run(bytes, from: start)
            if !isHole {
                try bytes.span.extracting(start..<end).bytes.withUnsafeBytes { (piece) throws(Errno) in
                    try FileTree.write(file, piece, offset: size)
                }
            }
            size += Int64(end - start)
            start = end
        }
    }

    /// Gives the file its length, where it ends with zeros.
    func finish() throws(Errno) { try valueOrErrno(lx_ftruncate(file, size)) }

    /// Where the blocks of zeros end that begin at `start`, or those of anything else.
    private static func run(_ bytes: [UInt8], from start: Int) -> (end: Int, isHole: Bool) {
        var end = min(bytes.count, start + blockBytes)
        let isHole = isZero(bytes, start, end)
        while end < bytes.count {
            let next = min(bytes.count, end + blockBytes)
            guard isZero(bytes, end, next) == isHole else { break }
            end = next
        }
        return (end, isHole)
    }

    private static func isZero(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
        bytes[start..<end].withUnsafeBytes { $0.allSatisfy { $0 == 0 } }
    }
}
