internal import Glibc
internal import Posix
internal import Wire

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
            let percent = max(0, min(Double(progress.bytesDone) / Double(total) * 100, 100))
            text += " of \(byteCount(total)) (\(Int(percent)) %)"
        }
        write("\r\u{1B}[K" + text)
    }

    /// Takes the line away.
    func end() { if hasShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { printError(text, terminator: "") }
}
