internal import Posix

/// One clock's hand over the cached descriptors of all trees of a process: whoever needs room takes it from
/// where none was used for longest, whichever tree that is.
struct DescriptorClock {
    private struct Member {
        weak var inodes: InodeAccess?
    }

    private var members: [Member] = []
    private var hand = 0

    mutating func add(_ inodes: InodeAccess) { members.append(Member(inodes: inodes)) }

    /// Takes up to `wanted` descriptors from their inodes; the caller closes them.
    mutating func evict(_ wanted: Int) -> [Int32] {
        members.removeAll { $0.inodes == nil }
        let evicted = evict(wanted, takesUnlinked: false)
        return evicted.isEmpty ? evict(wanted, takesUnlinked: true) : evicted
    }

    private mutating func evict(_ wanted: Int, takesUnlinked: Bool) -> [Int32] {
        var evicted: [Int32] = []
        // Two rounds: the first may only find that each was used. Its beginning may lie amidst a tree.
        for _ in 0...members.count * 2 where evicted.count < wanted {
            if hand >= members.count { hand = 0 }
            guard !members.isEmpty else { break }
            let isAround = members[hand].inodes?.evict(
                wanted - evicted.count, takesUnlinked: takesUnlinked, into: &evicted)
            if isAround != false { hand += 1 }
        }
        return evicted
    }
}

extension InodeAccess {
    /// - Returns: whether the hand has passed over all of this tree.
    fileprivate func evict(_ wanted: Int, takesUnlinked: Bool, into evicted: inout [Int32]) -> Bool {
        tables.withLock { $0.evict(wanted, takesUnlinked: takesUnlinked, into: &evicted) }
    }
}
