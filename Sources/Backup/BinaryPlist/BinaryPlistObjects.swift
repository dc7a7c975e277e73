/// The objects of a binary property list from outside, found where they lie: nothing is copied.
///
/// The form: 8 bytes of magic, objects, a table of their offsets, a trailer of 32 bytes. Objects refer to
/// others by number. Every length and every number is compared with what is there before it is used.
struct BinaryPlistObjects {
    /// The number of the object that stands for the whole list.
    let top: Int
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let tableOffset: Int

    /// Several objects that one refers to: those of an array, or keys and then values of a dictionary.
    struct References {
        let count: Int
        fileprivate let first: Int
    }

    /// - Parameter bytes: outlive this.
    init(_ bytes: UnsafeRawBufferPointer) throws(BinaryPlistError) {
        guard bytes.count >= 8 + 32, bytes.starts(with: BinaryPlistFormat.magicStart) else { throw .damaged }
        let trailer = bytes.count - 32
        self.bytes = bytes
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
            let count = Self.unsigned(bytes, trailer + 8, 8), let top = Self.unsigned(bytes, trailer + 16, 8),
            let table = Self.unsigned(bytes, trailer + 24, 8),
            count > 0, count <= bytes.count, top < count, table >= 8, table < trailer,
            count * offsetBytes <= trailer - table
        else { throw .damaged }
        self.count = count
        self.top = top
        tableOffset = table
    }

    /// Where the object with that number begins.
    func start(of index: Int) throws(BinaryPlistError) -> Int {
        guard let start = Self.unsigned(bytes, tableOffset + index * offsetBytes, offsetBytes),
            start >= 8, start < tableOffset
        else { throw .damaged }
        return start
    }

    /// The kind of the object that begins there in the high four bits, its size in the low ones.
    func marker(at start: Int) -> UInt8 { bytes[start] }

    /// Up to four bytes are unsigned, eight are signed; sixteen hold what needs an unsigned 64 bits.
    func integer(at start: Int) throws(BinaryPlistError) -> Int64 {
        let exponent = Int(bytes[start] & 0xF)
        guard exponent <= 4, start + 1 + (1 << exponent) <= tableOffset else { throw .damaged }
        var value: UInt64 = 0
        let end = start + 1 + (1 << exponent)
        for byte in bytes[max(start + 1, end - 8)..<end] { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }

    func real(at start: Int) throws(BinaryPlistError) -> Double {
        switch bytes[start] & 0xF {
        case 2: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(start + 1, 4))))
        case 3: return Double(bitPattern: try bits(start + 1, 8))
        default: throw .damaged
        }
    }

    func uid(at start: Int) throws(BinaryPlistError) -> UInt32 {
        let size = Int(bytes[start] & 0xF) + 1
        guard size <= 4 else { throw .damaged }
        return UInt32(truncatingIfNeeded: try bits(start + 1, size))
    }

    /// The bytes of a string or of data.
    func content(at start: Int, unitBytes: Int = 1) throws(BinaryPlistError) -> UnsafeRawBufferPointer {
        let (count, first) = try length(at: start)
        guard count <= (tableOffset - first) / unitBytes else { throw .damaged }
        return UnsafeRawBufferPointer(rebasing: bytes[first..<first + count * unitBytes])
    }

    /// The objects of an array (`parts`: 1), or the keys and values of a dictionary (2).
    func references(at start: Int, parts: Int) throws(BinaryPlistError) -> References {
        let (count, first) = try length(at: start)
        guard count <= (tableOffset - first) / (parts * referenceBytes) else { throw .damaged }
        return References(count: count, first: first)
    }

    /// The number of one of them: of a dictionary's, values come behind all keys.
    func number(_ index: Int, of references: References) throws(BinaryPlistError) -> Int {
        let offset = references.first + index * referenceBytes
        guard let number = Self.unsigned(bytes, offset, referenceBytes), number < count else {
            throw .damaged
        }
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

    private func bits(_ offset: Int, _ size: Int) throws(BinaryPlistError) -> UInt64 {
        guard offset <= tableOffset - size else { throw .damaged }
        return Self.bits(bytes, offset, size)
    }

    /// A big-endian unsigned integer; nil past the end, or from 2^48 on (no file is that long).
    private static func unsigned(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        let raw = bits(bytes, offset, size)
        return raw < 1 << 48 ? Int(raw) : nil
    }

    private static func bits(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + size { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}

/// What reader and writer share.
enum BinaryPlistFormat {
    /// Readers accept any digit after it.
    static let magicStart = Array("bplist0".utf8)
    static let magic = Array("bplist00".utf8)
}
