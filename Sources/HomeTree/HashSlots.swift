/// Words whose first bits are a hash, by open addressing: each stands in the slot that those bits say, or
/// behind it with no gap between.
struct HashSlots {
    /// 0: none.
    private var words: [UInt64]
    private var count = 0

    /// - Parameter capacity: a power of two, above 1.
    init(capacity: Int) { words = Array(repeating: 0, count: capacity) }

    var capacity: Int { words.count }
    /// With what an array has in front.
    var sizeBytes: Int { words.count * 8 + 32 }
    var isFull: Bool { count >= words.count / 4 * 3 }
    var all: some Sequence<UInt64> { words.lazy.filter { $0 != 0 } }

    subscript(place: Int) -> UInt64 { words[place] }
    func home(of word: UInt64) -> Int { Int(word >> UInt64(64 - words.count.trailingZeroBitCount)) }
    func place(behind place: Int) -> Int { (place + 1) & (words.count - 1) }

    /// - Precondition: it is not full, and does not hold the word, which is not 0.
    mutating func insert(_ word: UInt64) {
        var place = home(of: word)
        while words[place] != 0 { place = self.place(behind: place) }
        words[place] = word
        count += 1
    }

    /// Closes the gap with what stands behind it, as far as that may stand there.
    mutating func remove(at position: Int) {
        var gap = position
        var place = self.place(behind: gap)
        while words[place] != 0 {
            let distance = (place - home(of: words[place])) & (words.count - 1)
            if distance >= (place - gap) & (words.count - 1) {
                words[gap] = words[place]
                gap = place
            }
            place = self.place(behind: place)
        }
        words[gap] = 0
        count -= 1
    }
}
