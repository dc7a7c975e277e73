/// A sum of hashes modulo 2^256: the same for the same set in any order, and kept up to date by adding what
/// comes and subtracting what goes. It finds accidents, not forgeries.
public struct HashSum: Equatable, Sendable {
    public private(set) var high: UInt128
    public private(set) var low: UInt128

    public init(high: UInt128 = 0, low: UInt128 = 0) {
        self.high = high
        self.low = low
    }

    public mutating func add(_ hash: ContentHash) {
        let (sum, carries) = low.addingReportingOverflow(hash.low)
        low = sum
        high = high &+ hash.high &+ (carries ? 1 : 0)
    }

    public mutating func subtract(_ hash: ContentHash) {
        let (difference, borrows) = low.subtractingReportingOverflow(hash.low)
        low = difference
        high = high &- hash.high &- (borrows ? 1 : 0)
    }
}
