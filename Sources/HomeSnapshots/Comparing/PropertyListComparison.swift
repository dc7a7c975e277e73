internal import PropertyLists

/// Compares two property lists down to their keys.
enum PropertyListComparison {
    /// - Returns: nil where one of the files is no property list.
    static func changes(_ old: [UInt8], _ new: [UInt8]) -> [KeyChange]? {
        guard let before = try? PreferenceValue(propertyList: old),
            let after = try? PreferenceValue(propertyList: new)
        else { return nil }
        var changes: [KeyChange] = []
        compare(before, after, at: "", &changes)
        return changes
    }

    private static func compare(
        _ old: PreferenceValue?, _ new: PreferenceValue?, at key: String, _ changes: inout [KeyChange]
    ) {
        switch (old, new) {
        case _ where old == new: return
        case (.dictionary(let old), .dictionary(let new)):
            for (name, before, after) in differences(old, new) {
                compare(before, after, at: key.isEmpty ? name : "\(key).\(name)", &changes)
            }
        case (.array(let old), .array(let new)): compare(old, new, at: key, &changes)
        default:
            changes.append(
                KeyChange(key: key, value: Change(old?.shown(beside: new), new?.shown(beside: old))))
        }
    }

    /// What is equal at the beginning and at the end stays out of it: an element that was inserted is one
    /// change.
    private static func compare(
        _ old: [PreferenceValue], _ new: [PreferenceValue], at key: String, _ changes: inout [KeyChange]
    ) {
        let shorter = min(old.count, new.count)
        let first = zip(old, new).prefix { $0 == $1 }.count
        let last = zip(old.reversed(), new.reversed()).prefix(shorter - first).prefix { $0 == $1 }.count
        let (before, after) = (old[first..<(old.count - last)], new[first..<(new.count - last)])
        for index in first..<(first + max(before.count, after.count)) {
            let (one, other) = (
                index < before.endIndex ? before[index] : nil, index < after.endIndex ? after[index] : nil
            )
            compare(one, other, at: "\(key)[\(index)]", &changes)
        }
    }
}

extension PreferenceValue {
    /// On one line; with its type where the other value looks the same.
    fileprivate func shown(beside other: PreferenceValue?) -> String {
        let text = description.split { $0.isWhitespace }.joined(separator: " ")
        guard let other, other.description == description else { return text }
        return "\(text) (\(typeName))"
    }

    private var typeName: String {
        switch self {
        case .string: "string"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        case .other: "other"
        }
    }
}
