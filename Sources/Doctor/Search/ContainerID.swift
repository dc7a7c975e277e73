/// The UUID that a container's directory is called by.
public struct ContainerID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// As characters: 8, 4, 4, 4 and 12 hexadecimal digits with dashes between.
    static let characters = 36
    static let dashes = [8, 13, 18, 23]

    /// - Parameter text: in either case; nil where it is no UUID.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let found = text.withUTF8 { bytes in
            bytes.count == Self.characters
                ? Self(UnsafeRawBufferPointer(bytes), at: 0, .utf8) : nil
        }
        guard let found else { return nil }
        self = found
    }

    /// Reads one that begins at `start`; nil where there is none, or not all of it.
    init?(_ bytes: UnsafeRawBufferPointer, at start: Int, _ encoding: TextEncoding) {
        let unit = encoding.unitBytes
        guard start >= 0, start + Self.characters * unit <= bytes.count else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for index in 0..<Self.characters {
            guard let character = encoding.character(bytes, start + index * unit) else { return nil }
            if Self.dashes.contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.digit(character) else { return nil }
            if index < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        self.high = high
        self.low = low
    }

    static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// As iOS writes it: in capitals.
    public var text: String {
        func digits(_ number: UInt64) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        var text = digits(high) + digits(low)
        for place in Self.dashes { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
        return text
    }
}

/// How text lies in a file.
enum TextEncoding: CaseIterable, Sendable {
    case utf8, utf16BigEndian, utf16LittleEndian

    var unitBytes: Int { self == .utf8 ? 1 : 2 }

    /// For people: the order of the bytes cannot always be told.
    var name: String { self == .utf8 ? "UTF-8" : "UTF-16" }

    /// The ASCII character whose unit begins at `offset`; nil for another one.
    /// - Precondition: the unit lies in `bytes`.
    func character(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt8? {
        switch self {
        case .utf8: bytes[offset]
        case .utf16LittleEndian: bytes[offset + 1] == 0 ? bytes[offset] : nil
        case .utf16BigEndian: bytes[offset] == 0 ? bytes[offset + 1] : nil
        }
    }
}
