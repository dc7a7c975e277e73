internal import Posix
internal import PropertyLists
internal import Wire

/// A preference as JSON, which has no dates and no data: they are ISO 8601 and hexadecimal digits.
struct ShownPreference: Encodable {
    let value: PreferenceValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .string(let value), .other(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let number): try container.encode(number)
        case .date(let seconds): try container.encode(timeText(seconds))
        case .data(let bytes): try container.encode(Hex.text(bytes))
        case .array(let elements): try container.encode(elements.map(ShownPreference.init))
        case .dictionary(let members): try container.encode(members.mapValues(ShownPreference.init))
        }
    }
}

extension PreferenceValue {
    /// - Parameter words: a type, and the value.
    init(typed words: [String]) throws(CommandFailure) {
        do { try self.init(words: words) } catch {
            throw CommandFailure("the value is \(error.reason)", exitStatus: 64)
        }
    }
}

extension OutputOptions {
    /// Prints a value, for people line by line.
    func show(_ value: PreferenceValue) throws {
        if json { return try printJSON(ShownPreference(value: value)) }
        let lines = value.description.split(separator: "\n", omittingEmptySubsequences: false)
        print(lines.map { printable(String($0)) }.joined(separator: "\n"))
    }
}
