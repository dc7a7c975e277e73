/// What a file in JSON holds that people and other programs write. Unlike Foundation's decoder this takes no
/// key twice, of which one would be obeyed and the other be read.
enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// In words.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// Why a file is not what it should be: one line, which holds nothing of the file but short words of it.
public struct FileDamage: Error, Equatable {
    public let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Reads one value, byte by byte.
struct JSONReader {
    /// What is nested deeper is refused, for each level is a call.
    static let depthLimit = 16

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func value(_ bytes: [UInt8]) throws(FileDamage) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw FileDamage("it is not in UTF-8") }
        var reader = JSONReader(bytes)
        // A mark of UTF-8, as some editors write it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == bytes.count else { throw reader.damage("something follows the end") }
        return value
    }

    private func damage(_ reason: String) -> FileDamage {
        let line = bytes[..<min(index, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
        return FileDamage("line \(line): \(reason)")
    }

    private mutating func value(depth: Int) throws(FileDamage) -> JSONValue {
        guard depth < Self.depthLimit else { throw damage("too deep") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: return try word()
        }
    }

    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private mutating func skipBlanks() {
        while next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { index += 1 }
    }

    /// Takes a character that is a part of the form; false where another one stands here.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func object(_ depth: Int) throws(FileDamage) -> JSONValue {
        index += 1
        var members: [String: JSONValue] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw damage("a key in quotes is missing") }
            let key = try text()
            guard take(":") else { throw damage("a colon is missing") }
            guard members[key] == nil else { throw damage("the key \(key.shortened) stands twice") }
            members[key] = try value(depth: depth + 1)
        } while take(",")
        guard take("}") else { throw damage("a comma or } is missing") }
        return .object(members)
    }

    private mutating func list(_ depth: Int) throws(FileDamage) -> JSONValue {
        index += 1
        var items: [JSONValue] = []
        if take("]") { return .list(items) }
        repeat { items.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw damage("a comma or ] is missing") }
        return .list(items)
    }

    private mutating func word() throws(FileDamage) -> JSONValue {
        for (word, value) in [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
            as [(String, JSONValue)]
        where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return value
        }
        throw damage(index < bytes.count ? "no value of JSON" : "it ends too early")
    }

    private mutating func number() throws(FileDamage) -> JSONValue {
        let rest = bytes[index...].prefix { ("+-.eE0123456789").utf8.contains($0) }
        guard let number = Double(String(decoding: rest, as: UTF8.self)), number.isFinite else {
            throw damage("no number")
        }
        index += rest.count
        return .number(number)
    }

    /// From one quote to the other.
    private mutating func text() throws(FileDamage) -> String {
        index += 1
        var result: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): result += String(try escaped()).utf8
            case ..<0x20: throw damage("a control character in a text")
            default: result.append(byte)
            }
        }
        throw damage("a text does not end")
    }

    private mutating func escaped() throws(FileDamage) -> Unicode.Scalar {
        let scalar = Unicode.Scalar(next)
        index += 1
        switch scalar {
        case "\"", "\\", "/": return scalar
        case "b": return "\u{8}"
        case "f": return "\u{c}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try escapedScalar()
        default: throw damage("an escape that JSON does not have")
        }
    }

    /// One behind `\u`, or a pair of which the other follows.
    private mutating func escapedScalar() throws(FileDamage) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(first)), bytes[index...].starts(with: [0x5C, 0x75]) else {
            throw damage("half of a character")
        }
        index += 2
        let second = try unit()
        guard UTF16.isTrailSurrogate(UInt16(second)),
            let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10 | second & 0x3FF))
        else { throw damage("half of a character") }
        return scalar
    }

    private mutating func unit() throws(FileDamage) -> UInt32 {
        let digits = bytes[index...].prefix(4).map(ContainerID.digit)
        guard digits.count == 4 else { throw damage("a text does not end") }
        var unit: UInt32 = 0
        for digit in digits {
            guard let digit else { throw damage("an escape without four digits") }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }
}

extension String {
    /// A word of a file in an error.
    var shortened: String { "\"" + (count > 40 ? prefix(40) + "…" : self[...]) + "\"" }
}
