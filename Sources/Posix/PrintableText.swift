extension StringProtocol {
    /// Text from outside, as it may stand in a line for people: a character that a terminal would obey, or
    /// that breaks or turns the line, is written as `\u{1B}`.
    public var printableLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return String(self) }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isControl else { return text.unicodeScalars.append(scalar) }
            text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
}

extension Unicode.Scalar {
    /// Control characters, and those that change the direction or break of a line.
    public var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default:
            (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
                || [0x061C, 0x200E, 0x200F].contains(value)
        }
    }
}

extension Int {
    /// As people read it: `1,234`.
    public var groupedDigits: String {
        var digits = String(self)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
