/// What the rules ask of a name's bytes. Nothing here allocates: it runs at every lookup.
extension UnsafeRawBufferPointer {
    init(_ literal: StaticString) {
        self.init(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }

    /// How many bytes before the first that is not ASCII, eight at a time.
    var asciiPrefixCount: Int {
        var index = 0
        while index + 8 <= count {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let highBits = word & 0x8080_8080_8080_8080
            if highBits != 0 { return index + highBits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count, self[index] < 0x80 { index += 1 }
        return index
    }

    var isASCII: Bool { asciiPrefixCount == count }

    public func isEqual(to literal: StaticString) -> Bool {
        count == literal.utf8CodeUnitCount && hasPrefix(literal)
    }

    func hasPrefix(_ literal: StaticString) -> Bool {
        matches(UnsafeRawBufferPointer(literal), at: 0)
    }

    func hasSuffix(_ literal: StaticString) -> Bool {
        matches(UnsafeRawBufferPointer(literal), at: count - literal.utf8CodeUnitCount)
    }

    /// Equal to an ASCII literal but for the case of ASCII letters.
    func isEqualIgnoringCase(to literal: StaticString) -> Bool {
        let other = UnsafeRawBufferPointer(literal)
        guard count == other.count else { return false }
        for index in 0..<count where self[index].lowercasedASCII != other[index].lowercasedASCII {
            return false
        }
        return true
    }

    private func matches(_ other: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset >= 0, offset + other.count <= count else { return false }
        for index in 0..<other.count where self[offset + index] != other[index] { return false }
        return true
    }
}

extension UInt8 {
    var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }

    var lowercasedASCII: UInt8 { isASCIILetter ? self | 0x20 : self }
}
