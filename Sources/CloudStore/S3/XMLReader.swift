/// Reads the XML that S3 answers: elements and their text. What else XML knows (document types, entities of
/// one's own, CDATA) no S3 server sends, and a hostile one could use: it is refused.
///
/// Not Foundation's XMLParser (nor a library over it): on Linux that ends the process on some bytes that are
/// no XML, and answers success for a document that is cut off; seen with Swift 6.3.
struct XMLReader {
    enum Event: Equatable {
        case start(String)
        /// All the text between two tags, decoded.
        case text(String)
        case end(String)
    }

    struct Malformed: Error {}

    private static let depthLimit = 16
    private var rest: ArraySlice<UInt8>
    private var open: [String] = []
    /// The end of an element that was written as `<name/>`.
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Nil at the end of a document whose elements are all closed.
    mutating func next() throws(Malformed) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while let first = rest.first {
            if first != UInt8(ascii: "<") { return .text(try text()) }
            if rest.starts(with: "<?".utf8) {
                try skip(past: "?>")
            } else if rest.starts(with: "<!--".utf8) {
                try skip(past: "-->")
            } else {
                return try tag()
            }
        }
        if !open.isEmpty { throw Malformed() }
        return nil
    }

    private mutating func skip(past mark: String) throws(Malformed) {
        let mark = Array(mark.utf8)
        while !rest.starts(with: mark) {
            if rest.popFirst() == nil { throw Malformed() }
        }
        rest = rest.dropFirst(mark.count)
    }

    private mutating func tag() throws(Malformed) -> Event {
        rest = rest.dropFirst()
        let isEnd = rest.first == UInt8(ascii: "/")
        if isEnd { rest = rest.dropFirst() }
        let bytes = rest.prefix { Self.isName($0) }
        guard (1...64).contains(bytes.count) else { throw Malformed() }
        rest = rest.dropFirst(bytes.count)
        let isEmpty = try attributes()
        // A prefix only says which namespace it is.
        let name = String(decoding: bytes.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        if isEnd {
            guard open.popLast() == name, !isEmpty else { throw Malformed() }
            return .end(name)
        }
        if isEmpty {
            pendingEnd = name
        } else {
            open.append(name)
            if open.count > Self.depthLimit { throw Malformed() }
        }
        return .start(name)
    }

    /// Skips to the end of the tag.
    /// - Returns: whether it ends in `/>`.
    private mutating func attributes() throws(Malformed) -> Bool {
        var quote: UInt8?
        var previous: UInt8 = 0
        while let byte = rest.popFirst() {
            if let current = quote {
                if byte == current { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return previous == UInt8(ascii: "/")
            } else if byte == UInt8(ascii: "<") {
                throw Malformed()
            }
            previous = byte
        }
        throw Malformed()
    }

    private mutating func text() throws(Malformed) -> String {
        let raw = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest.dropFirst(raw.count)
        guard let text = String(validating: raw, as: UTF8.self) else { throw Malformed() }
        return raw.contains(UInt8(ascii: "&")) ? try Self.decode(text) : text
    }

    private static func decode(_ text: String) throws(Malformed) -> String {
        var decoded = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            decoded += rest[..<start]
            let name = rest[rest.index(after: start)...].prefix(12).prefix { $0 != ";" }
            guard let character = character(name), name.endIndex < rest.endIndex, rest[name.endIndex] == ";"
            else { throw Malformed() }
            decoded.append(character)
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return decoded + rest
    }

    private static func character(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.dropping(prefix: "#x").map { UInt32($0, radix: 16) }
                ?? name.dropping(prefix: "#").map { UInt32($0) }
            return number.flatMap { $0 }.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"): true
        default: false
        }
    }
}
