/// 128 bits as two halves. Not `UInt128`: Swift 6.3 unoptimised keeps values that hold one in stack slots
/// that are not aligned for it, and the process ends.
public struct Bits128: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    public init(_ value: UInt128) {
        high = UInt64(truncatingIfNeeded: value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    public var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

    public static func < (left: Bits128, right: Bits128) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// A device, as the log knows it: 128 random bits, made when it joins an account and anew when it is found to
/// be a clone.
public struct DeviceID: Hashable, Comparable, Sendable {
    private let halves: Bits128
    public var bits: UInt128 { halves.value }

    public init(bits: UInt128) {
        halves = Bits128(bits)
    }

    /// 32 digits, as in the store's keys.
    public var hex: String { bits.hexDigits }

    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.halves < right.halves }
}

/// An item, for ever: 128 random bits, whatever its name and place.
public struct FileID: Hashable, Comparable, Sendable {
    private let halves: Bits128
    public var bits: UInt128 { halves.value }

    public init(bits: UInt128) {
        halves = Bits128(bits)
    }

    /// Documents itself.
    public static let root = FileID(bits: 0)
    public static func < (left: FileID, right: FileID) -> Bool { left.halves < right.halves }
}

/// What one operation made: the device, its count of batches, and the operation's place in the batch. Known
/// when the batch is journaled, so a second edit made offline can name the first.
public struct Revision: Hashable, Comparable, Sendable {
    public let device: DeviceID
    public let n: UInt64
    public let index: UInt32

    public init(device: DeviceID, n: UInt64, index: UInt32) {
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
    public static func < (left: Revision, right: Revision) -> Bool {
        (left.device, left.n, left.index) < (right.device, right.n, right.index)
    }
}

/// SHA-256.
public struct ContentHash: Hashable, Comparable, Sendable {
    private let first: Bits128
    private let second: Bits128
    public var high: UInt128 { first.value }
    public var low: UInt128 { second.value }

    public init(high: UInt128, low: UInt128) {
        first = Bits128(high)
        second = Bits128(low)
    }

    public static func < (left: ContentHash, right: ContentHash) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}
