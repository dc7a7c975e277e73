/// Writes CBOR in its one deterministic form (RFC 8949, 4.2.1): shortest heads, definite lengths. Keys of
/// maps are the caller's to sort.
package struct CBORWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func unsigned(_ value: UInt64) { head(0, value) }
    package mutating func unsigned(_ value: some FixedWidthInteger & UnsignedInteger) {
        head(0, UInt64(value))
    }

    package mutating func signed(_ value: Int64) {
        if value >= 0 { head(0, UInt64(value)) } else { head(1, UInt64(bitPattern: ~value)) }
    }

    package mutating func byteString(_ value: [UInt8]) {
        head(2, UInt64(value.count))
        bytes += value
    }

    /// Sixteen bytes, the most significant first.
    package mutating func identifier(_ value: UInt128) {
        head(2, 16)
        append(value)
    }

    package mutating func hash(_ value: ContentHash) {
        head(2, 32)
        append(value.high)
        append(value.low)
    }

    package mutating func text(_ value: String) {
        var value = value
        value.withUTF8 {
            head(3, UInt64($0.count))
            bytes += $0
        }
    }

    package mutating func array(_ count: Int) { head(4, UInt64(count)) }
    /// Values of one kind, as `body` writes each.
    package mutating func list<Value>(_ values: [Value], _ body: (inout CBORWriter, Value) -> Void) {
        array(values.count)
        for value in values { body(&self, value) }
    }

    package mutating func map(_ count: Int) { head(5, UInt64(count)) }

    private mutating func append(_ value: UInt128) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }

    private mutating func head(_ major: UInt8, _ value: UInt64) {
        let major = major << 5
        switch value {
        case 0..<24: bytes.append(major | UInt8(value))
        case 24...0xff:
            bytes.append(major | 24)
            bytes.append(UInt8(value))
        case 0x100...0xffff:
            bytes.append(major | 25)
            withUnsafeBytes(of: UInt16(value).bigEndian) { bytes += $0 }
        case 0x1_0000...0xffff_ffff:
            bytes.append(major | 26)
            withUnsafeBytes(of: UInt32(value).bigEndian) { bytes += $0 }
        default:
            bytes.append(major | 27)
            withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
        }
    }
}
