/// Gives apps their names in the Files app, each name once: compared in any case, so that a name stays
/// whatever names are compared by later.
public struct FilesNames {
    /// The longest name that backing file systems hold, in bytes.
    private static let longest = 255

    /// What stands before a number of so many digits: a long name is shortened for it.
    private struct Stem: Hashable {
        let text: String
        let digits: Int
    }

    private var taken: Set<NameKey>
    /// The lowest numbers that may be free. Without them, a store that tells of very many apps of one name
    /// would have each of them tried with each number.
    private var next: [Stem: Int] = [:]

    /// - Parameter taken: names that are given already.
    public init(taken: Set<String> = []) { self.taken = Set(taken.map(Self.key)) }

    private static func key(_ name: String) -> NameKey { NamePolicy.simulator.key(name) }

    /// A free name for an app, which is taken from then on: its display name, or that with the first number
    /// from 2 on that makes it free.
    ///
    /// A slash is shown as a colon, as Apple's systems show it; a dot at the beginning, which would hide the
    /// directory, and a NUL as an underscore.
    public mutating func name(for displayName: String) -> String {
        let name = Self.fileName(displayName, longest: Self.longest)
        if taken.insert(Self.key(name)).inserted { return name }
        var (digits, first, end) = (1, 2, 10)
        while true {
            let text = Self.fileName(displayName, longest: Self.longest - 1 - digits)
            if let numbered = numbered(Stem(text: text, digits: digits), first..<end) { return numbered }
            (digits, first, end) = (digits + 1, end, end * 10)
        }
    }

    /// The first free name with a number of that range; nil where all are taken.
    private mutating func numbered(_ stem: Stem, _ numbers: Range<Int>) -> String? {
        for number in (next[stem] ?? numbers.lowerBound)..<numbers.upperBound {
            next[stem] = number + 1
            let name = "\(stem.text) \(number)"
            if taken.insert(Self.key(name)).inserted { return name }
        }
        return nil
    }

    private static func fileName(_ displayName: String, longest: Int) -> String {
        var name = ""
        for scalar in displayName.unicodeScalars {
            let shown: Unicode.Scalar =
                switch scalar {
                case "/": ":"
                case "\0": "_"
                case "." where name.isEmpty: "_"
                default: scalar
                }
            if name.utf8.count + String(Character(shown)).utf8.count > longest { break }
            name.unicodeScalars.append(shown)
        }
        return name.isEmpty ? "_" : name
    }
}
