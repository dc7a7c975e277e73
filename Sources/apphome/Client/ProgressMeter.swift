internal import Glibc
internal import Posix

/// Progress of long work, on a terminal only, and only of work that takes longer than a second.
final class ProgressMeter {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = Deadline(seconds: 1)
    private var hasShown = false

    func show(_ progress: Progress) {
        guard isTerminal, start.hasPassed else { return }
        hasShown = true
        var text = byteCount(progress.bytesDone)
        if let total = progress.totalBytes, total > 0 {
            text += " of \(byteCount(total)) (\(progress.bytesDone * 100 / total) %)"
        }
        write("\r\u{1B}[K" + text)
    }

    /// Takes the line away.
    func end() { if hasShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { printError(text, terminator: "") }
}

/// Bytes as people read them, in powers of 1000.
func byteCount(_ bytes: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1000, unit + 1 < units.count {
        value /= 1000
        unit += 1
    }
    let tenths = Int((value * 10).rounded())
    return unit == 0 || tenths >= 100
        ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// So many of something, as people read it: `1 file`, `1,234 files`.
func counted(_ count: Int, _ noun: String) -> String {
    var digits = String(count)
    var groups: [String] = []
    while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",") + " " + noun + (count == 1 ? "" : "s")
}
