/// How large a binary property list gets when it is unfolded to values.
///
/// In the binary form many places can point to one object, so 200 bytes can unfold to billions of values:
/// Foundation's parser shares them, but bridging its result to Swift values copies each. This counts first,
/// visiting each object once.
struct BinaryPropertyListShape {
    static let valueLimit = 2_000_000
    static let byteLimit = 64 << 20
    static let depthLimit = 128

    private let bytes: [UInt8]
    private let objectCount: Int
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let topObject: Int
    private let tableOffset: Int

    /// - Returns: nil where header or trailer do not fit the bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 + 32, bytes.starts(with: Array("bplist0".utf8)) else { return nil }
        let trailer = bytes.count - 32
        self.bytes = bytes
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes) else { return nil }
        guard
            let count = Self.integer(bytes, trailer + 8, 8), let top = Self.integer(bytes, trailer + 16, 8),
            let table = Self.integer(bytes, trailer + 24, 8)
        else { return nil }
        guard count > 0, count <= bytes.count, top < count, table >= 8, table < trailer else { return nil }
        guard count * offsetBytes <= trailer - table else { return nil }
        objectCount = count
        topObject = top
        tableOffset = table
    }

    /// Whether the unfolded values stay within the limits; false for references in a circle or out of range.
    var isWithinBounds: Bool {
        var known: [Int: Size] = [:]
        guard let size = measure(topObject, depth: 0, &known) else { return false }
        return size.values <= Self.valueLimit && size.bytes <= Self.byteLimit
    }

    /// Where the bytes lie of a string or of data.
    enum Run {
        case data(Range<Int>)
        case ascii(Range<Int>)
        case utf16(Range<Int>)
    }

    /// What stands at the top, where that is one of them.
    var topBytes: Run? {
        guard let object = object(topObject), object.childCount == 0,
            let offset = Self.integer(bytes, tableOffset + topObject * offsetBytes, offsetBytes)
        else { return nil }
        let range = object.start..<object.start + object.byteCount
        switch bytes[offset] >> 4 {
        case 0x4: return .data(range)
        case 0x5: return .ascii(range)
        case 0x6: return .utf16(range)
        default: return nil
        }
    }

    private struct Size {
        var values = 1
        var bytes = 0
        // How many levels of containers lie below.
        var height = 0
    }

    /// Measures object `index`, remembering it in `known`.
    /// - Returns: nil past a limit, and where the object is not well formed.
    private func measure(_ index: Int, depth: Int, _ known: inout [Int: Size]) -> Size? {
        guard depth <= Self.depthLimit else { return nil }
        if let size = known[index] { return depth + size.height <= Self.depthLimit ? size : nil }
        guard let object = object(index) else { return nil }
        var size = Size(values: 1, bytes: object.byteCount, height: 0)
        for child in 0..<object.childCount {
            let place = object.start + child * referenceBytes
            guard let reference = Self.integer(bytes, place, referenceBytes), reference < objectCount,
                let below = measure(reference, depth: depth + 1, &known)
            else { return nil }
            size.values += below.values
            size.bytes += below.bytes
            size.height = max(size.height, below.height + 1)
            guard size.values <= Self.valueLimit, size.bytes <= Self.byteLimit else { return nil }
        }
        known[index] = size
        return size
    }

    private struct Object {
        var start: Int
        var childCount = 0
        var byteCount = 0
    }

    /// Reads the marker (and length) of object `index`.
    private func object(_ index: Int) -> Object? {
        guard let offset = Self.integer(bytes, tableOffset + index * offsetBytes, offsetBytes),
            offset >= 8, offset < tableOffset
        else { return nil }
        let marker = bytes[offset]
        let kind = marker >> 4
        // A set, which no property list has: Foundation makes one of it, and the process ends where its
        // elements are asked for.
        if kind == 0xB || kind == 0xC { return nil }
        guard [0x4, 0x5, 0x6, 0xA, 0xD].contains(kind) else {
            // Numbers, dates, UIDs and null: a few bytes each.
            return Object(start: offset + 1, byteCount: 16)
        }
        guard let (count, start) = length(marker, at: offset) else { return nil }
        return sized(kind, count: count, start: start)
    }

    private func sized(_ kind: UInt8, count: Int, start: Int) -> Object? {
        let room = tableOffset - start
        switch kind {
        case 0xA:
            guard count <= room / referenceBytes else { return nil }
            return Object(start: start, childCount: count)
        case 0xD:
            guard count <= room / (2 * referenceBytes) else { return nil }
            return Object(start: start, childCount: 2 * count)
        default:
            let unitBytes = kind == 0x6 ? 2 : 1
            guard count <= room / unitBytes else { return nil }
            return Object(start: start, byteCount: count * unitBytes)
        }
    }

    /// The count in the marker's low bits, or in the integer object that follows where they are all ones.
    private func length(_ marker: UInt8, at offset: Int) -> (count: Int, start: Int)? {
        guard marker & 0xF == 0xF else { return (Int(marker & 0xF), offset + 1) }
        guard offset + 1 < tableOffset, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0xF <= 3 else {
            return nil
        }
        let size = 1 << Int(bytes[offset + 1] & 0xF)
        guard let count = Self.integer(bytes, offset + 2, size) else { return nil }
        return (count, offset + 2 + size)
    }

    /// A big-endian unsigned integer; nil past the end, or where it does not fit 48 bits (no file is that
    /// long).
    private static func integer(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var value = 0
        for byte in bytes[offset..<offset + size] {
            value = value << 8 | Int(byte)
            guard value < 1 << 48 else { return nil }
        }
        return value
    }
}
