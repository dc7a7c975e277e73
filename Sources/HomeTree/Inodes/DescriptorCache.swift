/// The inodes that have an O_PATH descriptor now, for the hand of a clock to pass over.
///
/// Second chance: a descriptor that was used since the hand passed stays for another round.
struct DescriptorCache {
    private var members: [InodeNumber] = []
    private var hand = 0

    var count: Int { members.count }

    mutating func add(_ number: InodeNumber) { members.append(number) }

    mutating func remove(_ number: InodeNumber) {
        // Only when an inode ends: the list is short, or the hand has taken it out before.
        if let index = members.lastIndex(of: number) { members.swapRemove(at: index) }
    }

    /// Takes up to `wanted` descriptors that nothing pins from their inodes; the caller closes them.
    ///
    /// An unlinked inode cannot be opened again: its descriptor goes only where there is no other.
    mutating func evict(_ wanted: Int, from slab: InodeSlab) -> [Int32] {
        let evicted = evict(wanted, from: slab, takesUnlinked: false)
        return evicted.isEmpty ? evict(wanted, from: slab, takesUnlinked: true) : evicted
    }

    private mutating func evict(_ wanted: Int, from slab: InodeSlab, takesUnlinked: Bool) -> [Int32] {
        var evicted: [Int32] = []
        var steps = members.count * 2
        while evicted.count < wanted, steps > 0, !members.isEmpty {
            steps -= 1
            if hand >= members.count { hand = 0 }
            let inode = slab[members[hand]]
            if inode.pointee.pins > 0 || (inode.pointee.isDetached && !takesUnlinked) {
                hand += 1
            } else if inode.pointee.flags.contains(.used) {
                inode.pointee.flags.remove(.used)
                hand += 1
            } else {
                evicted.append(inode.pointee.descriptor)
                inode.pointee.descriptor = -1
                members.swapRemove(at: hand)
            }
        }
        return evicted
    }
}

extension Array {
    fileprivate mutating func swapRemove(at index: Int) {
        swapAt(index, count - 1)
        removeLast()
    }
}
