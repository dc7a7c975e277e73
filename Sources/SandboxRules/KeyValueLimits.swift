/// What an app's key-value store may hold: `NSUbiquitousKeyValueStore`'s limits, as they were on iOS 5 and as
/// they are now (SPEC.md 11).
public struct KeyValueLimits: Sendable, Equatable {
    private enum KeyLength: Sendable, Equatable {
        case utf8(Int)
        case utf16(Int)
    }

    private let key: KeyLength
    /// Of one value.
    public let valueBytes: Int
    /// Of all values together; keys do not count.
    public let totalBytes: Int
    /// How many keys there may be.
    public let keys: Int
    /// Whether data, dates, arrays and dictionaries are values too.
    public let takesAllTypes: Bool

    /// iOS 5 counted no keys; the bound on them is AppHome's own, for values without bytes.
    public static let ios5 = KeyValueLimits(
        key: .utf8(64), valueBytes: 64 << 10, totalBytes: 64 << 10, keys: 16_384, takesAllTypes: false)
    public static let current = KeyValueLimits(
        key: .utf16(128), valueBytes: 1 << 20, totalBytes: 1 << 20, keys: 1024, takesAllTypes: true)

    /// How much a store holds.
    public struct Usage: Sendable, Equatable {
        public var keys = 0
        public var bytes = 0

        public init(keys: Int = 0, bytes: Int = 0) {
            self.keys = keys
            self.bytes = bytes
        }
    }

    /// Whether a store that devices filled together holds more than one of them could.
    public func isExceeded(by usage: Usage) -> Bool {
        usage.bytes > totalBytes || usage.keys > keys
    }

    /// Why a key cannot be set; nil where it can. What makes a store that is too full smaller always can.
    /// - Parameters:
    ///   - bytes: the value's size.
    ///   - old: the size of the value that the key has; nil: it has none.
    ///   - usage: the store's, before.
    /// - Returns: the end of a sentence about the key.
    public func refusal(setting name: String, bytes: Int, replacing old: Int?, in usage: Usage) -> String? {
        if let refusal = refusal(ofKey: name) { return refusal }
        if bytes > valueBytes {
            return "its value has \(bytes) bytes, and one may have \(valueBytes) at most"
        }
        let total = usage.bytes - (old ?? 0) + bytes
        if total > totalBytes, total > usage.bytes {
            return "all values would have \(total) bytes then, and may have \(totalBytes) together"
        }
        if old == nil, usage.keys >= keys {
            return "the store has \(usage.keys) keys, and may have \(keys) at most"
        }
        return nil
    }

    private func refusal(ofKey name: String) -> String? {
        if name.isEmpty { return "a key has a name" }
        switch key {
        case .utf8(let limit) where name.utf8.count > limit:
            return "the key has \(name.utf8.count) bytes, and may have \(limit) at most"
        case .utf16(let limit) where name.utf16.count > limit:
            return "the key has \(name.utf16.count) UTF-16 units, and may have \(limit) at most"
        case .utf8, .utf16: return nil
        }
    }
}
