internal import FoundationEssentials

/// What a file in JSON holds that people and other programs write.
enum JSONValue: Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    init(reading bytes: [UInt8]) throws(FileDamage) {
        // A mark of UTF-8, as some editors write it.
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes.dropFirst(isMarked ? 3 : 0)))
        } catch {
            // The decoder does not say where.
            throw FileDamage("it is no JSON; python3 -m json.tool says where")
        }
    }

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

extension String {
    /// A word of a file in an error.
    var shortened: String { "\"" + (count > 40 ? prefix(40) + "…" : self[...]) + "\"" }
}
