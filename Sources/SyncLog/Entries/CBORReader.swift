/// Reads what `CBORWriter` writes and refuses every other spelling of it, so that equal values have equal
/// bytes and a hash of bytes is one of values. Knows integers, strings, arrays and maps: the log has no tags,
/// floating numbers or simple values.
///
/// Written here because common CBOR libraries accept several spellings of a value, and build a tree of it in
/// memory before anything is known of its size.
///
/// For bytes from anywhere: each read is bounded by what is there, and nothing recurses.
package struct CBORReader {
    /// How deep unknown values may nest.
    package static let depthLimit = 16

    private let bytes: [UInt8]
    private(set) var position: Int

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
    }

    package var isAtEnd: Bool { position == bytes.count }

    package func end() throws(CodingError) {
        if !isAtEnd { throw .trailing }
    }

    /// What was read since a position.
    package func slice(from start: Int) -> ArraySlice<UInt8> { bytes[start..<position] }

    package mutating func unsigned(upTo limit: UInt64 = .max) throws(CodingError) -> UInt64 {
        let value = try head(0)
        if value > limit { throw .tooLarge }
        return value
    }

    package mutating func signed() throws(CodingError) -> Int64 {
        let isNegative = try nextMajor() == 1
        let value = try head(isNegative ? 1 : 0)
        guard let value = Int64(exactly: value) else { throw .tooLarge }
        return isNegative ? ~value : value
    }

    package mutating func byteString(upTo limit: Int) throws(CodingError) -> [UInt8] {
        try Array(run(2, upTo: limit))
    }

    package mutating func identifier() throws(CodingError) -> UInt128 {
        let run = try run(2, upTo: 16)
        if run.count != 16 { throw .unexpected }
        return Self.number(run)
    }

    package mutating func hash() throws(CodingError) -> ContentHash {
        let run = try run(2, upTo: 32)
        if run.count != 32 { throw .unexpected }
        return ContentHash(high: Self.number(run.prefix(16)), low: Self.number(run.suffix(16)))
    }

    package mutating func text(upTo limit: Int) throws(CodingError) -> String {
        let run = try run(3, upTo: limit)
        guard let text = String(validating: run, as: UTF8.self) else { throw .invalid("text is not UTF-8") }
        return text
    }

    /// How many values follow; never more than bytes do, so that room may be reserved for them.
    package mutating func array(upTo limit: Int = .max) throws(CodingError) -> Int {
        try count(4, upTo: limit)
    }

    /// An array of exactly that many values.
    package mutating func array(of count: Int) throws(CodingError) {
        if try array() != count { throw .unexpected }
    }

    /// Values of one kind, as `body` reads each.
    package mutating func list<Value>(
        upTo limit: Int = .max, _ body: (inout CBORReader) throws(CodingError) -> Value
    ) throws(CodingError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try array(upTo: limit)) { values.append(try body(&self)) }
        return values
    }

    /// How many pairs follow.
    package mutating func map(upTo limit: Int = .max) throws(CodingError) -> Int { try count(5, upTo: limit) }

    /// The major type of the value that comes next.
    package func nextMajor() throws(CodingError) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        return bytes[position] >> 5
    }

    private mutating func count(_ major: UInt8, upTo limit: Int) throws(CodingError) -> Int {
        guard let count = Int(exactly: try head(major)), count <= limit else { throw .tooLarge }
        if count > bytes.count - position { throw .truncated }
        return count
    }

    private mutating func run(_ major: UInt8, upTo limit: Int) throws(CodingError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: try head(major)), count <= limit else { throw .tooLarge }
        return try take(count)
    }

    private mutating func take(_ count: Int) throws(CodingError) -> ArraySlice<UInt8> {
        if count > bytes.count - position { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func head(_ major: UInt8) throws(CodingError) -> UInt64 {
        guard position < bytes.count else { throw .truncated }
        let first = bytes[position]
        if first >> 5 != major { throw .unexpected }
        position += 1
        let short = first & 0x1f
        guard short >= 24 else { return UInt64(short) }
        // 28 to 30 are reserved, 31 is an indefinite length.
        guard short <= 27 else { throw .notCanonical }
        let width = 1 << Int(short - 24)
        let value = try take(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = width == 1 ? 24 : 1 << (UInt64(width) * 4)
        if value < least { throw .notCanonical }
        return value
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension CBORReader {
    /// Passes over one value that this version does not know; it must be well formed all the same.
    package mutating func skip() throws(CodingError) {
        // How many values are left at each depth.
        var left = [1]
        while let count = left.popLast() {
            if count == 0 { continue }
            left.append(count - 1)
            let inner = try skipHead()
            if inner > 0 {
                if left.count >= Self.depthLimit { throw .tooLarge }
                left.append(inner)
            }
        }
    }

    /// Passes over a head and the bytes that are its own.
    /// - Returns: how many values belong to it.
    private mutating func skipHead() throws(CodingError) -> Int {
        switch try nextMajor() {
        case 0: _ = try head(0)
        case 1: _ = try head(1)
        case 2: _ = try run(2, upTo: .max)
        case 3: _ = try text(upTo: .max)
        case 4: return try array()
        case 5:
            let (count, overflows) = try map().multipliedReportingOverflow(by: 2)
            if overflows { throw .tooLarge }
            return count
        default: throw .unexpected
        }
        return 0
    }
}
