internal import Glibc
internal import Posix
internal import SystemPackage

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

    /// Signals that are kept for the program, from now on.
    static func keepSignals() throws(Errno) -> Signals { try Signals(passed + [SIGCHLD]) }

    /// - Parameter signals: kept since before anything was mounted for the program.
    /// - Parameter hasTerminal: whether it shares this command's terminal, by which signals reach it too.
    /// - Parameter start: starts it.
    static func run(
        _ signals: borrowing Signals, hasTerminal: Bool,
        _ start: () throws -> (Child, programID: () -> Int32?)
    ) throws -> Int32 {
        // Also from a terminal: there was no program that it could have told.
        var early: [Int32] = []
        while let number = signals.next() { if number != SIGCHLD { early.append(number) } }
        let (child, programID) = try start()
        return try RunningChild(child: child, programID: programID, hasTerminal: hasTerminal)
            .wait(signals, passing: early)
    }

    private func wait(_ signals: borrowing Signals, passing early: [Int32]) throws -> Int32 {
        var waiting = early
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
