extension Sequence<String> {
    /// The word that is the nearest to another one, however far that is; nil where there is none.
    public func nearest(to word: String) -> String? {
        self.min { (editDistance($0, word), $0) < (editDistance($1, word), $1) }
    }

    /// The word that was meant by another one, most likely; nil where that is near to none.
    public func likely(for word: String) -> String? {
        nearest(to: word).flatMap { $0.isNear(to: word) ? $0 : nil }
    }
}

extension String {
    /// Whether a slip of the pen makes the word out of this one.
    public func isNear(to word: String) -> Bool { editDistance(self, word) <= max(1, word.count / 2) }
}

/// How many letters have to be changed, taken away or put in to make one word the other (Levenshtein).
private func editDistance(_ one: String, _ other: String) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (column, otherLetter) in other.enumerated() {
            let changed = diagonal + (letter == otherLetter ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
