/// Finds inodes by something that their records hold: eight bytes for each, since the key lies in the record.
struct InodeIndex {
    /// The upper half is the hash, the lower one the number and 1: no word is 0.
    private var slots = HashSlots(capacity: 64)

    /// The one with that hash which is meant; nil where there is none.
    @inline(__always)
    func first(_ hash: UInt32, where isMeant: (InodeNumber) -> Bool) -> InodeNumber? {
        var place = slots.home(of: UInt64(hash) << 32)
        while slots[place] != 0 {
            if UInt32(slots[place] >> 32) == hash {
                let number = Self.number(in: slots[place])
                if isMeant(number) { return number }
            }
            place = slots.place(behind: place)
        }
        return nil
    }

    /// - Precondition: it does not hold the number.
    mutating func insert(_ number: InodeNumber, hash: UInt32) {
        if slots.isFull { grow() }
        slots.insert(Self.word(number, hash))
    }

    /// Without effect where the number is not there.
    mutating func remove(_ number: InodeNumber, hash: UInt32) {
        let word = Self.word(number, hash)
        var place = slots.home(of: word)
        while slots[place] != word {
            if slots[place] == 0 { return }
            place = slots.place(behind: place)
        }
        slots.remove(at: place)
    }

    var all: [InodeNumber] { slots.all.map { Self.number(in: $0) } }

    private mutating func grow() {
        var larger = HashSlots(capacity: slots.capacity * 2)
        for word in slots.all { larger.insert(word) }
        slots = larger
    }

    private static func word(_ number: InodeNumber, _ hash: UInt32) -> UInt64 {
        UInt64(hash) << 32 | UInt64(number.rawValue) + 1
    }

    private static func number(in word: UInt64) -> InodeNumber {
        InodeNumber(rawValue: UInt32(truncatingIfNeeded: word) - 1)
    }
}
