/// The members of an object, each of a kind that is known: anything else is said to be wrong, by its key.
struct JSONMembers {
    private var members: [String: JSONValue]
    /// What the object is, for errors.
    private let name: String

    init(_ value: JSONValue, _ name: String) throws(FileDamage) {
        guard case .object(let members) = value else {
            throw FileDamage("\(name) is \(value.kind) and should be an object")
        }
        self.members = members
        self.name = name
    }

    mutating func text(_ key: String) throws(FileDamage) -> String? {
        guard let value = members.removeValue(forKey: key) else { return nil }
        guard case .text(let text) = value else { throw wrong(key, value, "a text") }
        return text
    }

    mutating func list(_ key: String) throws(FileDamage) -> [JSONValue] {
        guard let value = members.removeValue(forKey: key) else { return [] }
        guard case .list(let list) = value else { throw wrong(key, value, "a list") }
        return list
    }

    /// - Parameter range: what else is refused.
    mutating func number(_ key: String, in range: ClosedRange<Int>) throws(FileDamage) -> Int? {
        guard let value = members.removeValue(forKey: key) else { return nil }
        guard case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) else {
            throw wrong(key, value, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// The number of the file's form, which stands in it.
    mutating func version(_ known: Int) throws(FileDamage) {
        guard let version = try number("version", in: 1...Int(Int32.max)) else {
            throw FileDamage("\(name) has no version: \"version\": \(known)")
        }
        guard version == known else {
            throw FileDamage("it is of version \(version), and this AppHome knows version \(known)")
        }
    }

    /// To be called at the end: a key that nobody asked for is a slip of somebody's.
    func refuseOthers() throws(FileDamage) {
        guard let key = members.keys.min() else { return }
        throw FileDamage("\(name) has a key \(key.shortened), which means nothing")
    }

    private func wrong(_ key: String, _ value: JSONValue, _ kind: String) -> FileDamage {
        FileDamage("\(key) of \(name) is \(value.kind) and should be \(kind)")
    }
}
