internal import Foundation
internal import Posix

/// How a value is shown to people: as macOS's `defaults read` does it.
extension PreferenceValue: CustomStringConvertible {
    /// A string is shown as it is; in a list it has quotes where it needs them.
    public var description: String {
        if case .string(let value) = self { return value }
        return text(indent: "")
    }

    private func text(indent: String) -> String {
        let inner = indent + "    "
        switch self {
        case .string(let value): return Self.quoted(value)
        case .boolean(let value): return value ? "1" : "0"
        case .integer(let value): return String(value)
        case .real(let value):
            let text = String(value)
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case .date(let seconds): return indent.isEmpty ? Self.time(seconds) : Self.quoted(Self.time(seconds))
        case .data(let bytes):
            return "{length = \(bytes.count), bytes = 0x\(Hex.text(bytes))}"
        case .array(let elements):
            let lines = elements.map { inner + $0.text(indent: inner) }
            return lines.isEmpty ? "(\n\(indent))" : "(\n\(lines.joined(separator: ",\n"))\n\(indent))"
        case .dictionary(let members):
            let lines = members.sorted { $0.key < $1.key }.map {
                "\(inner)\(Self.quoted($0.key)) = \($0.value.text(indent: inner));\n"
            }
            return "{\n\(lines.joined())\(indent)}"
        case .other(let text): return text
        }
    }

    private static func time(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
            .replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: " +0000")
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "_$/:.".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
