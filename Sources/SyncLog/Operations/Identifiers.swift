/// 128 bits as two halves. Not `UInt128`: Swift 6.3 unoptimised keeps values that hold one in stack slots
/// that are not aligned for it, and the process ends.
package struct Bits128: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(_ value: UInt128) {
        high = UInt64(truncatingIfNeeded: value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    package var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

    package static func < (left: Bits128, right: Bits128) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// A device, as the log knows it: 128 random bits, made when it joins an account and anew when it is found to
/// be a clone.
package struct DeviceID: Hashable, Comparable, Sendable {
    private let halves: Bits128
    package var bits: UInt128 { halves.value }

    package init(bits: UInt128) {
        halves = Bits128(bits)
    }

    /// 32 digits, as in the store's keys.
    package var hex: String { bits.hexDigits }

    package static func < (left: DeviceID, right: DeviceID) -> Bool { left.halves < right.halves }
}

/// An item, for ever, whatever its name and place: 128 random bits, or what comes next after some.
package struct FileID: Hashable, Comparable, Sendable {
    private let halves: Bits128
    package var bits: UInt128 { halves.value }

    package init(bits: UInt128) {
        halves = Bits128(bits)
    }

    /// Documents itself.
    package static let root = FileID(bits: 0)
    /// Near it in every order, for what is made together. The steps are wide: the hash that ends a snapshot's
    /// pages does not tell apart keys that differ in their last bytes only.
    package var next: FileID { FileID(bits: bits &+ 1 << 40) }

    package static func < (left: FileID, right: FileID) -> Bool { left.halves < right.halves }
}

/// What one operation made: the device, its count of batches, and the operation's place in the batch. Known
/// when the batch is journaled, so a second edit made offline can name the first.
package struct Revision: Hashable, Comparable, Sendable {
    package let device: DeviceID
    package let n: UInt64
    package let index: UInt32

    package init(device: DeviceID, n: UInt64, index: UInt32) {
        self.device = device
        self.n = n
        self.index = index
    }

    /// The place that a merge by this operation makes: known only to who has seen it in the log. No operation
    /// has such an index, for `LogLimits.operations` lies far below.
    var ofMerge: Revision { Revision(device: device, n: n, index: index | 1 << 31) }

    /// The place that a move by this operation gives a directory that others were merged into; another one
    /// than a merge by the same move makes.
    var ofMergedMove: Revision { Revision(device: device, n: n, index: index | 1 << 30) }

    /// An order to write sets in; it says nothing of time.
    package static func < (left: Revision, right: Revision) -> Bool {
        (left.device, left.n, left.index) < (right.device, right.n, right.index)
    }
}

/// SHA-256.
package struct ContentHash: Hashable, Comparable, Sendable {
    private let first: Bits128
    private let second: Bits128
    package var high: UInt128 { first.value }
    package var low: UInt128 { second.value }

    package init(high: UInt128, low: UInt128) {
        first = Bits128(high)
        second = Bits128(low)
    }

    package static func < (left: ContentHash, right: ContentHash) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All its digits, base 16, leading zeros too.
    package var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
