/// Writes binary property lists: each value an object of its own, in the order of a walk from the top.
struct BinaryPlistWriter {
    private var bytes = BinaryPlistFormat.magic
    private var offsets: [Int] = []
    private let referenceBytes: Int

    static func bytes(of value: BinaryPlistValue) -> [UInt8] {
        var writer = BinaryPlistWriter(objectCount: value.objectCount)
        writer.write(value)
        writer.finish()
        return writer.bytes
    }

    private init(objectCount: Int) {
        referenceBytes = Self.unsignedBytes(UInt64(objectCount))
        bytes.reserveCapacity(1024)
        offsets.reserveCapacity(objectCount)
    }

    private mutating func write(_ value: BinaryPlistValue) {
        offsets.append(bytes.count)
        switch value {
        case .null: bytes.append(0x00)
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): write(value)
        case .real(let value):
            bytes.append(0x23)
            append(value.bitPattern, 8)
        case .date(let value):
            bytes.append(0x33)
            append(value.bitPattern, 8)
        case .data(let value):
            writeMarker(0x4, value.count)
            bytes += value
        case .string(let value): write(value)
        case .uid(let value):
            let size = Self.unsignedBytes(UInt64(value))
            bytes.append(0x80 | UInt8(size - 1))
            append(UInt64(value), size)
        case .array(let elements):
            writeMarker(0xA, elements.count)
            writeBelow(elements)
        case .dictionary(let members):
            writeMarker(0xD, members.count)
            writeBelow(members.map { .string($0.key) } + members.map(\.value))
        }
    }

    /// The references to `values`, then the values: each takes as many numbers as it has objects.
    private mutating func writeBelow(_ values: [BinaryPlistValue]) {
        var number = offsets.count
        for value in values {
            append(UInt64(number), referenceBytes)
            number += value.objectCount
        }
        for value in values { write(value) }
    }

    /// Up to four bytes are read as unsigned, so what is negative takes eight.
    private mutating func write(_ value: Int64) {
        let size = value < 0 ? 8 : Self.unsignedBytes(UInt64(value))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        append(UInt64(bitPattern: value), size)
    }

    private mutating func write(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            writeMarker(0x5, text.utf8.count)
            bytes += text.utf8
        } else {
            writeMarker(0x6, text.utf16.count)
            for unit in text.utf16 { append(UInt64(unit), 2) }
        }
    }

    private mutating func writeMarker(_ kind: UInt8, _ count: Int) {
        guard count >= 0xF else {
            bytes.append(kind << 4 | UInt8(count))
            return
        }
        bytes.append(kind << 4 | 0xF)
        write(Int64(count))
    }

    private mutating func finish() {
        let table = bytes.count
        let offsetBytes = Self.unsignedBytes(UInt64(table))
        for offset in offsets { append(UInt64(offset), offsetBytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)]
        append(UInt64(offsets.count), 8)
        append(0, 8)
        append(UInt64(table), 8)
    }

    private mutating func append(_ value: UInt64, _ size: Int) {
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// 1, 2, 4 or 8.
    private static func unsignedBytes(_ value: UInt64) -> Int {
        switch value {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }
}

extension BinaryPlistValue {
    /// How many objects it takes in a file, itself included.
    fileprivate var objectCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.objectCount }
        case .dictionary(let members): members.reduce(1) { $0 + 1 + $1.value.objectCount }
        default: 1
        }
    }
}
