/// Which descriptors are open on which inode: for each inode a list, so that an unlinked inode can still be
/// reached through one of them.
struct HandleTable {
    static let none = UInt32.max

    private struct Entry {
        var descriptor: Int32
        var inode: InodeNumber
        var next: UInt32
        var previous: UInt32
        let mayWrite: Bool
        /// Open for writing with passthrough.
        var isWriter = false
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []
    private(set) var count = 0

    /// Adds a handle at the head of the inode's list.
    mutating func insert(
        _ descriptor: Int32, of inode: InodeNumber, mayWrite: Bool, head: inout UInt32
    ) -> UInt32 {
        let entry = Entry(
            descriptor: descriptor, inode: inode, next: head, previous: HandleTable.none, mayWrite: mayWrite)
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
            entries[Int(index)] = entry
        } else {
            index = UInt32(entries.count)
            entries.append(entry)
        }
        if head != HandleTable.none { entries[Int(head)].previous = index }
        head = index
        count += 1
        return index
    }

    mutating func noteWriter(_ index: UInt32) { entries[Int(index)].isWriter = true }

    /// Takes a handle out of the inode's list.
    /// - Returns: whether it may write, and whether it was noted as a writer.
    mutating func remove(_ index: UInt32, head: inout UInt32) -> (mayWrite: Bool, isWriter: Bool) {
        let entry = entries[Int(index)]
        if entry.previous == HandleTable.none {
            head = entry.next
        } else {
            entries[Int(entry.previous)].next = entry.next
        }
        if entry.next != HandleTable.none { entries[Int(entry.next)].previous = entry.previous }
        free.append(index)
        count -= 1
        return (entry.mayWrite, entry.isWriter)
    }

    /// The inodes of open handles, each once.
    var inodes: Set<InodeNumber> {
        let closed = Set(free)
        return Set(entries.indices.lazy.filter { !closed.contains(UInt32($0)) }.map { entries[$0].inode })
    }

    /// The inode of a handle with which contents may change unseen.
    func writtenInode(_ index: UInt32) -> InodeNumber? {
        let entry = entries[Int(index)]
        return entry.mayWrite ? entry.inode : nil
    }

    /// Every open handle, for checks: at the cost of a look at all that ever were.
    var all: [(index: UInt32, inode: InodeNumber)] {
        let unused = Set(free)
        return entries.indices.map(UInt32.init).filter { !unused.contains($0) }.map {
            ($0, entries[Int($0)].inode)
        }
    }

    func descriptor(_ index: UInt32) -> Int32 { entries[Int(index)].descriptor }
}

/// An open file: the number of its handle and its descriptor in one word, so that reading and writing need
/// no table.
public struct FileHandle: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    init(index: UInt32, descriptor: Int32) {
        rawValue = UInt64(index) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    var index: UInt32 { UInt32(rawValue >> 32) }

    /// The open descriptor; the tree's, to read and write, never to close.
    public var descriptor: Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: rawValue)) }
}
