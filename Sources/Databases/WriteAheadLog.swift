internal import CLinux
internal import Posix
internal import SystemPackage

/// The pages that a write-ahead log (SQLite's file format, "The WAL File") puts over its database: of each
/// the newest that was committed. Its bytes are an app's, so everything is checked.
///
/// Read here because SQLite's own ways to copy a database (its backup interface, VACUUM INTO) write another
/// file for the same contents than a checkpoint does, and its hash would tell of a change that is none.
struct WriteAheadLog {
    /// Where each page's newest committed bytes begin in the log.
    private(set) var pages: [UInt32: UInt64] = [:]
    /// The database's size in pages after the last commit; nil where nothing is committed in the log.
    private(set) var pageCount: UInt32?
    let pageSize: Int
    /// Tells one round of the log from the next, which overwrites it.
    let salt: [UInt8]
    /// Where the last commit ends in the log.
    private(set) var end = UInt64(headerBytes)

    static let headerBytes = 32
    static let frameHeaderBytes = 24

    /// Reads the log's header; nil where there is none, which is an empty log.
    init?(header: [UInt8]) {
        guard header.count == Self.headerBytes else { return nil }
        let magic = header.bigEndian(at: 0)
        guard magic | 1 == 0x377f_0683, header.bigEndian(at: 4) == 3_007_000 else { return nil }
        let size = Int(header.bigEndian(at: 8))
        guard (512...65_536).contains(size), size & (size - 1) == 0 else { return nil }
        isBigEndian = magic & 1 == 1
        pageSize = size
        salt = Array(header[16..<24])
        sum = Checksum()
        sum.add(header[0..<24], isBigEndian: isBigEndian)
        guard sum.first == header.bigEndian(at: 24), sum.second == header.bigEndian(at: 28) else {
            return nil
        }
        sumAtEnd = sum
    }

    private let isBigEndian: Bool
    private var sum: Checksum
    private var sumAtEnd: Checksum
    private var uncommitted: [UInt32: UInt64] = [:]

    /// Takes the next frame.
    /// - Parameter offset: where it begins in the log.
    /// - Returns: false where it is no frame of this log: the log ends before it.
    mutating func add(frame: [UInt8], at offset: UInt64) -> Bool {
        guard frame.count == Self.frameHeaderBytes + pageSize, frame[8..<16].elementsEqual(salt) else {
            return false
        }
        sum.add(frame[0..<8], isBigEndian: isBigEndian)
        sum.add(frame[Self.frameHeaderBytes...], isBigEndian: isBigEndian)
        guard sum.first == frame.bigEndian(at: 16), sum.second == frame.bigEndian(at: 20) else {
            return false
        }
        let page = frame.bigEndian(at: 0)
        guard page > 0 else { return false }
        uncommitted[page] = offset + UInt64(Self.frameHeaderBytes)
        let sizeAfterCommit = frame.bigEndian(at: 4)
        if sizeAfterCommit > 0 {
            pages.merge(uncommitted) { $1 }
            uncommitted = [:]
            pageCount = sizeAfterCommit
            end = offset + UInt64(frame.count)
            sumAtEnd = sum
        }
        return true
    }

    /// Forgets what follows the last commit: a transaction that is rolled back leaves its frames to the next
    /// one.
    private mutating func rewind() {
        sum = sumAtEnd
        uncommitted = [:]
    }
}

extension WriteAheadLog {
    /// Reads the header of the open log `file`; nil where there is none.
    init?(of file: Int32) throws(Errno) {
        self.init(header: try FileTree.read(file, offset: 0, count: Self.headerBytes))
    }

    /// Takes what was committed in the open log `file` since it was read last. Not beyond its present end: an
    /// app that writes faster than this reads would never be caught up with.
    mutating func readOn(_ file: Int32) throws(Errno) {
        rewind()
        var status = stat()
        try valueOrErrno(lx_fstat(file, &status))
        let frameBytes = Self.frameHeaderBytes + pageSize
        var offset = end
        while offset < UInt64(clamping: status.st_size),
            add(
                frame: try FileTree.read(file, offset: Int64(clamping: offset), count: frameBytes), at: offset
            )
        {
            offset += UInt64(frameBytes)
        }
    }
}

/// The log's running checksum.
private struct Checksum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// - Precondition: a multiple of 8 bytes.
    mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
                second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
                offset += 8
            }
        }
    }
}

extension [UInt8] {
    fileprivate func bigEndian(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
