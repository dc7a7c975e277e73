package import Backup
internal import Posix

/// Rows and domains that are not shown as they stand, of which the first are kept.
package struct RefusedItems: Sendable {
    package private(set) var count = 0
    package private(set) var first: [RefusedRow] = []
    private static let kept = 1000

    mutating func add(_ item: RefusedRow) {
        count += 1
        if first.count < Self.kept { first.append(item) }
    }

    mutating func add(_ others: RefusedItems) {
        count += others.count
        first += others.first.prefix(Self.kept - first.count)
    }

    /// A line for each, without control characters.
    package var text: String {
        var lines = first.map { $0.text.printableLine }
        if count > first.count { lines.append("and \(count - first.count) more") }
        return lines.map { $0 + "\n" }.joined()
    }
}
