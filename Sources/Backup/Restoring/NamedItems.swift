/// Items of a backup that are told of: of all how many, and the first.
public struct NamedItems: Sendable, Equatable {
    public private(set) var count = 0
    /// A line for each. From outside: to be escaped before it is shown.
    public private(set) var first: [String] = []
    private let most: Int

    /// - Parameter most: so many are named.
    init(most: Int) { self.most = most }

    mutating func add(_ text: String) {
        count += 1
        if first.count < most { first.append(text) }
    }
}
