internal import Glibc
internal import Posix

/// A program that runs in the place of this command: signals to this one go to it, its exit status is ours.
struct RunningChild {
    private let child: Child
    /// Where the program is found, where another process started it: what signals go to.
    private let programID: () -> Int32?
    /// Whether it shares the terminal of this command.
    private let hasTerminal: Bool

    private static let passed: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM]
    /// How often a program that is just starting is looked for.
    private static let startingSeconds = 0.01

    /// - Parameter hasTerminal: whether it shares this command's terminal, by which signals reach it too.
    /// - Parameter start: starts it. Signals are caught before, so that none is lost.
    static func run(
        hasTerminal: Bool, _ start: () throws -> (Child, programID: () -> Int32?)
    ) throws -> Int32 {
        let signals = try Signals(passed + [SIGCHLD])
        let (child, programID) = try start()
        return try RunningChild(child: child, programID: programID, hasTerminal: hasTerminal)
            .wait(signals)
    }

    private func wait(_ signals: borrowing Signals) throws -> Int32 {
        var waiting: [Int32] = []
        while true {
            // Before the wait: what it did may be told by no further signal.
            if let status = ended() { return status }
            let deadline = waiting.isEmpty ? nil : Deadline(seconds: Self.startingSeconds)
            _ = try Waiting.wait(for: [signals.raw], until: deadline)
            while let (number, isFromTerminal) = signals.nextWithOrigin() {
                // A terminal has told the program by itself.
                if number != SIGCHLD, !(hasTerminal && isFromTerminal) { waiting.append(number) }
            }
            if !waiting.isEmpty, let programID = programID() {
                for number in waiting { kill(programID, number) }
                waiting = []
            }
        }
    }

    /// - Returns: its exit status, 128 + N where signal N ended it; nil while it runs.
    private func ended() -> Int32? {
        var status: Int32 = 0
        guard waitpid(child.processID, &status, WNOHANG) == child.processID else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
