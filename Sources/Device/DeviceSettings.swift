internal import SandboxRules

/// A device's settings: what `apphome device show` prints and `apphome device set KEY VALUE` changes.
public struct DeviceSettings: Sendable, Equatable {
    /// How names are compared in a home.
    public enum NameMode: String, Sendable, CaseIterable { case device, simulator, legacy }

    /// Under which names `com.apple.*` attributes are listed.
    public enum AttributeList: String, Sendable, CaseIterable { case apple, user }

    /// Which generation of the key-value store's limits holds.
    public enum KeyValueLimits: String, Sendable, CaseIterable { case ios5, current }

    /// Free space below which caches are purged.
    public enum Threshold: Sendable, Equatable {
        case off
        case bytes(Int64)
        case percent(Int)
    }

    public private(set) var names = NameMode.device
    public private(set) var attributeList = AttributeList.apple
    public private(set) var keyValueLimits = KeyValueLimits.ios5
    public private(set) var lowDisk = Threshold.off
    /// The account's quota, in bytes.
    public private(set) var quotaBytes: Int64 = 5_000_000_000
    /// Bytes a second that sync may send and fetch; 0: no limit.
    public private(set) var uploadRate: Int64 = 0
    public private(set) var downloadRate: Int64 = 0

    public init() {}

    /// Every key with its value, as `set` takes it back, in the order of `Key`.
    public var values: [(key: String, value: String)] { Key.allCases.map { ($0.rawValue, value(of: $0)) } }

    enum Key: String, CaseIterable {
        case names
        case lowDisk = "low-disk"
        case keyValueLimits = "kvs-limits"
        case attributeList = "xattr-list"
        case quota
        case uploadRate = "upload-rate"
        case downloadRate = "download-rate"
    }

    /// Changes one setting.
    ///
    /// - Throws: `badValue`, which names the keys or the values there are.
    mutating func set(_ key: String, _ value: String) throws(DeviceError) {
        guard let known = Key(rawValue: key) else {
            let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw DeviceError(.badValue, "there is no setting \"\(key)\"; the settings are \(keys)")
        }
        switch known {
        case .names: names = try Self.choice(key, value)
        case .attributeList: attributeList = try Self.choice(key, value)
        case .keyValueLimits: keyValueLimits = try Self.choice(key, value)
        case .lowDisk: lowDisk = try Self.threshold(value)
        case .quota:
            guard let bytes = ByteCount.parse(value) else {
                throw DeviceError(.badValue, "quota cannot be \"\(value)\"; give bytes, as 5000000000 or 5G")
            }
            quotaBytes = bytes
        case .uploadRate: uploadRate = try Self.rate(key, value)
        case .downloadRate: downloadRate = try Self.rate(key, value)
        }
    }

    private func value(of key: Key) -> String {
        switch key {
        case .names: names.rawValue
        case .attributeList: attributeList.rawValue
        case .keyValueLimits: keyValueLimits.rawValue
        case .quota: String(quotaBytes)
        case .uploadRate: uploadRate == 0 ? "none" : String(uploadRate)
        case .downloadRate: downloadRate == 0 ? "none" : String(downloadRate)
        case .lowDisk:
            switch lowDisk {
            case .off: "off"
            case .bytes(let bytes): String(bytes)
            case .percent(let percent): "\(percent)%"
            }
        }
    }

    private static func choice<Choice>(_ key: String, _ value: String) throws(DeviceError) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        if let choice = Choice(rawValue: value) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw DeviceError(.badValue, "\(key) cannot be \"\(value)\"; it is one of \(choices)")
    }

    private static func rate(_ key: String, _ value: String) throws(DeviceError) -> Int64 {
        if value == "none" { return 0 }
        if let bytes = ByteCount.parse(value) { return bytes }
        throw DeviceError(.badValue, "\(key) cannot be \"\(value)\"; give bytes a second (500K, 2M), or none")
    }

    private static func threshold(_ value: String) throws(DeviceError) -> Threshold {
        if value == "off" { return .off }
        if value.hasSuffix("%"), let percent = Int(value.dropLast()), (1...99).contains(percent) {
            return .percent(percent)
        }
        if let bytes = ByteCount.parse(value) { return .bytes(bytes) }
        throw DeviceError(.badValue, "low-disk cannot be \"\(value)\"; give bytes (2G), a share (5%), or off")
    }
}
