internal import SyncContent

/// Keeps those bytes of a file read in runs that lie in a range.
struct ByteWindow {
    private let range: Range<UInt64>
    private var position: UInt64 = 0
    private var kept: [UInt8] = []

    init(_ range: Range<UInt64>) {
        self.range = range
    }

    mutating func append(_ run: [UInt8]) {
        let end = position + UInt64(run.count)
        let low = max(range.lowerBound, position)
        let high = min(range.upperBound, end)
        if low < high { kept += run[Int(low - position)..<Int(high - position)] }
        position = end
    }

    /// - Throws: `.changed` where the file ended before the range did.
    func bytes() throws(LocalError) -> [UInt8] {
        guard kept.count == range.count else { throw .changed }
        return kept
    }
}
