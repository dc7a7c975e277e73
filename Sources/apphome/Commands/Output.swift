internal import FoundationEssentials
internal import Glibc
internal import Posix

/// Writes a line to standard error.
func printError(_ text: String, terminator: String = "\n") {
    let bytes = Array((text + terminator).utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Prints a value as JSON, for programs: sorted keys, so that two outputs can be compared.
func printJSON(_ value: some Encodable, onOneLine: Bool = false) throws {
    print(try jsonText(value, onOneLine: onOneLine))
    if onOneLine { fflush(nil) }
}

/// - Returns: a value as `printJSON` prints it, without the end of its last line.
func jsonText(_ value: some Encodable, onOneLine: Bool = false) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self).withoutControls
}

extension String {
    /// JSON in which no terminal obeys anything: JSON lets a text hold DEL, the second set of controls, and
    /// what turns a line.
    fileprivate var withoutControls: String {
        guard unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isControl, scalar != "\n" else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

/// Prints rows with their columns under each other.
/// - Parameter header: the columns' names, shown on a terminal: programs read the rows. There a line that is
///   wider than the terminal is cut off.
func printTable(_ rows: [[String]], header: [String] = []) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let heads = isTerminal && !header.isEmpty && !rows.isEmpty ? [header.map { $0.uppercased() }] : []
    let width = isTerminal && !header.isEmpty ? terminalWidth(STDOUT_FILENO) : .max
    let rows = (heads + rows).map { $0.map(printable) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
        rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    for row in rows {
        var line = ""
        for (column, cell) in row.enumerated() {
            let isLast = column + 1 == row.count
            line += isLast ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
        }
        print(line.count > width ? line.prefix(width - 1) + "…" : line)
    }
}

/// In columns; 80 where it is not known.
func terminalWidth(_ terminal: Int32) -> Int {
    var size = winsize()
    guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
}

/// A name from outside, safe for a terminal.
func printable(_ text: String) -> String {
    text.printableLine
}
