internal import Glibc
internal import Posix
internal import Wire

/// Shows how far long work is, on standard error: one line that changes on a terminal, a line now and then
/// elsewhere, if a person wants that. Nothing of work that takes less than a second.
final class ProgressMeter {
    /// What a person wants to see.
    enum Mode {
        /// On a terminal only.
        case automatic
        case always
        case never
    }

    private let mode: Mode
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var next = Deadline(seconds: 1)
    private var hasShown = false
    private var rate = WorkRate()

    /// Elsewhere than on a terminal.
    private static let secondsBetweenLines = 2.0

    init(_ mode: Mode) { self.mode = mode }

    func show(_ progress: Progress) {
        rate.note(progress, at: .now)
        guard mode != .never, isTerminal || mode == .always, next.hasPassed else { return }
        let text = ProgressText(
            progress, bytesPerSecond: rate.bytesPerSecond, secondsLeft: rate.secondsLeft)
        if isTerminal {
            write("\r\u{1B}[K" + text.fitting(terminalWidth(STDERR_FILENO) - 1))
        } else {
            next = Deadline(seconds: Self.secondsBetweenLines)
            write(text.fitting(.max) + "\n")
        }
        hasShown = isTerminal
    }

    /// Takes the line away.
    func end() {
        if hasShown { write("\r\u{1B}[K") }
        hasShown = false
    }

    private func write(_ text: String) { printError(text, terminator: "") }
}
