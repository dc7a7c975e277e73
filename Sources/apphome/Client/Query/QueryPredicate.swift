internal import FoundationEssentials
internal import Glibc
internal import SandboxRules
internal import Wire

/// Which items a metadata query wants: comparisons of their attributes, with `and`, `or`, `not` and
/// parentheses, as predicates of NSMetadataQuery are written.
indirect enum QueryPredicate: Equatable {
    case compare(Attribute, Operator, String)
    case and(QueryPredicate, QueryPredicate)
    case or(QueryPredicate, QueryPredicate)
    case not(QueryPredicate)

    enum Attribute: String, CaseIterable {
        case name, path, kind, size, modified, state
    }

    enum Operator: String, CaseIterable {
        case equal = "=="
        case unequal = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"
        /// A pattern: `*` stands for any characters, slashes too, `?` for one.
        case like
    }

    func matches(_ item: QueryItem) -> Bool {
        switch self {
        case .and(let left, let right): left.matches(item) && right.matches(item)
        case .or(let left, let right): left.matches(item) || right.matches(item)
        case .not(let other): !other.matches(item)
        case .compare(let attribute, let op, let value): Self.compare(item, attribute, op, value)
        }
    }

    private static func compare(
        _ item: QueryItem, _ attribute: Attribute, _ op: Operator, _ value: String
    ) -> Bool {
        switch attribute {
        case .name: op.holds(item.name, value)
        case .path: op.holds(item.path, value)
        case .kind: op.holds(item.kind.rawValue, value)
        case .state: op.holds(item.state ?? "", value)
        case .size: op.holds(Double(item.sizeBytes), ByteCount.parse(value).map(Double.init) ?? .nan)
        case .modified: op.holds(Double(item.modified) / 1e9, seconds(of: value) ?? .nan)
        }
    }

    /// Of `2026-11-28` or `2026-11-28T12:00:00Z`.
    fileprivate static func seconds(of text: String) -> Double? {
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        return (try? Date(whole, strategy: .iso8601))?.timeIntervalSince1970
    }

    /// Whether a pattern is that of a text.
    static func isLike(_ text: String, _ pattern: String) -> Bool { fnmatch(pattern, text, 0) == 0 }
}

extension QueryPredicate.Operator {
    fileprivate func holds(_ left: String, _ right: String) -> Bool {
        self == .like ? QueryPredicate.isLike(left, right) : compares(left, right)
    }

    fileprivate func holds(_ left: Double, _ right: Double) -> Bool { self != .like && compares(left, right) }

    private func compares<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal: left == right
        case .unequal: left != right
        case .atMost: left <= right
        case .atLeast: left >= right
        case .less: left < right
        case .greater: left > right
        case .like: false
        }
    }
}

extension QueryPredicate {
    /// Parses a predicate.
    /// - Throws: what is wrong with it.
    init(_ text: String) throws(CommandFailure) {
        var parser = Parser(text)
        self = try parser.disjunction()
        guard parser.isAtEnd else { throw parser.wrong("and, or, or the end") }
    }

    private struct Parser {
        private var words: ArraySlice<String>

        init(_ text: String) { words = Self.words(of: text)[...] }

        var isAtEnd: Bool { words.isEmpty }

        func wrong(_ wanted: String) -> CommandFailure {
            let found = words.first.map { "\"\($0)\"" } ?? "the end"
            return CommandFailure(
                "the predicate has \(found) where \(wanted) should be; as: size > 1M and name like \"*.txt\"",
                exitStatus: 64)
        }

        mutating func disjunction() throws(CommandFailure) -> QueryPredicate {
            var left = try conjunction()
            while take("or") { left = .or(left, try conjunction()) }
            return left
        }

        private mutating func conjunction() throws(CommandFailure) -> QueryPredicate {
            var left = try negation()
            while take("and") { left = .and(left, try negation()) }
            return left
        }

        private mutating func negation() throws(CommandFailure) -> QueryPredicate {
            if take("not") { return .not(try negation()) }
            guard take("(") else { return try comparison() }
            let inner = try disjunction()
            guard take(")") else { throw wrong("a closing parenthesis") }
            return inner
        }

        private mutating func comparison() throws(CommandFailure) -> QueryPredicate {
            let names = Attribute.allCases.map(\.rawValue).joined(separator: ", ")
            guard let attribute = words.first.flatMap({ Attribute(rawValue: $0.lowercased()) }) else {
                throw wrong("one of \(names)")
            }
            words.removeFirst()
            let all = Operator.allCases.map(\.rawValue).joined(separator: " ")
            guard let op = words.first.flatMap({ Operator(rawValue: $0.lowercased()) }) else {
                throw wrong("one of \(all)")
            }
            words.removeFirst()
            guard let value = words.first else { throw wrong("a value") }
            if attribute == .size, ByteCount.parse(value) == nil { throw wrong("a size, as 500K,") }
            if attribute == .modified, seconds(of: value) == nil { throw wrong("a time, as 2026-11-28,") }
            words.removeFirst()
            return .compare(attribute, op, value)
        }

        private mutating func take(_ word: String) -> Bool {
            guard words.first?.lowercased() == word else { return false }
            words.removeFirst()
            return true
        }

        /// Words, signs, and what stands in quotes, without these.
        private static func words(of text: String) -> [String] {
            var words: [String] = []
            var rest = text[...]
            while let first = rest.first {
                if first == " " || first == "\t" || first == "\n" {
                    rest.removeFirst()
                } else if first == "\"" || first == "'" {
                    rest.removeFirst()
                    words.append(String(rest.prefix { $0 != first }))
                    rest = rest.drop { $0 != first }.dropFirst()
                } else if first == "(" || first == ")" {
                    words.append(String(rest.removeFirst()))
                } else {
                    let isSign = "<>=!".contains(first)
                    let word = rest.prefix { "<>=!".contains($0) == isSign && !" \t\n()\"'".contains($0) }
                    words.append(String(word))
                    rest = rest.dropFirst(word.count)
                }
            }
            return words
        }
    }
}
