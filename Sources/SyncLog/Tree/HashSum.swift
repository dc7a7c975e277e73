/// A sum of hashes modulo 2^256: the same for the same set in any order, and kept up to date by adding what
/// comes and subtracting what goes. It finds accidents, not forgeries.
package struct HashSum: Equatable, Sendable {
    private var first: Bits128
    private var second: Bits128
    package var high: UInt128 { first.value }
    package var low: UInt128 { second.value }

    package init(high: UInt128 = 0, low: UInt128 = 0) {
        first = Bits128(high)
        second = Bits128(low)
    }

    package mutating func add(_ hash: ContentHash) {
        let (sum, carries) = low.addingReportingOverflow(hash.low)
        second = Bits128(sum)
        first = Bits128(high &+ hash.high &+ (carries ? 1 : 0))
    }

    package mutating func subtract(_ hash: ContentHash) {
        let (difference, borrows) = low.subtractingReportingOverflow(hash.low)
        second = Bits128(difference)
        first = Bits128(high &- hash.high &- (borrows ? 1 : 0))
    }
}
