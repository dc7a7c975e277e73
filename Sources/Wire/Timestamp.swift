internal import FoundationEssentials

/// A moment, which JSON has as a text of ISO 8601 in UTC, to the millisecond: `2026-11-26T02:51:21.000Z`.
public struct Timestamp: Codable, Hashable, Comparable, Sendable {
    /// Since 1970.
    public let seconds: Double

    /// The years that ISO 8601 has four digits for: a file may have any time.
    private static let range = -62_135_596_800.0...253_402_300_799.0

    public init(seconds: Double) {
        self.seconds = seconds.isNaN ? 0 : min(max(seconds, Self.range.lowerBound), Self.range.upperBound)
    }

    public static var now: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = try? Self.style.parse(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time: \(text)")
        }
        seconds = date.timeIntervalSince1970
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.style.format(Date(timeIntervalSince1970: seconds)))
    }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.seconds < other.seconds }

    /// For people: to the second.
    public var text: String { timeText(seconds) }

    /// As it is encoded, for a whole second.
    static func text(ofSecond seconds: Double) -> String {
        style.format(Date(timeIntervalSince1970: seconds))
    }

    private static var style: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    }
}
