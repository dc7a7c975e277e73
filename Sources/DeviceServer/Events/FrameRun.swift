/// Frames of events, one behind the other, ready to be sent: as many as the newest of a bounded run.
struct FrameRun {
    struct Item: Equatable {
        /// Where its frame ends in `bytes`.
        var end: Int
        /// The events that it stands for, by their numbers; more than one where they are lost.
        let numbers: ClosedRange<UInt64>
        /// The last of them among all events.
        let sequence: UInt64
    }

    private(set) var bytes: [UInt8] = []
    private(set) var items: [Item] = []

    /// The number behind the last event; nil at first.
    var next: UInt64? { items.last.map { $0.numbers.upperBound + 1 } }

    /// Adds a frame, which is what came to be behind `bytes` in `make`.
    mutating func append(
        numbers: ClosedRange<UInt64>, sequence: UInt64, _ make: (inout [UInt8]) -> Void
    ) {
        make(&bytes)
        items.append(Item(end: bytes.count, numbers: numbers, sequence: sequence))
    }

    /// The first item that is not before an event; nil where there is none.
    func firstIndex(from number: UInt64) -> Int? {
        index { $0.numbers.upperBound >= number }
    }

    /// The item that a byte belongs to; nil behind the last.
    func index(ofByte offset: Int) -> Int? { index { $0.end > offset } }

    func start(of index: Int) -> Int { index == 0 ? 0 : items[index - 1].end }

    /// The first item for which something holds that holds for all behind it.
    private func index(where holds: (Item) -> Bool) -> Int? {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(items[middle]) { high = middle } else { low = middle + 1 }
        }
        return low < items.count ? low : nil
    }

    /// Drops the oldest frames where there are twice as many bytes: one that is longer by itself stays.
    mutating func trim(toBytes most: Int) {
        guard bytes.count > 2 * most, let first = index(ofByte: bytes.count - most) else { return }
        let cut = start(of: first)
        bytes.removeFirst(cut)
        items.removeFirst(first)
        for index in items.indices { items[index].end -= cut }
    }
}
