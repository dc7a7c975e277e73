/// How many items of much that is to come to the disk are taken up at once: as many as come in a moment. A
/// disk that others keep busy takes seconds for what comes in a tenth of one else, and so does a slow store,
/// and who is next waits for all of them.
struct PartSize {
    private static let momentNanoseconds: UInt64 = 300_000_000
    /// Fewer take as long: so many are made durable together.
    private static let least = Applier.groupSize

    private let most: Int
    private(set) var count: Int

    /// - Parameter most: where all goes fast.
    init(most: Int) {
        self.most = most
        count = min(most, 2 * Self.least)
    }

    /// So many of a part came. Where none did the next part is as large: the same try is known by it.
    mutating func note(_ done: Int, took nanoseconds: UInt64) {
        guard done > 0 else { return }
        if nanoseconds > Self.momentNanoseconds {
            let fitting = Int(UInt64(done) * Self.momentNanoseconds / nanoseconds)
            count = min(count, most, max(1, fitting / Self.least) * Self.least)
        } else if 2 * done >= count, nanoseconds < Self.momentNanoseconds / 2 {
            count = min(most, 2 * count)
        }
    }
}
