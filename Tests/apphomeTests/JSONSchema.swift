import Foundation

/// Any JSON.
indirect enum JSONValue: Decodable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(_ key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    fileprivate var types: Set<String> {
        switch self {
        case .null: ["null"]
        case .boolean: ["boolean"]
        case .integer: ["integer", "number"]
        case .number: ["number"]
        case .text: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}

/// A JSON Schema, as far as ours says anything. Stricter than the standard: what an object has has to be
/// described, and a word of the schema has to be known.
struct JSONSchema {
    private let definitions: [String: JSONValue]
    private static let known: Set<String> = [
        "$ref", "type", "enum", "anyOf", "items", "properties", "required", "additionalProperties",
        "pattern", "format", "description",
    ]

    init(_ text: String) throws {
        definitions = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))["$defs"]?.members ?? [:]
    }

    var names: Set<String> { Set(definitions.keys) }

    /// - Returns: what is wrong with a value, and where; nothing where it is as its definition says.
    func problems(of value: JSONValue, as name: String) -> [String] {
        guard let schema = definitions[name] else { return ["no definition \(name)"] }
        return problems(value, schema, name)
    }

    private func problems(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        var found = Set(schema.members.keys).subtracting(Self.known).map { "\(place): unknown word \($0)" }
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            return found + problems(of: value, as: String(name)).map { "\(place) > \($0)" }
        }
        if let choices = schema["anyOf"]?.elements {
            let all = choices.map { problems(value, $0, place) }
            return found + (all.contains([]) ? [] : all.flatMap(\.self))
        }
        if let type = schema["type"] {
            let types = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
            if value.types.isDisjoint(with: types) { return found + ["\(place): \(value) is no \(types)"] }
        }
        if let choices = schema["enum"]?.elements, !choices.contains(value) {
            found.append("\(place): \(value) is none of \(choices)")
        }
        if let pattern = schema["pattern"]?.text, let text = value.text,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(place): \(text) does not match")
        }
        if let items = schema["items"] {
            found += value.elements.enumerated().flatMap { problems($1, items, "\(place)[\($0)]") }
        }
        return found + memberProblems(value, schema, place)
    }

    private func memberProblems(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        let properties = schema["properties"]?.members ?? [:]
        let required = schema["required"]?.elements.compactMap(\.text) ?? []
        var found = required.filter { value[$0] == nil }.map { "\(place): no \($0)" }
        guard !properties.isEmpty || schema["additionalProperties"] != nil else { return found }
        for (key, member) in value.members {
            if let schema = properties[key] ?? schema["additionalProperties"] {
                found += problems(member, schema, "\(place).\(key)")
            } else {
                found.append("\(place): \(key) is not described")
            }
        }
        return found
    }
}
