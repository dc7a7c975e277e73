extension StringProtocol {
    /// Text from outside, as it may stand in a line for people: a character that a terminal would obey, or
    /// that breaks or turns the line, is a question mark.
    public var printableLine: String {
        String(map { $0.unicodeScalars.contains(where: \.isControl) ? "?" : $0 })
    }
}

extension Unicode.Scalar {
    /// Control characters, and those that change the direction or break of a line.
    public var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
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
