/// Bytes as lower-case hexadecimal digits, as keys and digests are written.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// All digits of a number, leading zeros too.
    public static func text<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Number.bitWidth / 4 - digits.count) + digits
    }

    public static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

    /// Nil where the text has another character than `0-9a-f`, or an odd number of them.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map(value)
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count / 2)
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[index], let low = values[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
