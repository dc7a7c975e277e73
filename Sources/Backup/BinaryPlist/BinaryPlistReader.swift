/// Reads binary property lists from outside, within bounds.
///
/// A few bytes can describe a circle, or a tree of any size: depth and the number of values visited are
/// bounded.
struct BinaryPlistReader {
    /// What is accepted. The defaults are far above anything in a record of a file.
    struct Limits {
        var sizeBytes = 16 << 20
        var depth = 32
        var values = 20_000
    }

    private let objects: BinaryPlistObjects
    private let limits: Limits
    private var valueCount = 0
    // Bytes of strings and data so far: the same long one can be referred to many times.
    private var contentBytes = 0

    /// The value that `bytes` hold.
    static func value(
        of bytes: [UInt8], limits: Limits = Limits()
    ) throws(BinaryPlistError) -> BinaryPlistValue {
        guard bytes.count <= limits.sizeBytes else { throw .tooLarge }
        return try bytes.withUnsafeBufferPointer { (bytes) throws(BinaryPlistError) in
            let objects = try BinaryPlistObjects(UnsafeRawBufferPointer(bytes))
            var reader = BinaryPlistReader(objects: objects, limits: limits)
            return try reader.read(reader.objects.top, depth: 0)
        }
    }

    private init(objects: BinaryPlistObjects, limits: Limits) {
        self.objects = objects
        self.limits = limits
    }

    private mutating func read(_ index: Int, depth: Int) throws(BinaryPlistError) -> BinaryPlistValue {
        valueCount += 1
        guard depth <= limits.depth, valueCount <= limits.values else { throw .tooLarge }
        let start = try objects.start(of: index)
        let marker = objects.marker(at: start)
        switch marker >> 4 {
        case 0x0: return try Self.constant(marker)
        case 0x1: return .integer(try objects.integer(at: start))
        case 0x2: return .real(try objects.real(at: start))
        case 0x3: return .date(try objects.real(at: start))
        case 0x4: return .data(Array(try content(at: start, unitBytes: 1)))
        case 0x5: return .string(String(decoding: try content(at: start, unitBytes: 1), as: UTF8.self))
        case 0x6: return .string(String(utf16: try content(at: start, unitBytes: 2)))
        case 0x8: return .uid(try objects.uid(at: start))
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

    private mutating func content(
        at start: Int, unitBytes: Int
    ) throws(BinaryPlistError) -> UnsafeRawBufferPointer {
        let content = try objects.content(at: start, unitBytes: unitBytes)
        contentBytes += content.count
        guard contentBytes <= limits.sizeBytes else { throw .tooLarge }
        return content
    }

    private func references(
        at start: Int, parts: Int
    ) throws(BinaryPlistError) -> BinaryPlistObjects.References {
        let references = try objects.references(at: start, parts: parts)
        guard references.count <= limits.values - valueCount else { throw .tooLarge }
        return references
    }

    private mutating func elements(at start: Int, depth: Int) throws(BinaryPlistError) -> [BinaryPlistValue] {
        let references = try references(at: start, parts: 1)
        var elements: [BinaryPlistValue] = []
        elements.reserveCapacity(references.count)
        for index in 0..<references.count {
            elements.append(try read(try objects.number(index, of: references), depth: depth + 1))
        }
        return elements
    }

    private mutating func members(at start: Int, depth: Int) throws(BinaryPlistError) -> [BinaryPlistMember] {
        let references = try references(at: start, parts: 2)
        var members: [BinaryPlistMember] = []
        members.reserveCapacity(references.count)
        for index in 0..<references.count {
            guard let key = try read(try objects.number(index, of: references), depth: depth + 1).text else {
                throw .damaged
            }
            let number = try objects.number(references.count + index, of: references)
            members.append(BinaryPlistMember(key, try read(number, depth: depth + 1)))
        }
        return members
    }
}

extension String {
    /// From big-endian UTF-16; half a unit at the end is left out.
    init(utf16 bytes: UnsafeRawBufferPointer) {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        self.init(decoding: units, as: UTF16.self)
    }
}
