/// Reads binary property lists from outside, within bounds.
///
/// The form: 8 bytes of magic, objects, a table of their offsets, a trailer of 32 bytes. Objects refer to
/// others by number, so that a few bytes can describe a circle, or a tree of any size: depth and the number
/// of values visited are bounded, and every length is compared with what is there before it is used.
struct BinaryPlistReader {
    /// What is accepted. The defaults are far above anything in a record of a file.
    struct Limits {
        var sizeBytes = 16 << 20
        var depth = 32
        var values = 20_000
    }

    private let bytes: [UInt8]
    private let limits: Limits
    private let objectCount: Int
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let tableOffset: Int
    private let top: Int
    private var valueCount = 0
    // Bytes of strings and data so far: the same long one can be referred to many times.
    private var contentBytes = 0

    /// The value that `bytes` hold.
    static func value(
        of bytes: [UInt8], limits: Limits = Limits()
    ) throws(BinaryPlistError) -> BinaryPlistValue {
        var reader = try BinaryPlistReader(bytes, limits)
        return try reader.read(reader.top, depth: 0)
    }

    private init(_ bytes: [UInt8], _ limits: Limits) throws(BinaryPlistError) {
        guard bytes.count <= limits.sizeBytes else { throw .tooLarge }
        guard bytes.count >= 8 + 32, bytes.starts(with: BinaryPlistFormat.magicStart) else { throw .damaged }
        let trailer = bytes.count - 32
        self.bytes = bytes
        self.limits = limits
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
            let count = Self.unsigned(bytes, trailer + 8, 8), let top = Self.unsigned(bytes, trailer + 16, 8),
            let table = Self.unsigned(bytes, trailer + 24, 8),
            count > 0, count <= bytes.count, top < count, table >= 8, table < trailer,
            count * offsetBytes <= trailer - table
        else { throw .damaged }
        objectCount = count
        self.top = top
        tableOffset = table
    }

    private mutating func read(_ index: Int, depth: Int) throws(BinaryPlistError) -> BinaryPlistValue {
        valueCount += 1
        guard depth <= limits.depth, valueCount <= limits.values else { throw .tooLarge }
        guard let start = Self.unsigned(bytes, tableOffset + index * offsetBytes, offsetBytes),
            start >= 8, start < tableOffset
        else { throw .damaged }
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0: return try Self.constant(marker)
        case 0x1: return .integer(try integer(at: start))
        case 0x2: return .real(try real(at: start))
        case 0x3: return .date(try real(at: start))
        case 0x4: return .data(try content(at: start, unitBytes: 1))
        case 0x5: return .string(String(decoding: try content(at: start, unitBytes: 1), as: UTF8.self))
        case 0x6: return .string(Self.utf16(try content(at: start, unitBytes: 2)))
        case 0x8: return .uid(try uid(at: start))
        case 0xA, 0xC: return .array(try elements(at: start, depth: depth))
        case 0xD: return .dictionary(try members(at: start, depth: depth))
        default: throw .damaged
        }
    }

    private static func constant(_ marker: UInt8) throws(BinaryPlistError) -> BinaryPlistValue {
        switch marker {
        case 0x00: .null
        case 0x08: .boolean(false)
        case 0x09: .boolean(true)
        default: throw .damaged
        }
    }

    /// Up to four bytes are unsigned, eight are signed; sixteen hold what needs an unsigned 64 bits.
    private func integer(at start: Int) throws(BinaryPlistError) -> Int64 {
        let exponent = Int(bytes[start] & 0xF)
        guard exponent <= 4, start + 1 + (1 << exponent) <= tableOffset else { throw .damaged }
        var value: UInt64 = 0
        let end = start + 1 + (1 << exponent)
        for byte in bytes[max(start + 1, end - 8)..<end] { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }

    private func real(at start: Int) throws(BinaryPlistError) -> Double {
        switch bytes[start] & 0xF {
        case 2:
            guard let raw = Self.bits(bytes[..<tableOffset], start + 1, 4) else { throw .damaged }
            return Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
        case 3:
            guard let raw = Self.bits(bytes[..<tableOffset], start + 1, 8) else { throw .damaged }
            return Double(bitPattern: raw)
        default: throw .damaged
        }
    }

    private func uid(at start: Int) throws(BinaryPlistError) -> UInt32 {
        let size = Int(bytes[start] & 0xF) + 1
        guard size <= 4, let raw = Self.bits(bytes[..<tableOffset], start + 1, size) else { throw .damaged }
        return UInt32(truncatingIfNeeded: raw)
    }

    private mutating func content(at start: Int, unitBytes: Int) throws(BinaryPlistError) -> [UInt8] {
        let (count, first) = try length(at: start)
        guard count <= (tableOffset - first) / unitBytes else { throw .damaged }
        contentBytes += count * unitBytes
        guard contentBytes <= limits.sizeBytes else { throw .tooLarge }
        return Array(bytes[first..<first + count * unitBytes])
    }

    private mutating func elements(at start: Int, depth: Int) throws(BinaryPlistError) -> [BinaryPlistValue] {
        let (count, first) = try length(at: start)
        guard count <= (tableOffset - first) / referenceBytes else { throw .damaged }
        guard count <= limits.values - valueCount else { throw .tooLarge }
        var elements: [BinaryPlistValue] = []
        elements.reserveCapacity(count)
        for index in 0..<count {
            elements.append(try read(try reference(first, index), depth: depth + 1))
        }
        return elements
    }

    private mutating func members(at start: Int, depth: Int) throws(BinaryPlistError) -> [BinaryPlistMember] {
        let (count, first) = try length(at: start)
        guard count <= (tableOffset - first) / (2 * referenceBytes) else { throw .damaged }
        guard count <= limits.values - valueCount else { throw .tooLarge }
        var members: [BinaryPlistMember] = []
        members.reserveCapacity(count)
        for index in 0..<count {
            guard let key = try read(try reference(first, index), depth: depth + 1).text else {
                throw .damaged
            }
            let value = try read(try reference(first, count + index), depth: depth + 1)
            members.append(BinaryPlistMember(key, value))
        }
        return members
    }

    private func reference(_ first: Int, _ index: Int) throws(BinaryPlistError) -> Int {
        guard let number = Self.unsigned(bytes, first + index * referenceBytes, referenceBytes),
            number < objectCount
        else { throw .damaged }
        return number
    }

    /// The count in the marker's low bits, or in the integer that follows where they are all ones.
    private func length(at start: Int) throws(BinaryPlistError) -> (count: Int, first: Int) {
        let low = bytes[start] & 0xF
        if low != 0xF { return (Int(low), start + 1) }
        guard start + 1 < tableOffset, bytes[start + 1] >> 4 == 0x1, bytes[start + 1] & 0xF <= 3 else {
            throw .damaged
        }
        let size = 1 << Int(bytes[start + 1] & 0xF)
        guard start + 2 + size <= tableOffset, let count = Self.unsigned(bytes, start + 2, size) else {
            throw .damaged
        }
        return (count, start + 2 + size)
    }

    /// A big-endian unsigned integer; nil past the end, or from 2^48 on (no file is that long).
    private static func unsigned(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
        guard let raw = bits(bytes[...], offset, size), raw < 1 << 48 else { return nil }
        return Int(raw)
    }

    private static func bits(_ bytes: ArraySlice<UInt8>, _ offset: Int, _ size: Int) -> UInt64? {
        guard offset >= 0, offset <= bytes.endIndex - size else { return nil }
        var value: UInt64 = 0
        for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
        return value
    }

    private static func utf16(_ bytes: [UInt8]) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }
}

/// What reader and writer share.
enum BinaryPlistFormat {
    /// Readers accept any digit after it.
    static let magicStart = Array("bplist0".utf8)
    static let magic = Array("bplist00".utf8)
}
