/// UTF-8 checked and measured in place, as the standard library would, without making a String.
extension UnsafeRawBufferPointer {
    /// The length of this text in UTF-16 units; nil where the bytes are not well-formed UTF-8
    /// (overlong forms, surrogates, above U+10FFFF, cut short: Unicode Standard, table 3-7).
    var utf16UnitCount: Int? {
        var index = asciiPrefixCount
        var units = index
        while index < count {
            guard let width = scalarWidth(at: index) else { return nil }
            index += width
            units += width == 4 ? 2 : 1
        }
        return units
    }

    /// The bytes of the well-formed sequence that begins at `index`, or nil.
    private func scalarWidth(at index: Int) -> Int? {
        let width: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch self[index] {
        case 0x00...0x7f: return 1
        case 0xc2...0xdf: width = 2
        case 0xe0: (width, second) = (3, 0xa0...0xbf)
        case 0xed: (width, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: width = 3
        case 0xf0: (width, second) = (4, 0x90...0xbf)
        case 0xf4: (width, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: width = 4
        default: return nil
        }
        guard index + width <= count, second.contains(self[index + 1]) else { return nil }
        for next in (index + 2)..<(index + width) where self[next] & 0xc0 != 0x80 { return nil }
        return width
    }
}
