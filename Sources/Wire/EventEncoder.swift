/// Makes the frames of events, byte for byte as `Frame(_:)` makes them of `Answer.event`, at a fraction of
/// its cost: for who sends thousands in a second.
public struct EventEncoder: Sendable {
    /// The text of the last second that there was: making one costs as much as all the rest.
    private var second: Double?
    private var secondText: [UInt8] = []

    public init() {}

    /// Puts the frame of `event` behind `bytes`.
    public mutating func append(_ event: WatchedEvent, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += [0, 0, 0, 0]
        bytes += #"{"event":{"_0":{"app":"#.utf8
        Self.append(event.app, to: &bytes)
        Self.append("detail", event.detail, to: &bytes)
        bytes += #","event":"#.utf8
        Self.append(event.event, to: &bytes)
        Self.append("path", event.path, to: &bytes)
        if let pid = event.pid { bytes += ",\"pid\":\(pid)".utf8 }
        Self.append("program", event.program, to: &bytes)
        bytes += ",\"sequence\":\(event.sequence),\"time\":\"".utf8
        append(event.time, to: &bytes)
        bytes += #""}}}"#.utf8
        let length = UInt32(bytes.count - start - 4)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(shift))
        }
    }

    private static func append(_ key: String, _ value: String?, to bytes: inout [UInt8]) {
        guard let value else { return }
        bytes += ",\"\(key)\":".utf8
        append(value, to: &bytes)
    }

    /// As a JSON string.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0a: bytes += #"\n"#.utf8
            case 0x0c: bytes += #"\f"#.utf8
            case 0x0d: bytes += #"\r"#.utf8
            case ..<0x20:
                bytes += #"\u00"#.utf8
                bytes += [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hexDigits = [UInt8]("0123456789abcdef".utf8)

    /// The beginning of 2001, since 1970.
    private static let referenceSeconds = 978_307_200.0

    private mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        // As Foundation keeps a date, from 2001 on, with what that does to its last digits.
        let seconds = (time.seconds - Self.referenceSeconds) + Self.referenceSeconds
        let whole = seconds.rounded(.down)
        if second != whole {
            second = whole
            // "2026-01-31T12:00:00", before ".000Z".
            secondText = Array(Timestamp.text(ofSecond: whole).utf8.dropLast(5))
        }
        bytes += secondText
        let milliseconds = Int((seconds - whole) * 1000)
        bytes.append(UInt8(ascii: "."))
        for divisor in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(milliseconds / divisor % 10)) }
        bytes.append(UInt8(ascii: "Z"))
    }
}
