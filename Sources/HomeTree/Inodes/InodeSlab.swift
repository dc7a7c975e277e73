internal import CLinux

/// The records of all inodes, in chunks that never move: growing copies nothing.
struct InodeSlab {
    private var chunks: [UnsafeMutablePointer<Inode>] = []
    private var free: [UInt32] = []
    private var nextFresh: UInt32 = 0
    /// Numbers below this were given at least once.
    var capacity: UInt32 { nextFresh }
    private(set) var liveCount = 0

    private static let chunkShift: UInt32 = 10
    private static let chunkSize: UInt32 = 1 << chunkShift

    /// The record at `number`, live or not.
    /// - Precondition: `number` came from `insert`.
    subscript(_ number: InodeNumber) -> UnsafeMutablePointer<Inode> {
        chunks[Int(number.rawValue >> Self.chunkShift)] + Int(number.rawValue & (Self.chunkSize - 1))
    }

    /// The record at `number`; nil where it is not live, or never was.
    func live(_ number: InodeNumber) -> UnsafeMutablePointer<Inode>? {
        guard number.rawValue < nextFresh else { return nil }
        let inode = self[number]
        return inode.pointee.flags.contains(.live) ? inode : nil
    }

    /// A new live record with one reference and no name.
    mutating func insert(_ status: stat) -> InodeNumber {
        let number = takeNumber()
        let generation = self[number].pointee.generation &+ 1
        self[number].pointee = Inode(
            identity: Identity(status), parent: number, generation: generation, references: 1,
            pins: 0, descriptor: -1, firstHandle: HandleTable.none, type: UInt8(status.st_mode >> 12),
            flags: [.live])
        liveCount += 1
        return number
    }

    mutating func remove(_ number: InodeNumber) {
        self[number].pointee.flags = []
        free.append(number.rawValue)
        liveCount -= 1
    }

    private mutating func takeNumber() -> InodeNumber {
        if let number = free.popLast() { return InodeNumber(rawValue: number) }
        if nextFresh >> Self.chunkShift == UInt32(chunks.count) { addChunk() }
        defer { nextFresh += 1 }
        return InodeNumber(rawValue: nextFresh)
    }

    private mutating func addChunk() {
        let chunk = UnsafeMutablePointer<Inode>.allocate(capacity: Int(Self.chunkSize))
        let empty = Inode(
            identity: Identity(stat()), parent: InodeNumber(rawValue: 0), generation: 0,
            references: 0, pins: 0, descriptor: -1, firstHandle: HandleTable.none, type: 0, flags: [])
        chunk.initialize(repeating: empty, count: Int(Self.chunkSize))
        chunks.append(chunk)
    }

    /// Frees the chunks; the slab must not be used after.
    func deallocate() {
        for chunk in chunks { chunk.deallocate() }
    }
}
