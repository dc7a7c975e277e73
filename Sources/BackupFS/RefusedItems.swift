internal import Posix

/// A row of a backup's list, or a domain, that is not as it should be and is not shown as it stands.
package struct RefusedItem: Sendable, Equatable {
    /// The row's domain and path, as far as it can be named. From outside: to be escaped before it is shown.
    package let name: String
    /// Completes a sentence that begins with the name.
    package let reason: String
}

/// Those that were met, of which the first are kept.
package struct RefusedItems: Sendable {
    package private(set) var count = 0
    package private(set) var first: [RefusedItem] = []
    private static let kept = 1000

    mutating func add(_ item: RefusedItem) {
        count += 1
        if first.count < Self.kept { first.append(item) }
    }

    mutating func add(_ others: RefusedItems) {
        count += others.count
        first += others.first.prefix(Self.kept - first.count)
    }

    /// A line for each, without control characters.
    package var text: String {
        var lines = first.map { "\($0.name) \($0.reason)".printableLine }
        if count > first.count { lines.append("and \(count - first.count) more") }
        return lines.map { $0 + "\n" }.joined()
    }
}
