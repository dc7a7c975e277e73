/// How many letters have to be changed, taken away or put in to make one word the other (Levenshtein).
func editDistance(_ one: String, _ other: String) -> Int {
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
