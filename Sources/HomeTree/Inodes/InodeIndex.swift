/// Finds inodes by something that their records hold: eight bytes for each, since the key lies in the record.
///
/// Open addressing: a number stands in the slot that its hash says, or behind it with no gap between.
struct InodeIndex {
    /// The upper half is the hash, the lower one the number.
    private var slots: [UInt64]
    private var count = 0

    /// No slab has a record of that number.
    private static let vacant = UInt64.max
    private static let smallest = 64

    init() { slots = Array(repeating: Self.vacant, count: Self.smallest) }

    /// The one with that hash which is meant; nil where there is none.
    @inline(__always)
    func first(_ hash: UInt32, where isMeant: (InodeNumber) -> Bool) -> InodeNumber? {
        var slot = home(of: hash)
        while slots[slot] != Self.vacant {
            if UInt32(slots[slot] >> 32) == hash {
                let number = InodeNumber(rawValue: UInt32(truncatingIfNeeded: slots[slot]))
                if isMeant(number) { return number }
            }
            slot = next(slot)
        }
        return nil
    }

    /// - Precondition: it does not hold the number.
    mutating func insert(_ number: InodeNumber, hash: UInt32) {
        if count >= slots.count / 4 * 3 { grow() }
        place(UInt64(hash) << 32 | UInt64(number.rawValue))
        count += 1
    }

    /// Without effect where the number is not there. Closes the gap with what stands behind it, as far as
    /// that may stand there.
    mutating func remove(_ number: InodeNumber, hash: UInt32) {
        let removed = UInt64(hash) << 32 | UInt64(number.rawValue)
        var gap = home(of: hash)
        while slots[gap] != removed {
            if slots[gap] == Self.vacant { return }
            gap = next(gap)
        }
        var slot = next(gap)
        while slots[slot] != Self.vacant {
            let distance = (slot - home(of: UInt32(slots[slot] >> 32))) & (slots.count - 1)
            if distance >= (slot - gap) & (slots.count - 1) {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = next(slot)
        }
        slots[gap] = Self.vacant
        count -= 1
    }

    var all: [InodeNumber] {
        slots.filter { $0 != Self.vacant }.map { InodeNumber(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    private func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }
    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private mutating func place(_ entry: UInt64) {
        var slot = home(of: UInt32(entry >> 32))
        while slots[slot] != Self.vacant { slot = next(slot) }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Self.vacant, count: old.count * 2)
        for entry in old where entry != Self.vacant { place(entry) }
    }
}
