internal import Foundation
internal import Posix

/// Values as words of a command line, in the way of macOS's `defaults`: a type with a dash, then the value.
extension PreferenceValue {
    /// The types that a word can name.
    private static let typeWords = [
        "-string", "-int", "-float", "-bool", "-date", "-data", "-array", "-dict",
    ]

    /// - Parameter words: `-int 5`, `-array a -bool yes`, `-dict key value key -int 1`; one word without a
    ///   type is a string.
    /// - Throws: what is wrong with them, as the end of a sentence.
    public init(words: [String]) throws(PropertyListError) {
        var rest = words[...]
        switch rest.first {
        case "-array":
            rest.removeFirst()
            var elements: [PreferenceValue] = []
            while !rest.isEmpty { elements.append(try Self.scalar(&rest)) }
            self = .array(elements)
        case "-dict":
            rest.removeFirst()
            self = .dictionary(try Self.members(rest))
        default:
            self = try Self.scalar(&rest)
            guard rest.isEmpty else {
                throw PropertyListError("more words than one value has; put it in quotes, or say -array")
            }
        }
    }

    private static func members(
        _ words: ArraySlice<String>
    ) throws(PropertyListError) -> [String: PreferenceValue] {
        var rest = words
        var members: [String: PreferenceValue] = [:]
        while let key = rest.popFirst() {
            guard !rest.isEmpty else { throw PropertyListError("without a value for the key \(key)") }
            members[key] = try scalar(&rest)
        }
        return members
    }

    /// Takes the next value, with its type before it where there is one.
    private static func scalar(_ words: inout ArraySlice<String>) throws(PropertyListError) -> Self {
        guard let first = words.popFirst() else { throw PropertyListError("missing") }
        guard first.hasPrefix("-"), Double(first) == nil else { return .string(first) }
        guard typeWords.contains(first) else {
            throw PropertyListError(
                "after \(first), which is no type; there are \(typeWords.joined(separator: " "))")
        }
        guard first != "-array", first != "-dict" else {
            throw PropertyListError("a list in a list, which cannot be said in words")
        }
        guard let word = words.popFirst() else { throw PropertyListError("missing after \(first)") }
        guard let value = scalar(first, word) else {
            throw PropertyListError("\"\(word.prefix(100))\", which is no \(first.dropFirst())")
        }
        return value
    }

    private static func scalar(_ type: String, _ word: String) -> Self? {
        switch type {
        case "-int": Int64(word).map { .integer($0) }
        case "-float": Double(word).flatMap { $0.isFinite ? .real($0) : nil }
        case "-bool": boolean(word).map { .boolean($0) }
        case "-date": seconds(word).map { .date($0) }
        case "-data": Hex.bytes(word.lowercased()).map { .data($0) }
        default: .string(word)
        }
    }

    private static func boolean(_ word: String) -> Bool? {
        switch word.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// `2026-11-22`, `2026-11-22T03:00:00Z`, or as `read` prints it: `2026-11-22 03:00:00 +0000`.
    private static func seconds(_ word: String) -> Double? {
        var text = word
        if text.utf8.count == 10 { text += "T00:00:00Z" }
        text = text.replacingOccurrences(of: " +0000", with: "Z").replacingOccurrences(of: " ", with: "T")
        return (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970
    }
}
