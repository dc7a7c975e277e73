/// How many items of much that is to be done are taken up at once: as many as go in a moment. A disk that
/// others keep busy takes seconds for what goes in a tenth of one else, and who is next waits for all of them.
struct PartSize {
    private static let momentNanoseconds: UInt64 = 300_000_000
    /// About as many as the disk is asked to make durable together: fewer would take as long.
    private static let least = 64

    private let most: Int
    private(set) var count: Int

    /// - Parameter most: where all goes fast.
    init(most: Int) {
        self.most = most
        count = min(most, 2 * Self.least)
    }

    /// So many of a part were done.
    mutating func note(_ done: Int, took nanoseconds: UInt64) {
        let fitting = UInt64(done) * Self.momentNanoseconds / max(1, nanoseconds)
        if nanoseconds > Self.momentNanoseconds {
            count = min(count, max(Int(fitting), min(most, Self.least)))
        } else if done >= count, nanoseconds < Self.momentNanoseconds / 2 {
            count = min(most, 2 * count)
        }
    }
}
