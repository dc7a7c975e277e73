internal import StoreBasics

/// What a key-value store's log tells of a key (SPEC.md 11): the whole of it, so nothing depends on what was
/// said before.
package struct KeyValueOperation: Equatable, Sendable {
    package var key: KeyName
    /// A property list, binary; nil: the key was removed.
    package var value: [UInt8]?
    /// When its device set it.
    package var stamp: KeyValueStamp

    package init(key: KeyName, value: [UInt8]?, stamp: KeyValueStamp) {
        self.key = key
        self.value = value
        self.stamp = stamp
    }
}

/// A key's name. Two are one only where their bytes are, as in a dictionary on iOS: Unicode's other spellings
/// of a text are other keys.
package struct KeyName: Hashable, Comparable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    var utf8: [UInt8] { bytes }

    package static func < (left: KeyName, right: KeyName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// A moment of a hybrid logical clock: the store's time, and a count for what is later than something else
/// with no time in between. The later one wins.
package struct KeyValueStamp: Hashable, Comparable, Sendable {
    /// Since 1970.
    package var milliseconds: Int64
    package var count: UInt32

    package init(milliseconds: Int64, count: UInt32 = 0) {
        self.milliseconds = milliseconds
        self.count = count
    }

    package static func < (left: KeyValueStamp, right: KeyValueStamp) -> Bool {
        (left.milliseconds, left.count) < (right.milliseconds, right.count)
    }

    /// The first moment after it.
    package var next: KeyValueStamp {
        count == .max
            ? KeyValueStamp(milliseconds: milliseconds &+ 1)
            : KeyValueStamp(milliseconds: milliseconds, count: count + 1)
    }

    /// The last moment of that second: what a commit of that time may say at most.
    static func end(of time: StoreTime) -> KeyValueStamp {
        KeyValueStamp(milliseconds: time.seconds * 1000 + 999, count: .max)
    }

    static func start(of time: StoreTime) -> KeyValueStamp {
        KeyValueStamp(milliseconds: time.seconds * 1000)
    }
}

/// A key as the log has it.
package struct KeyValueRecord: Equatable, Sendable {
    package var key: KeyName
    /// Nil: it was removed; the row says when.
    package var value: [UInt8]?
    package var stamp: KeyValueStamp
    /// Who set it: between equal moments the higher one wins.
    package var device: DeviceID

    package init(key: KeyName, value: [UInt8]?, stamp: KeyValueStamp, device: DeviceID) {
        self.key = key
        self.value = value
        self.stamp = stamp
        self.device = device
    }

    package func isLater(than other: KeyValueRecord) -> Bool {
        (stamp, device) > (other.stamp, other.device)
    }
}
