internal import Posix

extension String {
    /// A line of a build's log. Beside a terminal, which obeys control characters, CI systems read it:
    /// GitHub's runner obeys a line that begins with `::`, behind any blanks, and `##[` anywhere in it;
    /// others have `##word[`. A name that holds such a thing is shown with a question mark in it.
    var logLine: String {
        var scalars = Array(printableLine.unicodeScalars)
        let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? 0
        if scalars[start...].starts(with: "::".unicodeScalars) { scalars[start] = "?" }
        for index in scalars.indices.dropLast() where scalars[index] == "#" && scalars[index + 1] == "#" {
            let word = scalars[(index + 2)...].prefix { $0.properties.isAlphabetic }
            if index + 2 + word.count < scalars.count, scalars[index + 2 + word.count] == "[" {
                scalars[index + 1] = "?"
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// So many of something, as people read it: `1 file`, `1,234 files`.
func counted(_ count: Int, _ noun: String) -> String {
    count.groupedDigits + " " + noun + (count == 1 ? "" : "s")
}
