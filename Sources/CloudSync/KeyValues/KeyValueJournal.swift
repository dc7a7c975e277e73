package import SyncLog

/// What a device remembers of its own part in a key-value store, beside the log's state.
package protocol KeyValueJournal: AnyObject {
    /// What was set here and is not in the log yet, by ascending keys.
    func pendingKeyValues() throws -> [PendingKeyValue]
    func pendingKeyValue(_ key: KeyName) throws -> PendingKeyValue?
    func setPendingKeyValue(_ pending: PendingKeyValue) throws
    func removePendingKeyValue(_ key: KeyName) throws
    func keyValueClock() throws -> KeyValueClock
    func setKeyValueClock(_ clock: KeyValueClock) throws
}

/// A key that was set or removed here.
package struct PendingKeyValue: Equatable, Sendable {
    package var key: KeyName
    /// A property list, binary; nil: it was removed.
    package var value: [UInt8]?
    package var stamp: KeyValueStamp
    /// It was set before the store was heard for the first time: where the account has the key, that counts.
    package var isHeld: Bool

    package init(key: KeyName, value: [UInt8]?, stamp: KeyValueStamp, isHeld: Bool) {
        self.key = key
        self.value = value
        self.stamp = stamp
        self.isHeld = isHeld
    }
}

/// A hybrid logical clock: the store's time as this machine reckons it, and never back.
package struct KeyValueClock: Equatable, Sendable {
    /// The latest moment that was given away or read.
    package var latest = KeyValueStamp(milliseconds: 0)
    /// What the store's clock is ahead of this machine's, in milliseconds; nil: it was never heard.
    package var offset: Int64?

    package init() {}

    /// - Parameter wall: this machine's clock, in milliseconds since 1970.
    /// - Returns: a moment after all that were given away or read.
    package mutating func next(at wall: Int64) -> KeyValueStamp {
        let now = KeyValueStamp(milliseconds: max(0, wall.addingClamped(offset ?? 0)))
        latest = now > latest ? now : latest.next
        return latest
    }

    /// What others set is earlier than what is set here from now on.
    package mutating func hear(_ stamp: KeyValueStamp) { latest = max(latest, stamp) }
}

extension Int64 {
    /// The sum, or the end of the range that it passes.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }
}
