/// The inodes of one tree that have an O_PATH descriptor now, for the hand of a clock to pass over.
///
/// INVARIANT: the inode at `index` of `members` has that index as its `cacheIndex`.
struct DescriptorCache {
    private var members: [InodeNumber] = []
    private var hand = 0

    var count: Int { members.count }

    /// Whether the hand comes by this inode, of which that is the index.
    func lists(_ number: InodeNumber, at index: UInt32) -> Bool {
        Int(index) < members.count && members[Int(index)] == number
    }

    mutating func add(_ number: InodeNumber, to slab: InodeSlab) {
        slab[number].pointee.cacheIndex = UInt32(members.count)
        members.append(number)
    }

    mutating func remove(_ number: InodeNumber, from slab: InodeSlab) {
        let index = Int(slab[number].pointee.cacheIndex)
        guard index < members.count, members[index] == number else { return }
        remove(at: index, from: slab)
    }

    /// The last one takes its place.
    private mutating func remove(at index: Int, from slab: InodeSlab) {
        members.swapAt(index, members.count - 1)
        members.removeLast()
        if index < members.count { slab[members[index]].pointee.cacheIndex = UInt32(index) }
    }

    /// Takes up to `wanted` descriptors that nothing pins from their inodes, and adds them to `evicted`,
    /// which the caller closes. One that was used since the hand passed stays for another round.
    ///
    /// - Parameter takesUnlinked: an unlinked inode cannot be opened again.
    /// - Returns: whether the hand has passed over all; it begins anew the next time.
    mutating func evict(
        _ wanted: Int, from slab: InodeSlab, takesUnlinked: Bool, into evicted: inout [Int32]
    ) -> Bool {
        var left = wanted
        while hand < members.count {
            guard left > 0 else { return false }
            let inode = slab[members[hand]]
            if inode.pointee.pins > 0 || (inode.pointee.isDetached && !takesUnlinked) {
                hand += 1
            } else if inode.pointee.flags.contains(.used) {
                inode.pointee.flags.remove(.used)
                hand += 1
            } else {
                evicted.append(inode.pointee.descriptor)
                inode.pointee.descriptor = -1
                remove(at: hand, from: slab)
                left -= 1
            }
        }
        hand = 0
        return true
    }
}
